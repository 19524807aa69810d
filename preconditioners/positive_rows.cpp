// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/positive_rows.hpp>

#include <numeric>

#include <ostinato/preconditioners/positive_rows_steps.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace {

/// Shares of some rows.
struct RowShares {
  double positive = 0, dominant = 0;
};

template <class Space, class T>
RowShares row_shares(const Space& space, const CsrView<T>& a) {
  constexpr std::size_t some = 4000;
  constexpr double share = 0.2, excess = 0.02;
  const auto rows = static_cast<std::size_t>(a.rows);
  if (rows == 0) return {};
  constexpr std::size_t up_to_eight = 2 * 3 * 5 * 7;  // unknowns a point, all of which are to be seen
  std::size_t step = (rows + some - 1) / some;
  while (step > 1 && std::gcd(step, up_to_eight) > 1) ++step;
  const std::size_t count = (rows + step - 1) / step;
  Vector<Space, double> found(space, 2);
  sum(space, count, detail::CountPositiveRows<T>{detail::pattern_of(a), a.val.data(), step, share, excess},
      found.data());
  const std::vector<double> counts = found.download();
  return {counts[0] / static_cast<double>(count), counts[1] / static_cast<double>(count)};
}

}  // namespace

template <class Space, class T>
bool is_mostly_positive(const Space& space, const CsrView<T>& a) {
  return row_shares(space, a).positive > 0.5;
}

template <class Space, class T>
bool is_mostly_dominant(const Space& space, const CsrView<T>& a) {
  return row_shares(space, a).dominant > 0.5;
}

#define OSTINATO_INSTANTIATE(Space, T)                               \
  template bool is_mostly_positive(const Space&, const CsrView<T>&); \
  template bool is_mostly_dominant(const Space&, const CsrView<T>&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/positive_rows.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <ostinato/preconditioners/positive_rows_steps.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace {

/// Rows from one to the next, where some of them are looked at.
std::size_t step_for(std::size_t rows, std::size_t some) {
  constexpr std::size_t up_to_eight = 2 * 3 * 5 * 7;  // unknowns a point, all of which are to be seen
  std::size_t step = std::max<std::size_t>((rows + some - 1) / some, 1);
  while (step > 1 && std::gcd(step, up_to_eight) > 1) ++step;
  return step;
}

/// Shares of some rows.
struct RowShares {
  double positive = 0, dominant = 0;
};

template <class Space, class T>
RowShares row_shares(const Space& space, const CsrView<T>& a, double excess) {
  constexpr std::size_t some = 4000;
  constexpr double share = 0.2;
  const auto rows = static_cast<std::size_t>(a.rows);
  if (rows == 0) return {};
  const std::size_t step = step_for(rows, some);
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
  return row_shares(space, a, 0).positive > 0.5;
}

template <class Space, class T>
bool is_mostly_dominant(const Space& space, const CsrView<T>& a, double excess) {
  return row_shares(space, a, excess).dominant > 0.5;
}

template <class T>
bool is_mostly_outweighed(const CsrView<T>& a) {
  constexpr std::size_t some = 500;
  const auto rows = static_cast<std::size_t>(a.rows);
  const std::size_t step = step_for(rows, some);
  std::size_t seen = 0, outweighed = 0;
  for (std::size_t i = 0; i < rows; i += step) {
    T diagonal = 0, largest = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      T& of = a.col[k] == static_cast<Index>(i) ? diagonal : largest;
      of = std::max(of, std::abs(a.val[k]));
    }
    ++seen;
    outweighed += largest > diagonal;
  }
  return 2 * outweighed > seen;
}

#define OSTINATO_INSTANTIATE_VALUES(T) template bool is_mostly_outweighed(const CsrView<T>&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE_VALUES);
#undef OSTINATO_INSTANTIATE_VALUES

#define OSTINATO_INSTANTIATE(Space, T)                               \
  template bool is_mostly_positive(const Space&, const CsrView<T>&); \
  template bool is_mostly_dominant(const Space&, const CsrView<T>&, double)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato

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

template <class Space, class T>
bool is_mostly_positive(const Space& space, const CsrView<T>& a) {
  constexpr std::size_t some = 4000;
  constexpr double share = 0.2;
  const auto rows = static_cast<std::size_t>(a.rows);
  if (rows == 0) return false;
  constexpr std::size_t up_to_eight = 2 * 3 * 5 * 7;  // unknowns a point, all of which are to be seen
  std::size_t step = (rows + some - 1) / some;
  while (step > 1 && std::gcd(step, up_to_eight) > 1) ++step;
  const std::size_t count = (rows + step - 1) / step;
  Vector<Space, double> found(space, 1);
  sum(space, count, detail::CountPositiveRows<T>{detail::pattern_of(a), a.val.data(), step, share}, found.data());
  return 2 * found.download()[0] > static_cast<double>(count);
}

template bool is_mostly_positive(const Host&, const CsrView<float>&);
template bool is_mostly_positive(const Host&, const CsrView<double>&);
template bool is_mostly_positive(const Cuda&, const CsrView<float>&);
template bool is_mostly_positive(const Cuda&, const CsrView<double>&);

}  // namespace ostinato

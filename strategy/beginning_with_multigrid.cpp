// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/beginning_with_multigrid.hpp>

#include <ostinato/preconditioners/positive_rows.hpp>
#include <ostinato/spmv/ordering/breadth_first.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/strategy/leaving_jacobi.hpp>

namespace ostinato {

namespace {

/// In iterations of CG with Jacobi.
constexpr double of_level = 3, of_setup = 60, of_iteration = 3.6, iterations = 25;

}  // namespace

template <class T>
bool begins_with_plain_on_cpu(const CsrView<T>& a, const Structure& s) {
  constexpr double longest_mean = 30;
  constexpr double excess = 0.002;  // of the diagonal over the others: CG then takes at most some 300 iterations
  if (s.rows < fewest_rows_of_hierarchy || !s.finite || !s.symmetric || !s.pattern_symmetric || s.empty_rows > 0 ||
      !(s.positive_diagonal || s.negative_diagonal) || s.mean_row > longest_mean)
    return false;
  const Host host;
  if (is_mostly_dominant(host, a, excess) || is_mostly_positive(host, a)) return false;
  return of_level * breadth_first_depth(a.row_ptr, a.col, checked) > of_setup + iterations * of_iteration;
}

#define OSTINATO_INSTANTIATE(T) template bool begins_with_plain_on_cpu(const CsrView<T>&, const Structure&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato

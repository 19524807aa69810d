// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <ostinato/spmv/cost/streamed_cost.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>

namespace ostinato::formats {

/// What csr-scalar and csr-vector share: everything except the number of threads per row.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    As in ostinato::Csr. The arrays are the caller's on Host (keep them alive) and the uploaded ones on Cuda.
/// Traffic   (sizeof(T) + 4) nonzeros + 8 rows bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read
///           once.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Source    Bell & Garland, SC'09, doi:10.1145/1654059.1654078.
template <class Space, class T>
class CsrBaseline {
 public:
  using space_type = Space;
  using value_type = T;

  CsrBaseline(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput&) : space_(space), a_(a.kept(space)) {}

  void update_values(const SpaceCsr<Space, T>& a) { a_.take_values(space_, a); }

  const SpaceCsr<Space, T>& csr() const { return a_; }

  std::size_t bytes() const {
    return a_.view().row_ptr.size_bytes() + a_.view().col.size_bytes() + a_.view().val.size_bytes();
  }

 protected:
  /// `busy` is the share of a GPU's loads that rows of the mean length use; `row_threads` threads share a row.
  static Cost baseline_cost(const PlanInput& in, double busy, int row_threads) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    const double entries = static_cast<double>(s.nonzeros);
    return streamed_cost<T>(s, m,
                            {.bytes = entries * (sizeof(T) + sizeof(Index)) + 8.0 * (s.rows + 1.0),
                             .slots = entries,
                             .efficiency = 0.8 * busy,
                             .waits = s.longest_row / (2.0 * row_threads),
                             .host = {.slot = 1, .row = 1.2, .uneven = 5, .chain = 0.5, .gather = 2, .stream = 0.38}});
  }

  detail::PlainRow<T> product(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    return {detail::arrays_of(a_.view()), {alpha, x.data(), beta, y.data(), y.data()}};
  }

  Space space_;

 private:
  SpaceCsr<Space, T> a_;
};

}  // namespace ostinato::formats

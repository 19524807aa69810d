// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include <ostinato/bench/formats/csr_adaptive/row_blocks.hpp>
#include <ostinato/spmv/cost/streamed_cost.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/int32_offsets.hpp>
#include <ostinato/spmv/space/scratch.hpp>
#include <ostinato/spmv/space/to_host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y with compressed sparse rows in blocks of rows with few entries (CSR-Adaptive): a baseline.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    CSR with 32-bit row pointers; columns and values are those of SpaceCsr::kept(). Beside it the row blocks
///           (RowBlock), 24 bytes each.
/// Traffic   (sizeof(T) + 4) nonzeros + 4 rows bytes for A, 24 bytes for a row block, and sizeof(T) (rows + cols) bytes
///           for x and y, if x is read once.
/// Exec      Cuda: a thread block takes a row block. CSR-Stream, for several rows: products of up to 1024 entries go to
///           shared memory in order, and a power of two of threads adds up each row. CSR-Vector, for a row by
///           itself: the whole thread block adds it up. CSR-VectorL, for a row of over 16384 entries: a thread block
///           takes a piece, and the one that finishes last adds the sums of the pieces in their order. Host: a thread
///           takes row blocks, and adds up each row from its first entry to its last. The order of additions is fixed
///           by the matrix.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Limits    Refuses 2^31 entries or more.
/// Source    Greathouse & Daga, Efficient sparse matrix-vector multiplication on GPUs using the CSR storage format,
///           SC'14, doi:10.1109/SC.2014.68; long rows: Daga & Greathouse, Structural agnostic SpMV,
///           HiPC 2015, doi:10.1109/HiPC.2015.55. What differs: there the pieces of a long row meet in atomic
///           additions, whose order varies.
template <class Space, class T>
class CsrAdaptive {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "csr-adaptive";
  static constexpr std::string_view description = "compressed sparse rows, a thread block for some rows; a baseline";

  static Cost cost(const PlanInput& in) {
    const Structure& s = in.structure;
    const double entries = static_cast<double>(s.nonzeros);
    const double blocks = std::max(entries / stream_entries, 1.0 * s.rows / stream_rows);
    const double pieces = s.longest_row > vector_entries ? entries / vector_entries : 0;
    Cost c =
        streamed_cost<T>(s, in.machine,
                         {.bytes = entries * (sizeof(T) + sizeof(Index)) + 4.0 * (s.rows + 1.0) +
                                   sizeof(RowBlock) * blocks + 12 * pieces,
                          .slots = entries,
                          .efficiency = 0.7,
                          .waits = 16,
                          .host = {.slot = 1, .row = 1.2, .uneven = 5, .chain = 0.5, .gather = 2, .stream = 0.38}});
    if (s.nonzeros > std::numeric_limits<std::int32_t>::max()) c.reason_not = "2^31 entries or more";
    return c;
  }

  CsrAdaptive(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in) : space_(space), a_(a.kept(space)) {
    if (const std::string why = cost(in).reason_not; !why.empty()) throw ArgumentError("csr-adaptive: " + why);
    row_ptr_ = detail::to_int32(space, a_.view().row_ptr);
    const std::vector<RowBlock> blocks = cut_rows(ostinato::detail::to_host<Offset>(space, a_.view().row_ptr));
    blocks_ = Vector<Space, RowBlock>(space, std::span<const RowBlock>(blocks));
    std::size_t pieces = 0;
    for (const RowBlock& b : blocks) pieces += b.pieces > 1;
    partial_ = Scratch<Space, double>(space, pieces);
    arrived_ = Scratch<Space, std::uint32_t>(space, pieces);
    space.wait();  // before the host's array goes
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    auto partial = partial_.borrow();
    auto arrived = arrived_.borrow();
    csr_adaptive_apply(space_,
                       RowBlockView<T>{blocks_.size(), blocks_.data(), row_ptr_.data(), a_.view().col.data(),
                                       a_.view().val.data(), partial.data(), arrived.data()},
                       Product<T>{alpha, x.data(), beta, y.data(), y.data()});
  }

  void update_values(const SpaceCsr<Space, T>& a) { a_.take_values(space_, a); }

  const SpaceCsr<Space, T>& csr() const { return a_; }

  std::size_t bytes() const {
    return a_.view().col.size_bytes() + a_.view().val.size_bytes() + row_ptr_.bytes() + blocks_.bytes() +
           partial_.bytes() + arrived_.bytes();
  }

 private:
  Space space_;
  SpaceCsr<Space, T> a_;
  Vector<Space, std::int32_t> row_ptr_;
  Vector<Space, RowBlock> blocks_;
  Scratch<Space, double> partial_;
  Scratch<Space, std::uint32_t> arrived_;
};

}  // namespace ostinato::formats

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Conversion of CSR to the arrays that cuSPARSE reads as sliced ELL and BSR. stored_product.cu runs these functors on
// Cuda; they are written for both spaces so that tests need no GPU. No functor has to work through a whole long row.

#include <cstdint>
#include <utility>

#include <ostinato/bench/formats/block_rows.hpp>
#include <ostinato/bench/formats/cusparse/stored_product.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_cost.hpp>
#include <ostinato/spmv/formats/int32_offsets.hpp>
#include <ostinato/spmv/formats/sliced_ell/sliced_ell_view.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::formats {

namespace detail {

/// Fills the columns and the values of slots; only the values when to_col is null. As in EntryRuns, 32 neighbouring
/// calls share some slots, of which each call takes every 32nd, and searches for a slice once.
template <class T>
struct FillCusparseSlots {
  static constexpr Offset lanes = 32, length = 8;

  CsrArrays<T> a;
  Offset slots;
  const std::int32_t* start;
  Index slices;
  Index* to_col;
  T* to_val;

  std::size_t calls() const { return static_cast<std::size_t>((slots + lanes * length - 1) / length / lanes * lanes); }

  OSTINATO_FUNCTION void operator()(std::size_t number) const {
    const auto call = static_cast<Offset>(number);
    const Offset begin = call / lanes * lanes * length + call % lanes;
    const Offset end = begin + lanes * length < slots ? begin + lanes * length : slots;
    Index slice = begin < end ? slice_of(begin) : 0;
    for (Offset slot = begin; slot < end; slot += lanes) {
      if (slot >= start[slice + 1]) slice = slot < start[slice + 2] ? slice + 1 : slice_of(slot);
      fill(slice, slot);
    }
  }

 private:
  OSTINATO_FUNCTION void fill(Index slice, Offset slot) const {
    const Offset place = slot - start[slice], row = Offset{slice} * slice_rows + place % slice_rows;
    const Offset k = row < a.rows ? a.row_ptr[row] + place / slice_rows : 0;
    const bool used = row < a.rows && k < a.row_ptr[row + 1];
    if (to_col != nullptr) to_col[slot] = used ? a.col[k] : -1;
    to_val[slot] = used ? a.val[k] : T{0};
  }

  /// The slice with start[slice] <= slot < start[slice + 1].
  OSTINATO_FUNCTION Index slice_of(Offset slot) const {
    return bisect(Index{1}, slices, [this, slot](Index i) { return start[i] > slot; }) - 1;
  }
};

/// Stores each entry's value in its block, which is searched by block column.
template <class T>
struct FillCusparseBlocks {
  CsrArrays<T> a;
  EntryRuns runs;
  Index size;
  const std::int32_t* start;
  const Index* block_col;
  T* to_val;

  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    runs.visit(run, a, [this](Index row, Offset k) {
      const Index column = a.col[k];
      to_val[(block_of(row / size, column / size) * size + row % size) * size + column % size] = a.val[k];
    });
  }

 private:
  /// The block of this block column, which must exist.
  OSTINATO_FUNCTION Offset block_of(Index block_row, Index wanted) const {
    return bisect(start[block_row], start[block_row + 1], [this, wanted](Index b) { return block_col[b] >= wanted; });
  }
};

}  // namespace detail

/// Fills the values of the slots, and with `columns` set their columns, too.
template <class Space, class T>
void fill_slices(const Space& space, const CsrView<T>& a, CusparseArrays<Space, T>& to, bool columns) {
  const Index slices = static_cast<Index>(to.start.size()) - 1;
  const detail::FillCusparseSlots<T> fill{detail::arrays_of(a),
                                          static_cast<Offset>(to.val.size()),
                                          to.start.data(),
                                          slices,
                                          columns ? to.col.data() : nullptr,
                                          to.val.data()};
  for_each(space, fill.calls(), fill);
}

template <class Space, class T>
CusparseArrays<Space, T> to_slices(const Space& space, const CsrView<T>& a) {
  const auto slices = static_cast<std::size_t>((Offset{a.rows} + detail::slice_rows - 1) / detail::slice_rows);
  Vector<Space, Offset> start(space, slices + 1);
  for_each(space, slices, detail::CountSlots{detail::pattern_of(a), start.data()});
  exclusive_scan(space, start.span());
  Offset slots = 0;
  space.download(&slots, start.data() + slices, sizeof slots);
  detail::require_int32(slots);
  const auto n = static_cast<std::size_t>(slots);
  CusparseArrays<Space, T> to{detail::to_int32(space, start.span()), Vector<Space, Index>(space, n),
                              Vector<Space, T>(space, n)};
  fill_slices(space, a, to, true);
  return to;
}

/// Fills the values of the entries; slots without an entry keep their value.
template <class Space, class T>
void fill_blocks(const Space& space, const CsrView<T>& a, Index size, CusparseArrays<Space, T>& to) {
  const auto runs = detail::EntryRuns::on<Space>(a.nonzeros());
  for_each(
      space, runs.count(),
      detail::FillCusparseBlocks<T>{detail::arrays_of(a), runs, size, to.start.data(), to.col.data(), to.val.data()});
}

template <class Space, class T>
CusparseArrays<Space, T> to_blocks(const Space& space, const CsrView<T>& a, Index size) {
  BlockRows<Space> found(space, a, {size, size});
  const Offset slots = found.blocks * size * size;
  detail::require_int32(slots);
  CusparseArrays<Space, T> to{detail::to_int32(space, found.row_ptr.span()), std::move(found.col),
                              Vector<Space, T>(space, static_cast<std::size_t>(slots))};
  space.zero(to.val.data(), to.val.bytes());
  fill_blocks(space, a, size, to);
  return to;
}

}  // namespace ostinato::formats

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The storage of sliced_ell.hpp, for both spaces.

#include <cstdint>
#include <limits>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>

namespace ostinato::formats::detail {

/// Rows of a slice; a warp takes a slice.
inline constexpr Index slice_rows = 32;

/// The largest distance of a column from its row that 16 bits hold.
inline constexpr Offset farthest_narrow = std::numeric_limits<std::int16_t>::max();

/// The value in place of a column where the row has no entry.
template <class C>
inline constexpr C empty_slot = std::numeric_limits<C>::min();

/// The column that a slot of row i stores: in 32 bits the column itself, in 16 bits its distance from i.
OSTINATO_FUNCTION inline Offset slot_column(std::int32_t c, Offset) { return c; }
OSTINATO_FUNCTION inline Offset slot_column(std::int16_t c, Offset i) { return i + c; }

/// Slices of 32 rows, each as wide as its longest row. Slot start[i / 32] + 32 k + i % 32 holds entry k of row i.
template <class C, class T>
struct SlicedView {
  Index rows;
  const Offset* start;  ///< slices + 1
  const C* col;
  const T* val;

  OSTINATO_FUNCTION Offset slices() const { return (Offset{rows} + slice_rows - 1) / slice_rows; }
};

/// slots[s] := number of slots of slice s
struct CountSlots {
  CsrPattern a;
  Offset* slots;

  OSTINATO_FUNCTION void operator()(std::size_t s) const {
    const Offset begin = static_cast<Offset>(s) * slice_rows;
    Offset width = 0;
    for (Offset i = begin; i < begin + slice_rows && i < a.rows; ++i) {
      const Offset length = a.length(static_cast<std::size_t>(i));
      if (length > width) width = length;
    }
    slots[s] = width * slice_rows;
  }
};

/// Fills the slots of row i. The last slice has slots for rows past the end of the matrix, so i runs through these,
/// too.
template <class C, class T>
struct FillSlots {
  CsrArrays<T> a;
  const Offset* start;
  C* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const std::size_t slice = i / slice_rows;
    const bool there = i < static_cast<std::size_t>(a.rows);
    Offset k = there ? a.row_ptr[i] : 0;
    const Offset end = there ? a.row_ptr[i + 1] : 0;
    for (Offset slot = start[slice] + static_cast<Offset>(i % slice_rows); slot < start[slice + 1];
         slot += slice_rows, ++k) {
      col[slot] = k < end ? code(a.col[k], static_cast<Offset>(i)) : empty_slot<C>;
      val[slot] = k < end ? a.val[k] : T{0};
    }
  }

 private:
  OSTINATO_FUNCTION static C code(Index column, Offset i) {
    return static_cast<C>(sizeof(C) == sizeof(Index) ? Offset{column} : column - i);
  }
};

}  // namespace ostinato::formats::detail

namespace ostinato {

class Host;
class Cuda;

namespace formats {

/// The product p; C is the type of the stored columns: std::int16_t or Index. Enqueued.
template <class C, class T>
void sliced_apply(const Host& space, const detail::SlicedView<C, T>& a, const Product<T>& p);
template <class C, class T>
void sliced_apply(const Cuda& space, const detail::SlicedView<C, T>& a, const Product<T>& p);

/// The product p and *slot = w . y; w may be y. Enqueued.
template <class C, class T>
void sliced_apply_dot(const Host& space, const detail::SlicedView<C, T>& a, const Product<T>& p, const T* w,
                      Slot<T> slot);
template <class C, class T>
void sliced_apply_dot(const Cuda& space, const detail::SlicedView<C, T>& a, const Product<T>& p, const T* w,
                      Slot<T> slot);

}  // namespace formats
}  // namespace ostinato

// For the source files that define sliced_apply() and sliced_apply_dot().
#define OSTINATO_INSTANTIATE_SLICED(Space, C, T)                                                                     \
  template void formats::sliced_apply(const Space&, const formats::detail::SlicedView<C, T>&, const Product<T>&);    \
  template void formats::sliced_apply_dot(const Space&, const formats::detail::SlicedView<C, T>&, const Product<T>&, \
                                          const T*, double*)

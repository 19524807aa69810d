// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The HDI storage of hdi.hpp, for both spaces.

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>

namespace ostinato::formats::detail {

/// Groups of piece_rows rows, each with a list of diagonals. slot(i, d) is the place of row i's value on the diagonal
/// with number d in all lists together.
struct HdiLists {
  Index rows;
  Index cols;
  const Offset* group_ptr;  ///< first diagonal of each group; groups + 1
  const Index* offset;      ///< column - row, ascending within a list

  OSTINATO_FUNCTION Offset begin(std::size_t i) const { return group_ptr[i / piece_rows]; }
  OSTINATO_FUNCTION Offset end(std::size_t i) const { return group_ptr[i / piece_rows + 1]; }

  /// Where the value lies. Only the last group can have fewer than piece_rows rows; its diagonals are shorter.
  OSTINATO_FUNCTION Offset slot(std::size_t i, Offset d) const {
    const Offset row = static_cast<Offset>(i), first = row - row % piece_rows, before = begin(i);
    const Offset length = rows - first < piece_rows ? rows - first : piece_rows;
    return before * piece_rows + (d - before) * length + (row - first);
  }
};

/// Stores the values of row i in their slots.
template <class T>
struct FillHdi {
  CsrArrays<T> a;
  HdiLists lists;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset d = lists.begin(i);
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      while (lists.offset[d] < a.col[k] - static_cast<Index>(i)) ++d;
      val[lists.slot(i, d)] = a.val[k];
    }
  }
};

template <class T>
struct HdiRow {
  HdiLists lists;
  const T* val;
  Product<T> p;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset end = lists.end(i);
    T sum = 0;
    for (Offset d = lists.begin(i); d < end; ++d) {
      const Offset j = static_cast<Offset>(i) + lists.offset[d];
      if (j >= 0 && j < lists.cols) sum += val[lists.slot(i, d)] * p.x[j];
    }
    store_row(p, i, sum);
  }
};

}  // namespace ostinato::formats::detail

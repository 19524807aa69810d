// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ostinato/spmv/space/index.hpp>
#include <ostinato/spmv/space/memory.hpp>

namespace ostinato {

/// A matrix in compressed sparse row form whose arrays belong to somebody else.
///
/// Shapes    row_ptr: rows + 1.  col, val: row_ptr[rows].  Row i holds the entries row_ptr[i] .. row_ptr[i + 1] - 1.
/// Requires  The arrays outlive the view. Rows may be empty, unsorted and hold duplicates (they count as their sum);
///           check() says whether the rest is in order.
template <class T>
struct CsrView {
  Index rows = 0;
  Index cols = 0;
  std::span<const Offset> row_ptr;
  std::span<const Index> col;
  std::span<const T> val;

  Offset nonzeros() const { return static_cast<Offset>(col.size()); }
};

/// A host matrix in compressed sparse row form: the form in which matrices come in and from which every format is
/// built.
///
/// Layout    sizeof(T) + 4 bytes an entry and 8 a row.
template <class T>
struct Csr {
  Index rows = 0;
  Index cols = 0;
  Array<Offset> row_ptr = Array<Offset>(1, 0);
  Array<Index> col;
  Array<T> val;

  Offset nonzeros() const { return static_cast<Offset>(val.size()); }
  CsrView<T> view() const { return {rows, cols, row_ptr, col, val}; }
  operator CsrView<T>() const { return view(); }
};

/// One entry of a matrix under construction.
template <class T>
struct Triplet {
  Index row;
  Index col;
  T val;
};

/// Assembles a matrix: sorts by row and column and adds duplicates up, in the order in which they came.
/// Throws ArgumentError naming the first triplet that lies outside rows x cols.
template <class T>
Csr<T> from_triplets(Index rows, Index cols, std::span<const Triplet<T>> triplets);

/// Throws ArgumentError when sizes, row pointers or column indices are not those of a matrix; names the first row at
/// fault.
template <class T>
void check(const CsrView<T>& a);

/// True when the columns of each row ascend strictly, so that no entry stands twice.
template <class T>
bool is_canonical(const CsrView<T>& a);

/// The same matrix with the columns of each row ascending and duplicates added up. Parallel over rows.
template <class T>
Csr<T> canonical(const CsrView<T>& a);

/// The transpose, with sorted rows.
template <class T>
Csr<T> transpose(const CsrView<T>& a);

}  // namespace ostinato

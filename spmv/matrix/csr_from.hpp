// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Matrices of other libraries. Nothing here includes those libraries: the functions ask a class for the members that
// the libraries' classes have.

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/span_of.hpp>

namespace ostinato {

namespace detail {

/// An array of integers of any width.
struct Integers {
  const void* data = nullptr;
  std::size_t size = 0;
  std::size_t bytes = 0;  ///< of an integer
  bool is_signed = true;
};

template <class I>
Integers integers_in(std::span<I> s) {
  static_assert(std::is_integral_v<I>, "csr_from: pointers and indices are arrays of integers, of any width");
  return {s.data(), s.size(), sizeof(I), std::is_signed_v<I>};
}

template <class T>
std::span<const std::remove_const_t<T>> values_in(std::span<T> s) {
  static_assert(std::same_as<std::remove_const_t<T>, float> || std::same_as<std::remove_const_t<T>, double>,
                "csr_from: values are float or double; copy others into one of these");
  return s;
}

/// Rows, or columns, of a matrix one after the other.
struct CompressedLines {
  const char* function;                            ///< for messages
  const char *line, *lines, *across, *all_across;  ///< "row", "rows", "column", "columns", or the other way round
  Offset count, width;                             ///< rows and columns, or the other way round
  Integers starts;
  Integers lengths;  ///< empty where a line ends at the start of the next
  Integers index;
  int base;
};

/// Throws    ArgumentError for a negative number of rows or columns, or one that Index can't hold.
void require_shape(const char* function, Offset rows, Offset cols);

template <class T>
Csr<T> csr_from_lines(const CompressedLines& lines, std::span<const T> val);
template <class T>
Csr<T> transposed(const CompressedLines& lines, std::span<const T> val);
template <class T>
Csr<T> csr_from_entries(Offset rows, Offset cols, const Integers& row, const Integers& col, std::span<const T> val,
                        int base);

inline CompressedLines rows_in(Offset rows, Offset cols, Integers starts, Integers index, int base) {
  return {"csr_from", "row", "rows", "column", "columns", rows, cols, starts, {}, index, base};
}
inline CompressedLines columns_in(const char* function, Offset rows, Offset cols, Integers starts, Integers index,
                                  int base) {
  return {function, "column", "columns", "row", "rows", cols, rows, starts, {}, index, base};
}

/// What Eigen::SparseMatrix has, and its maps and references.
template <class A>
concept CompressedMatrix = requires(const A& a) {
  a.outerIndexPtr();
  a.innerIndexPtr();
  a.valuePtr();
  a.innerNonZeroPtr();
  a.outerSize();
};

}  // namespace detail

/// Copies a matrix in compressed sparse rows from arrays whose integers have any width and count from 0 or from 1. The
/// arrays are of any class that span_of() takes.
///
/// Shapes    row_ptr: rows + 1.  col, val: as many as there are entries.  `base`, 0 or 1, is the number of the first
///           row, column and entry.
/// Traffic   Reads the arrays once and writes the matrix, in parallel.
/// Throws    ArgumentError when the arrays don't form a matrix, naming the first row at fault.
template <class RowPtr, class Col, class Val>
auto csr_from(Offset rows, Offset cols, const RowPtr& row_ptr, const Col& col, const Val& val, int base = 0) {
  return detail::csr_from_lines(
      detail::rows_in(rows, cols, detail::integers_in(span_of(row_ptr)), detail::integers_in(span_of(col)), base),
      detail::values_in(span_of(val)));
}

/// The same for compressed sparse columns.
///
/// Shapes    col_ptr: cols + 1.  row, val: as many as there are entries.
template <class ColPtr, class Row, class Val>
auto csr_from_csc(Offset rows, Offset cols, const ColPtr& col_ptr, const Row& row, const Val& val, int base = 0) {
  return detail::transposed(detail::columns_in("csr_from_csc", rows, cols, detail::integers_in(span_of(col_ptr)),
                                               detail::integers_in(span_of(row)), base),
                            detail::values_in(span_of(val)));
}

/// The same for the row, column and value of every entry, in any order; duplicates are added up in their order.
///
/// Shapes    row, col, val: as many as there are entries.
/// Throws    ArgumentError naming the first entry outside of the matrix.
template <class Row, class Col, class Val>
auto csr_from_coo(Offset rows, Offset cols, const Row& row, const Col& col, const Val& val, int base = 0) {
  return detail::csr_from_entries(rows, cols, detail::integers_in(span_of(row)), detail::integers_in(span_of(col)),
                                  detail::values_in(span_of(val)), base);
}

/// The same for an Eigen::SparseMatrix, by columns or by rows, compressed or not.
///
/// Throws    ArgumentError for a sparse vector, and for a part of a matrix.
template <class Matrix>
auto csr_from(const Matrix& a) {
  constexpr bool fits = detail::CompressedMatrix<Matrix>;
  static_assert(fits,
                "csr_from: the class has no outerIndexPtr(), innerIndexPtr() and valuePtr(), as "
                "Eigen::SparseMatrix has; evaluate an expression into a matrix, or give the arrays");
  if constexpr (fits) {
    if (a.outerIndexPtr() == nullptr || a.outerIndexPtr()[0] != 0)
      throw ArgumentError("csr_from: a vector, or a part of a matrix; evaluate it into an Eigen::SparseMatrix first");
    const auto count = static_cast<std::size_t>(a.outerSize());
    const auto entries = static_cast<std::size_t>(a.outerIndexPtr()[count]);
    const auto starts = detail::integers_in(std::span(a.outerIndexPtr(), count + 1));
    const auto index = detail::integers_in(std::span(a.innerIndexPtr(), entries));
    const auto val = detail::values_in(std::span(a.valuePtr(), entries));
    detail::CompressedLines lines = Matrix::IsRowMajor
                                        ? detail::rows_in(a.rows(), a.cols(), starts, index, 0)
                                        : detail::columns_in("csr_from", a.rows(), a.cols(), starts, index, 0);
    if (a.innerNonZeroPtr() != nullptr) lines.lengths = detail::integers_in(std::span(a.innerNonZeroPtr(), count));
    return Matrix::IsRowMajor ? detail::csr_from_lines(lines, val) : detail::transposed(lines, val);
  }
}

/// The same arrays as a view, without a copy: row pointers of std::int64_t, columns of std::int32_t, both from 0 on.
/// The arrays are lent (CsrView says for how long) and may be in the memory of a GPU, for OnSpace. They aren't looked
/// at.
///
/// Throws    ArgumentError for more rows or columns than Index counts.
template <class RowPtr, class Col, class Val>
auto csr_view(Offset rows, Offset cols, const RowPtr& row_ptr, const Col& col, const Val& val) {
  const auto starts = span_of(row_ptr);
  const auto columns = span_of(col);
  const auto values = detail::values_in(span_of(val));
  using T = std::remove_const_t<typename decltype(values)::element_type>;
  constexpr bool fits = std::constructible_from<std::span<const Offset>, decltype(starts)> &&
                        std::constructible_from<std::span<const Index>, decltype(columns)>;
  static_assert(fits, "csr_view: row pointers are std::int64_t and columns std::int32_t; csr_from() copies others");
  if constexpr (fits) {
    detail::require_shape("csr_view", rows, cols);
    return CsrView<T>{static_cast<Index>(rows), static_cast<Index>(cols), starts, columns, values};
  }
}

}  // namespace ostinato

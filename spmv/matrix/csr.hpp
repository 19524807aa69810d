// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/memory.hpp>

namespace ostinato {

/// A matrix in compressed sparse row (CSR) form. The view doesn't own its arrays: who is given a view may go on using
/// them, so they have to live, unchanged, as long as the operator or analysis that was made from the view, or until the
/// operator's next update_values(). csr_from() copies arrays of other integers (spmv/matrix/csr_from.hpp).
///
/// Shapes    row_ptr: rows + 1.  col, val: row_ptr[rows].  Row i holds the entries row_ptr[i] .. row_ptr[i + 1] - 1.
/// Requires  The arrays outlive the view. Rows may be empty, may be unsorted, and may hold duplicates, which count as
///           their sum. check() tests the other requirements.
template <class T>
struct CsrView {
  Index rows = 0;
  Index cols = 0;
  std::span<const Offset> row_ptr;
  std::span<const Index> col;
  std::span<const T> val;

  Offset nonzeros() const { return static_cast<Offset>(col.size()); }
};

/// A matrix in compressed sparse row (CSR) form in host memory. Every other format is built from CSR.
///
/// Layout    sizeof(T) + 4 bytes per entry and 8 bytes per row.
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

namespace detail {

/// A class whose objects aren't arrays in CSR.
template <class Matrix>
concept ForeignMatrix = !requires(const Matrix& a) {
  a.row_ptr;
};

/// Fails to compile, with a sentence that says how to pass such a matrix.
template <class Matrix>
void explain_matrix() {
  static_assert(!ForeignMatrix<Matrix>,
                "the matrix is no ostinato::Csr or CsrView: csr_from(matrix) makes one of an Eigen::SparseMatrix, "
                "csr_from() and csr_view() of arrays");
}

}  // namespace detail

/// One entry of a matrix under construction.
template <class T>
struct Triplet {
  Index row;
  Index col;
  T val;
};

/// Assembles a matrix: sorts the triplets by row and column, and adds up duplicates in the order of the triplets.
/// `where`, if given, becomes the position in `val` of each triplet: so new values go to the same places without
/// another assembly, val[where[k]] += ..., from zeros on.
///
/// Traffic   Peak memory: a Triplet<T> for each triplet, and the matrix; `where` takes 8 bytes a triplet.
/// Throws    ArgumentError that names the first triplet outside rows x cols.
template <class T>
Csr<T> from_triplets(Index rows, Index cols, std::span<const Triplet<T>> triplets,
                     std::vector<Offset>* where = nullptr);

/// The same for a std::vector or another array of triplets, which tells the type of the values.
template <class Triplets, class T = decltype(Triplets::value_type::val)>
Csr<T> from_triplets(Index rows, Index cols, const Triplets& triplets, std::vector<Offset>* where = nullptr) {
  return from_triplets<T>(rows, cols, std::span<const Triplet<T>>(triplets), where);
}

/// Throws ArgumentError when sizes, row pointers or column indices don't form a valid matrix. The message names the
/// first invalid row.
template <class T>
void check(const CsrView<T>& a);

/// The same for the pattern alone.
void check_pattern(Index rows, Index cols, std::span<const Offset> row_ptr, std::span<const Index> col);

/// The same for the sizes alone, which are known where the arrays are in the memory of a GPU.
template <class T>
void check_sizes(const CsrView<T>& a);

/// True when the columns of each row ascend strictly, so that no row holds duplicates.
/// Requires  Arrays that check() doesn't refuse.
template <class T>
bool is_canonical(const CsrView<T>& a);

/// A tag: the arrays of a view went through check() before, which needn't be done again.
struct Checked {};
inline constexpr Checked checked;

/// The same matrix with the columns of each row ascending and duplicates added up. Parallel over rows.
/// Throws    As check().
template <class T>
Csr<T> canonical(const CsrView<T>& a);
template <class T>
Csr<T> canonical(const CsrView<T>& a, Checked);

/// The transpose, with sorted rows.
/// Throws    As check().
template <class T>
Csr<T> transpose(const CsrView<T>& a);
template <class T>
Csr<T> transpose(const CsrView<T>& a, Checked);

}  // namespace ostinato

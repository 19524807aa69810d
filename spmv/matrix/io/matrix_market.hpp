// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// What the banner and the size line of a Matrix Market file say.
struct MatrixMarketInfo {
  std::string format;    ///< coordinate, array
  std::string field;     ///< real, integer, pattern
  std::string symmetry;  ///< general, symmetric, skew-symmetric, hermitian
  Index rows = 0;
  Index cols = 0;
  Offset stored_entries = 0;  ///< in the file: one triangle of a symmetric matrix
};

/// Reads a matrix from a Matrix Market file.
///
/// Shapes    The whole matrix: the other triangle of a symmetric, skew-symmetric or hermitian file is filled in.
///           Columns ascend in each row. Duplicates are added in the order of the file; explicit zeros stay; patterns
///           are ones. An array gives rows x cols entries, zeros included.
/// Requires  `path` names a plain or gzip file, or is "-" for the standard input. The file doesn't shrink meanwhile.
/// Reads     Any letter case in the banner, LF and CR LF, spaces and tabs, comments and blank lines between lines,
///           values such as .5, 5., +1e3 and Fortran's 1D+3. Values below the smallest denormal become 0.
/// Throws    FormatError naming the first bad line (of the inflated text) and the reason: the same one on every run.
///           A file too short for the entries that it announces is refused before memory is taken for them.
/// Exec      Parallel over pieces of the text (inflation is serial). The matrix has the same bits for every number of
///           threads. Takes at most 3 times the memory of the matrix, plus the text when it was inflated or piped.
/// Limits    Complex values, and rows or columns past 2^31 - 1, are refused. 8 bytes are taken for each row that the
///           size line announces. Symmetric files store the lower triangle, as the standard asks.
/// Source    Boisvert, Pozo & Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996.
template <class T>
Csr<T> read_matrix_market(const std::string& path, MatrixMarketInfo* info = nullptr);

/// Reads a vector: a Matrix Market file, array or coordinate, with one column or one row. Entries that a coordinate
/// file leaves out are 0. Otherwise as read_matrix_market.
///
/// Throws    FormatError, also when the file holds a matrix.
template <class T>
Array<T> read_vector(const std::string& path);

/// Writes a matrix as "coordinate real general", row by row, with the fewest digits that read back as the same number.
///
/// Shapes    The entries of `a` as they stand: unsorted rows stay so, and duplicates are written one by one.
/// Requires  check(a) passes. A `path` that ends in ".gz" is compressed; "-" is the standard output. Each line of
///           `comment` becomes a comment after the banner.
/// Throws    FormatError when the file can't be opened or written, as when the disk is full; what was written stays.
/// Exec      Formats in parallel and writes in order; memory of a few MB.
/// Limits    NaN and infinite values are written as nan and inf, which read_matrix_market refuses.
template <class T>
void write_matrix_market(const std::string& path, const CsrView<T>& a, std::string_view comment = {});

/// Writes a vector as "array real general" with one column. Otherwise as write_matrix_market.
template <class T>
void write_vector(const std::string& path, std::span<const T> x, std::string_view comment = {});

template <class T>
void write_matrix_market(const std::string& path, const Csr<T>& a, std::string_view comment = {}) {
  write_matrix_market(path, a.view(), comment);
}

}  // namespace ostinato

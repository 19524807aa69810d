// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// The contents of the banner and the size line of a Matrix Market file.
struct MatrixMarketInfo {
  std::string format;    ///< coordinate, array
  std::string field;     ///< real, integer, pattern
  std::string symmetry;  ///< general, symmetric, skew-symmetric, hermitian
  Index rows = 0;
  Index cols = 0;
  Offset stored_entries = 0;  ///< entries in the file: one triangle of a symmetric matrix
};

/// Reads a matrix from a Matrix Market file.
///
/// Shapes    The whole matrix: the other triangle of a symmetric, skew-symmetric or hermitian file is filled in.
///           Columns ascend in each row. Duplicates are added in the order of the file. Explicit zeros stay. All values
///           of a pattern are 1. An array gives rows x cols entries, zeros included.
/// Requires  `path` names a plain or gzip file, or is "-" for the standard input. The file doesn't shrink while it is
///           read.
/// Reads     Any letter case in the banner, LF and CR LF, spaces and tabs, comments and blank lines between lines,
///           values such as .5, 5., +1e3 and Fortran's 1D+3. Values below the smallest denormal become 0.
/// Throws    FormatError that names the first bad line (of the inflated text) and the reason. The same file gives the
///           same error on every run. A file too short for the announced number of entries is refused before memory for
///           the entries is allocated.
/// Exec      Parallel over parts of the text (inflation is serial). The matrix has the same bits for every number of
///           threads. Peak memory: at most 3 times the matrix, plus the text when the text was inflated or piped.
/// Limits    Complex values, and rows or columns past 2^31 - 1, are refused. The reader allocates 8 bytes for each
///           announced row. A matrix that can't be in memory (host_memory()) together with the x and y of a product is
///           refused before anything is allocated for it, and so is an inflated or piped text of more than half of the
///           memory. Symmetric files must store the lower triangle, as the standard demands.
/// Source    Boisvert, Pozo & Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996.
template <class T>
Csr<T> read_matrix_market(const std::string& path, MatrixMarketInfo* info = nullptr);

/// Reads a vector from a Matrix Market file, array or coordinate, with one column or one row. Elements that a
/// coordinate file doesn't store are 0. Everything else is as for read_matrix_market().
///
/// Throws    FormatError, also when the file has several rows and several columns.
template <class T>
Array<T> read_vector(const std::string& path);

/// Writes a matrix as "coordinate real general", row by row, with the fewest digits that read back as the same number.
///
/// Shapes    The entries are written in the order in which `a` stores them. Duplicates are written one by one.
/// Requires  check(a) passes. A `path` that ends in ".gz" is compressed; "-" is the standard output. Each line of
///           `comment` becomes a comment after the banner.
/// Throws    FormatError when the file can't be opened or written, for example on a full disk. The part that is already
///           written stays.
/// Exec      Formats in parallel and writes in order. Takes at most 1.8 MB of memory per thread.
/// Limits    NaN and infinite values are written as nan and inf, which read_matrix_market refuses.
template <class T>
void write_matrix_market(const std::string& path, const CsrView<T>& a, std::string_view comment = {});

/// Writes a vector as "array real general" with one column. Everything else is as for write_matrix_market().
template <class T>
void write_vector(const std::string& path, std::span<const T> x, std::string_view comment = {});

template <class T>
void write_matrix_market(const std::string& path, const Csr<T>& a, std::string_view comment = {}) {
  write_matrix_market(path, a.view(), comment);
}

}  // namespace ostinato

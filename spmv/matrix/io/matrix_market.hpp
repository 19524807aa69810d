// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  Offset vanished = 0;        ///< values other than 0 that are too small for T, and so were read as 0
};

/// How far a long work is, for another thread to look at.
struct Progress {
  std::atomic<int> steps{0}, done{0};  ///< 0 steps: their number isn't known yet

  double share() const { return steps > 0 ? static_cast<double>(done) / steps : 0; }
};

/// Reads a matrix from a Matrix Market file.
///
/// Shapes    The whole matrix: the mirror images of the entries of a symmetric, skew-symmetric or hermitian file are
///           filled in, whichever triangle each entry is stored in. Columns ascend in each row. Duplicates are added
///           in the order of the file. Explicit zeros stay. All values of a pattern are 1. An array gives rows x cols
///           entries, zeros included.
/// Requires  `path` names a plain or gzip file, or is "-" for the standard input. The file doesn't shrink while it is
///           read.
/// Reads     Any letter case in the banner, remarks behind it, LF and CR LF, spaces and tabs, comments and blank lines,
///           values such as .5, 5., +1e3 and Fortran's 1D+3. Values below the smallest denormal become 0.
/// Throws    FormatError that names the first bad line (of the inflated text) and the reason. The same file gives the
///           same error on every run. A file too short for the announced number of entries is refused before memory for
///           the entries is allocated.
/// Exec      Parallel over parts of the text (inflation is serial). `progress`, if there is one, counts them. The
///           matrix has the same bits for every number of threads. Peak memory: at most 3 times the matrix, plus the
///           text when the text was inflated or piped.
/// Limits    Complex values, and rows or columns past 2^31 - 1, are refused. The reader allocates 8 bytes for each
///           announced row. A matrix that can't be in memory (host_memory()) together with the x and y of a product is
///           refused before anything is allocated for it, and so is an inflated or piped text of more than half of the
///           memory. An entry and its mirror image may not both be in a symmetric file.
/// Source    Boisvert, Pozo & Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996.
template <class T>
Csr<T> read_matrix_market(const std::string& path, MatrixMarketInfo* info = nullptr, Progress* progress = nullptr);

/// Reads a vector from a Matrix Market file, array or coordinate, with one column or one row; from a NumPy file (.npy)
/// with one dimension, or two of which one is 1; or from a file named .txt with one number a line. Matrix Market and
/// NumPy files are known by what they begin with. Elements that a coordinate file doesn't store are 0. `vanished`, if
/// there is one, counts as MatrixMarketInfo does. Everything else is as for read_matrix_market().
///
/// Throws    FormatError, also when the file has several rows and several columns.
template <class T>
Array<T> read_vector(const std::string& path, Offset* vanished = nullptr);

/// Numbers in rows and columns, all of them stored.
struct Table {
  Index rows = 0, cols = 0;
  std::vector<double> values;  ///< row by row
};

/// Reads a table, such as the coordinates of points, from a Matrix Market file, array or coordinate, or from a NumPy
/// file (.npy) of two dimensions. Elements that a coordinate file doesn't store are 0.
///
/// Throws    FormatError.
Table read_table(const std::string& path);

/// Writes a matrix as "coordinate real general", row by row, with the fewest digits that read back as the same number.
///
/// Shapes    The entries are written in the order in which `a` stores them. Duplicates are written one by one.
/// Requires  A `path` that ends in ".gz" is compressed; "-" is the standard output. Each line of `comment` becomes a
///           comment after the banner.
/// Throws    As check(), before the file is opened; FormatError when the file can't be opened or written, for example
///           on a full disk. A file that was there before then stays as it was, unless it had to be written in place
///           (text.hpp).
/// Exec      Formats in parallel and writes in order. Takes at most 1.8 MB of memory per thread.
/// Limits    NaN and infinite values are written as nan and inf, which read_matrix_market refuses.
template <class T>
void write_matrix_market(const std::string& path, const CsrView<T>& a, std::string_view comment = {});

/// Writes a vector: as "array real general" with one column to a name that ends in .mtx or has no ending, as a NumPy
/// file to .npy, one number a line to .txt; the last two without the comment. Everything else is as for
/// write_matrix_market().
///
/// Throws    FormatError, also for any other ending (check_vector_name() looks at that alone).
template <class T>
void write_vector(const std::string& path, std::span<const T> x, std::string_view comment = {});

/// Writes a table as read_table() reads it: as a NumPy file to a name that ends in .npy, and as "array real general"
/// otherwise. Everything else is as for write_vector().
void write_table(const std::string& path, const Table& table, std::string_view comment = {});

/// Throws    FormatError when write_vector() would refuse the ending of the name.
void check_vector_name(const std::string& path);

template <class T>
void write_matrix_market(const std::string& path, const Csr<T>& a, std::string_view comment = {}) {
  write_matrix_market(path, a.view(), comment);
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>

// Vectors in files that aren't Matrix Market. read_vector() and write_vector() choose the kind.

namespace ostinato::io {

// `vanished` becomes the number of values other than 0 that were read as 0.

enum class VectorFile { matrix_market, numpy, text };

/// The kind of a file to be written, by the ending of its name: .mtx, .npy or .txt, each with or without .gz. A name
/// without an ending, and "-", are Matrix Market.
/// Throws    FormatError for any other ending, naming these.
VectorFile kind_of_name(const std::string& path);

/// The kind of a file that is read: by the contents where they tell, otherwise by the ending .txt.
VectorFile kind_of_contents(const std::string& path, std::string_view text);

/// Reads a NumPy file of one dimension, or of two of which one is 1: floating-point numbers or whole numbers of 1, 2, 4
/// or 8 bytes, in either byte order.
/// Throws    FormatError for anything else, and for a value that isn't finite in T, with its row.
/// Source    numpy.lib.format, versions 1 to 3.
template <class T>
Array<T> read_numpy(const std::string& path, std::string_view file, Offset& vanished);

/// Reads a NumPy file of two dimensions, of the types that read_numpy() takes, stored by row or by column.
/// Throws    FormatError for anything else. Values that aren't finite are read as they are.
Table read_numpy_table(const std::string& path, std::string_view file);

/// Reads one number a line. Blank lines, and lines that begin with # or %, are skipped.
/// Throws    FormatError with the number of a line that is anything else.
template <class T>
Array<T> read_numbers(const std::string& path, std::string_view text, Offset& vanished);

/// What a NumPy file of values of T begins with. `shape` is as NumPy writes it: "(5,)" or "(5, 3)".
template <class T>
std::string numpy_header(const std::string& shape);

}  // namespace ostinato::io

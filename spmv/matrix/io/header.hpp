// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/matrix/io/matrix_market.hpp>

namespace ostinato::io {

enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew };  ///< a hermitian file is symmetric, because values are real

/// The banner and the size line of a Matrix Market file, and where its entries begin.
struct Header {
  bool array = false;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  Index rows = 0;
  Index cols = 0;
  Offset entries = 0;  ///< number of entries stored in the file
  MatrixMarketInfo info;
  std::int64_t line = 0;  ///< number of the size line
  std::string_view body;  ///< the text after the size line
};

/// What a file is read for, which decides what to advise.
enum class Contents { matrix, vector };

/// What to do instead of reading complex values.
std::string complex_advice(Contents contents);

/// Reads the banner and the size line. Throws FormatError when they are invalid, or when the text is too short for the
/// announced number of entries.
Header read_header(const std::string& path, std::string_view text, Contents contents = Contents::matrix);

/// Throws FormatError when the matrix would take more than `memory` bytes: its row pointers, and the entries with which
/// it is assembled.
void require_memory(const std::string& path, const Header& h, std::size_t value_bytes, std::size_t memory);

/// The same for the matrix in CSR with the x and y of a product, without which no matrix is of use.
void require_product_memory(const std::string& path, const Header& h, std::size_t value_bytes, std::size_t memory);

/// The same for the elements of a vector, which its entries leave out where they are 0.
void require_vector_memory(const std::string& path, const Header& h, std::size_t value_bytes, std::size_t memory);

/// Splits a line into words at spaces and tabs.
std::vector<std::string_view> split(std::string_view line);

/// Removes the first line from `text`. Returns the line without its line end.
std::string_view take_line(std::string_view& text);

}  // namespace ostinato::io

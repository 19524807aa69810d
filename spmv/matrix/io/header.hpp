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
enum class Symmetry { general, symmetric, skew };  ///< hermitian is symmetric as long as values are real

/// The banner and the size line of a Matrix Market file, and where its entries begin.
struct Header {
  bool array = false;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  Index rows = 0;
  Index cols = 0;
  Offset entries = 0;  ///< stored in the file
  MatrixMarketInfo info;
  std::int64_t line = 0;  ///< of the size
  std::string_view body;  ///< the text after the size line
};

/// Throws FormatError when the text doesn't begin as a Matrix Market file, or is too short for the entries it
/// announces.
Header read_header(const std::string& path, std::string_view text);

/// The words of a line, which blanks separate.
std::vector<std::string_view> split(std::string_view line);

/// Cuts the first line off `text` and returns it without its end.
std::string_view take_line(std::string_view& text);

}  // namespace ostinato::io

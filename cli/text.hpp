// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/units.hpp>

namespace ostinato::cli {

/// The line width of tables and help texts.
inline constexpr std::size_t line_width = 80;

std::string count_text(std::int64_t n);                      ///< "1,228,045"
std::string counted(std::int64_t n, std::string_view what);  ///< "1 row", "7 rows"

/// Breaks a text at blanks into lines of at most `width` characters. A longer word gets a line of its own.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Returns "a, b, c" for a range whose elements have a name.
template <class List>
std::string names_of(const List& list, std::string names = {}) {
  for (const auto& item : list) names += (names.empty() ? "" : ", ") + std::string(item.name);
  return names;
}

/// Cuts "a, b, c" into its words.
std::vector<std::string> words_of(std::string_view list);

/// A message of the library for people who look at files: "row 5 (counted from 0)" becomes "row 6".
std::string as_in_files(std::string text);

/// The length of the UTF-8 character that begins at `at`; 0 for bytes that aren't one, and for those that XML excludes.
std::size_t character_at(std::string_view text, std::size_t at);

/// A text for a terminal: bytes that aren't readable, such as a file's name may hold, become \xNN.
std::string printable(std::string_view text);

/// Writes a text to stdout or stderr. A failure on stdout is kept for require_printed(); one on stderr is ignored,
/// since nobody is left to be told.
void put(std::FILE* to, std::string_view text);

/// Empties the buffer of stdout.
/// Throws    FormatError when something that was put there couldn't be written, in one call only.
void require_printed();

enum class Colour { bold = 1, red = 31, green = 32, yellow = 33 };

/// Returns the text in a colour if `stream` is a terminal with colours and NO_COLOR isn't set.
std::string coloured(std::FILE* stream, Colour colour, std::string_view text);

}  // namespace ostinato::cli

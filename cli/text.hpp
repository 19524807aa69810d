// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ostinato::cli {

/// Columns that tables and help texts keep to.
inline constexpr std::size_t line_width = 80;

// Numbers as a person reads them: three digits and a unit.
std::string bytes_text(double bytes);                        ///< "1.23 MB", powers of ten
std::string seconds_text(double seconds);                    ///< "3.40 ms"
std::string rate_text(double per_second);                    ///< "21.4 GB/s", of bytes
std::string count_text(std::int64_t n);                      ///< "1,228,045"
std::string counted(std::int64_t n, std::string_view what);  ///< "1 row", "7 rows"

/// Lines of at most `width` characters, broken at blanks; a longer word stands alone.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// "a, b, c", from anything with elements that have a name.
template <class List>
std::string names_of(const List& list, std::string names = {}) {
  for (const auto& item : list) names += (names.empty() ? "" : ", ") + std::string(item.name);
  return names;
}

enum class Colour { bold = 1, red = 31, green = 32, yellow = 33 };

/// The text in a colour where `stream` is a terminal that shows it, and NO_COLOR isn't set.
std::string coloured(std::FILE* stream, Colour colour, std::string_view text);

}  // namespace ostinato::cli

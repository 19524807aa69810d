// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace ostinato::cli {

namespace {

struct Unit {
  double size;
  const char* name;
};

/// Formats a number with three digits: 1.23, 12.3, 123.
std::string three_digits(double x) {
  const double size = std::abs(x);
  return fmt::format("{:.{}f}", x, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

template <std::size_t N>
std::string with_unit(double x, const std::array<Unit, N>& descending) {
  for (const Unit& unit : descending) {
    if (std::abs(x) >= 0.9995 * unit.size) return three_digits(x / unit.size) + " " + unit.name;
  }
  return three_digits(x / descending.back().size) + " " + descending.back().name;
}

bool shows_colours(std::FILE* stream) {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (refused != nullptr && *refused != '\0') return false;
  return isatty(fileno(stream)) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array<Unit, 4> units = {{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
  return bytes < 999.5 ? fmt::format("{:.0f} B", bytes) : with_unit(bytes, units);
}

std::string seconds_text(double seconds) {
  constexpr std::array<Unit, 4> units = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  if (!std::isfinite(seconds)) return "-";
  return seconds == 0 ? "0 s" : seconds >= 999.5 ? fmt::format("{:.0f} s", seconds) : with_unit(seconds, units);
}

std::string rate_text(double per_second) {
  constexpr std::array<Unit, 3> units = {{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}}};
  return std::isfinite(per_second) ? with_unit(per_second, units) : "-";
}

std::string count_text(std::int64_t n) {
  std::string digits = std::to_string(n);
  const std::ptrdiff_t first = n < 0 ? 1 : 0;
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string counted(std::int64_t n, std::string_view what) {
  return count_text(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

namespace {

constexpr std::size_t longest_unit = 4;  ///< "GB/s"; with a comma, "ms,"

/// Finds the last blank at which a line of `width` may end. A number isn't separated from its unit.
std::size_t break_before(std::string_view text, std::size_t width) {
  for (std::size_t at = text.rfind(' ', width); at != std::string_view::npos && at > 0; at = text.rfind(' ', at - 1)) {
    const std::size_t word = std::min(text.find(' ', at + 1), text.size()) - at - 1;
    const bool after_digit = text[at - 1] >= '0' && text[at - 1] <= '9';
    if (!after_digit || word > longest_unit) return at;
  }
  return std::min(text.find(' '), text.size());
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    const std::size_t end = break_before(text, width);
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string coloured(std::FILE* stream, Colour colour, std::string_view text) {
  if (!shows_colours(stream)) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(colour), text);
}

}  // namespace ostinato::cli

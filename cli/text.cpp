// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <ostinato/spmv/base/count_text.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/row_numbers.hpp>

namespace ostinato::cli {

namespace {

bool shows_colours(std::FILE* stream) {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (refused != nullptr && *refused != '\0') return false;
  return isatty(fileno(stream)) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

namespace {

enum class Printed { well, badly, told };

struct StandardOutput {
  Printed printed = Printed::well;
  int error = 0;  ///< errno of the first failure

  void check(bool good) {
    if (good || printed != Printed::well) return;
    printed = Printed::badly;
    error = errno;
  }
};

StandardOutput standard_output;

}  // namespace

void put(std::FILE* to, std::string_view text) {
  errno = 0;
  const bool good = std::fwrite(text.data(), 1, text.size(), to) == text.size();
  if (to == stdout) standard_output.check(good);
}

void require_printed() {
  errno = 0;
  standard_output.check(std::fflush(stdout) == 0 && std::ferror(stdout) == 0);
  if (standard_output.printed != Printed::badly) return;
  standard_output.printed = Printed::told;
  const int error = standard_output.error;
  throw FormatError("standard output", 0,
                    std::string("can't be written") + (error != 0 ? std::string(": ") + std::strerror(error) : ""));
}

std::size_t character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(at);
  if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  unsigned long code = first & (0xFFu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(at + k) & 0xC0u) != 0x80u) return 0;
    code = code << 6 | (byte(at + k) & 0x3Fu);
  }
  const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[length] || surrogate || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF ? 0 : length;
}

namespace {

/// Whether a character moves the cursor, or does something else than being seen: C0, DEL and C1.
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(character[k]); };
  return character.size() == 1 ? byte(0) < 0x20 || byte(0) == 0x7F
                               : character.size() == 2 && byte(0) == 0xC2 && byte(1) < 0xA0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, std::max<std::size_t>(character_at(text, at), 1));
    const bool readable = character_at(text, at) > 0 && !is_control(character);
    for (const char c : character)
      out += readable ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    at += character.size();
  }
  return out;
}

std::string count_text(std::int64_t n) { return ostinato::count_text(n); }

std::string counted(std::int64_t n, std::string_view what) {
  return count_text(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    words.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(list.find_first_not_of(", ", comma), list.size()));
  }
  return words;
}

std::string as_in_files(std::string text) {
  return with_row_numbers(
      std::move(text), [](std::size_t row) { return row; }, RowCount::from_1);
}

namespace {

constexpr std::size_t longest_unit = 4;  ///< "GB/s"; with a comma, "ms,"

/// Finds where a line of at most `width` ends: at the last blank, or, in a list A|B|C that is longer than a line,
/// behind the last '|'. A number isn't separated from its unit.
std::size_t break_before(std::string_view text, std::size_t width) {
  const std::size_t first = std::min(text.find(' '), text.size());
  const std::size_t bar = first > width ? text.rfind('|', width - 1) : std::string_view::npos;
  if (bar != std::string_view::npos && bar > 0) return bar + 1;
  for (std::size_t at = text.rfind(' ', width); at != std::string_view::npos && at > 0; at = text.rfind(' ', at - 1)) {
    const std::size_t word = std::min(text.find(' ', at + 1), text.size()) - at - 1;
    const bool after_digit = text[at - 1] >= '0' && text[at - 1] <= '9';
    if (!after_digit || word > longest_unit) return at;
  }
  return first;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    const std::size_t end = break_before(text, width);
    lines.emplace_back(text.substr(0, end));
    const bool at_blank = end < text.size() && text[end] == ' ';
    text.remove_prefix(end + (at_blank ? 1 : 0));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string coloured(std::FILE* stream, Colour colour, std::string_view text) {
  if (!shows_colours(stream)) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(colour), text);
}

}  // namespace ostinato::cli

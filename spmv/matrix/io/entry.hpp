// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/io/header.hpp>

// The parsers of the inner loops. A parser reads from the text p .. end and returns the position after the parsed text,
// or nullptr when the text doesn't match. A parse_ function that gets nullptr as p returns nullptr. The parsers only
// detect that a line is bad; report() finds out why, because speed doesn't matter there.
namespace ostinato::io {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline const char* skip_blanks(const char* p, const char* end) {
  while (p != end && is_blank(*p)) ++p;
  return p;
}

inline const char* next_line(const char* p, const char* end) {
  const void* found = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  return found != nullptr ? static_cast<const char*>(found) + 1 : end;
}

/// The end of a line: LF, CR LF or the end of the text.
inline const char* parse_end(const char* p, const char* end) {
  if (p == nullptr) return nullptr;
  p = skip_blanks(p, end);
  if (p != end && *p == '\r') ++p;
  if (p == end) return p;
  return *p == '\n' ? p + 1 : nullptr;
}

/// The first character that is neither in a comment nor in a blank line, or `end`.
inline const char* find_data(const char* p, const char* end) {
  for (;;) {
    p = skip_blanks(p, end);
    if (p == end || is_digit(*p)) return p;
    const char* next = *p == '%' ? next_line(p, end) : parse_end(p, end);
    if (next == nullptr) return p;
    p = next;
  }
}

inline const char* parse_gap(const char* p, const char* end) {
  if (p == nullptr || p == end || !is_blank(*p)) return nullptr;
  return skip_blanks(p + 1, end);
}

/// Reads a whole number in 1 .. bound; `index` becomes this number minus 1.
inline const char* parse_index(const char* p, const char* end, Index bound, Index& index) {
  if (p == nullptr) return nullptr;
  constexpr std::ptrdiff_t most_digits = 18;  // so that the number can't overflow unnoticed
  const char* begin = p;
  std::uint64_t n = 0;
  while (p != end && is_digit(*p)) n = 10 * n + static_cast<std::uint64_t>(*p++ - '0');
  if (n - 1 >= static_cast<std::uint64_t>(bound) || p - begin > most_digits) return nullptr;
  index = static_cast<Index>(n - 1);
  return p;
}

/// Rounds a number that std::from_chars reports as out of range: to infinity, 0 or a denormal.
double rounded_double(const char* text, const char* end);
float rounded_float(const char* text, const char* end);

/// The same as std::from_chars, but rounds a number out of range.
template <class T>
std::from_chars_result parse_number(const char* text, const char* end, T& value) {
  const std::from_chars_result parsed = std::from_chars(text, end, value);
  if (parsed.ec == std::errc::result_out_of_range) {
    if constexpr (is_single<T>) {
      value = rounded_float(text, parsed.ptr);
    } else {
      value = rounded_double(text, parsed.ptr);
    }
  }
  return parsed;
}

/// Reads a number whose exponent is written with Fortran's D. `text` begins without '+'; stop points at the D.
template <class T>
const char* parse_fortran(const char* text, const char* stop, const char* end, T& value) {
  char copy[128];  // longer than any double; a number with more leading or trailing zeros is an error
  const auto limit = static_cast<std::ptrdiff_t>(sizeof copy);
  const std::size_t n = static_cast<std::size_t>(end - text < limit ? end - text : limit);
  if (stop - text >= limit) return nullptr;
  std::memcpy(copy, text, n);
  copy[stop - text] = 'e';
  const auto parsed = parse_number(copy, copy + n, value);
  // The number is incomplete when parsing stopped at the D or at the end of a shortened copy.
  const std::ptrdiff_t length = parsed.ptr - copy;
  return length > stop - text && (length < limit || end - text == limit) ? text + length : nullptr;
}

/// Reads a finite number. Underflow gives 0 or a denormal; overflow is an error.
template <class T>
const char* parse_value(const char* p, const char* end, T& value) {
  if (p == nullptr || p == end) return nullptr;
  const char* digits = *p == '+' || *p == '-' ? p + 1 : p;
  if (digits == end || !(is_digit(*digits) || *digits == '.')) return nullptr;  // from_chars would accept nan and inf
  const char* text = *p == '+' ? digits : p;
  const auto parsed = parse_number(text, end, value);
  if (parsed.ec == std::errc::invalid_argument) return nullptr;
  const char* stop = parsed.ptr;
  if (stop != end && (*stop == 'd' || *stop == 'D')) stop = parse_fortran(text, stop, end, value);
  return std::isfinite(value) ? stop : nullptr;
}

/// Reads a value that suits the field in the banner, and the rest of the line, which must be blank.
template <class T>
const char* parse_value_line(const Header& h, const char* p, const char* end, T& value) {
  p = parse_end(parse_value(p, end, value), end);
  if (p != nullptr && h.field == Field::integer && value != std::trunc(value)) return nullptr;
  return p;
}

/// Whether a file of this symmetry may hold the entry: the diagonal of a skew-symmetric matrix is 0.
template <class T>
bool suits_symmetry(const Header& h, const Triplet<T>& e) {
  return h.symmetry != Symmetry::skew || e.row != e.col || e.val == 0;
}

/// Whether the value at the end of a data line, which was read as 0, is another number, too small for the type.
bool has_vanished(const char* line, const char* end);

/// Reads a line "row column value" or, in a pattern, "row column".
template <class T>
const char* parse_entry(const Header& h, const char* p, const char* end, Triplet<T>& entry) {
  p = parse_gap(parse_index(p, end, h.rows, entry.row), end);
  p = parse_index(p, end, h.cols, entry.col);
  if (p == nullptr) return nullptr;
  if (h.field == Field::pattern) {
    entry.val = T{1};
    return parse_end(p, end);
  }
  p = parse_value_line(h, parse_gap(p, end), end, entry.val);
  return p != nullptr && suits_symmetry(h, entry) ? p : nullptr;
}

/// Throws FormatError for the first bad line of the file.
///
/// The parallel passes only detect that some line is bad. This function reads the file from the beginning to find the
/// first bad line.
/// Requires  Some line is bad, or the file has more or fewer entries than it announces.
template <class T>
[[noreturn]] void report(const std::string& path, const Header& h);

/// Throws FormatError when a symmetric file holds an entry and its mirror image, naming both lines.
///
/// Exec      Reads the text again, line by line. Takes 24 bytes an entry.
/// Requires  The places of all entries can be read.
void require_no_mirror_images(const std::string& path, const Header& h);

}  // namespace ostinato::io

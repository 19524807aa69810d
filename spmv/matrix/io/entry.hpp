// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ostinato/spmv/matrix/io/header.hpp>

// The parsers of the inner loops. Each takes the text p .. end and returns the place behind what it read, or nullptr
// when that isn't there; nullptr as p passes through. They say only that a line is bad: explain() says why, off the
// fast path.
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

/// A whole number in 1 .. bound; `index` becomes one less.
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

/// What a number that std::from_chars finds too large or too small rounds to: infinity, 0 or a denormal.
double rounded_double(const char* text, const char* end);
float rounded_float(const char* text, const char* end);

/// As std::from_chars, but a number out of range is rounded.
template <class T>
std::from_chars_result parse_number(const char* text, const char* end, T& value) {
  const std::from_chars_result parsed = std::from_chars(text, end, value);
  if (parsed.ec == std::errc::result_out_of_range) {
    if constexpr (sizeof(T) == sizeof(float)) {
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
  char copy[128];  // the longest double has fewer characters; leading or trailing zeros beyond that are an error
  const auto limit = static_cast<std::ptrdiff_t>(sizeof copy);
  const std::size_t n = static_cast<std::size_t>(end - text < limit ? end - text : limit);
  if (stop - text >= limit) return nullptr;
  std::memcpy(copy, text, n);
  copy[stop - text] = 'e';
  const auto parsed = parse_number(copy, copy + n, value);
  // Not going past the D, or reaching the end of the copy, means that the number isn't all there.
  const std::ptrdiff_t length = parsed.ptr - copy;
  return length > stop - text && (length < limit || end - text == limit) ? text + length : nullptr;
}

/// A finite number. Underflow gives 0 or a denormal; overflow is an error.
template <class T>
const char* parse_value(const char* p, const char* end, T& value) {
  if (p == nullptr || p == end) return nullptr;
  const char* digits = *p == '+' || *p == '-' ? p + 1 : p;
  if (digits == end || !(is_digit(*digits) || *digits == '.')) return nullptr;  // from_chars would take nan and inf
  const char* text = *p == '+' ? digits : p;
  const auto parsed = parse_number(text, end, value);
  if (parsed.ec == std::errc::invalid_argument) return nullptr;
  const char* stop = parsed.ptr;
  if (stop != end && (*stop == 'd' || *stop == 'D')) stop = parse_fortran(text, stop, end, value);
  return std::isfinite(value) ? stop : nullptr;
}

/// The value of an entry as the banner's field wants it; the whole rest of the line.
template <class T>
const char* parse_value_line(const Header& h, const char* p, const char* end, T& value) {
  p = parse_end(parse_value(p, end, value), end);
  if (p != nullptr && h.field == Field::integer && value != std::trunc(value)) return nullptr;
  return p;
}

/// True when a file of this symmetry stores this place.
inline bool is_stored(const Header& h, Index row, Index col) {
  return h.symmetry == Symmetry::general || row > col || (row == col && h.symmetry == Symmetry::symmetric);
}

/// A line "row column value" or, in a pattern, "row column".
template <class T>
const char* parse_entry(const Header& h, const char* p, const char* end, Triplet<T>& entry) {
  p = parse_gap(parse_index(p, end, h.rows, entry.row), end);
  p = parse_index(p, end, h.cols, entry.col);
  if (p == nullptr || !is_stored(h, entry.row, entry.col)) return nullptr;
  if (h.field != Field::pattern) return parse_value_line(h, parse_gap(p, end), end, entry.val);
  entry.val = T{1};
  return parse_end(p, end);
}

/// Throws FormatError at the first bad line of the file, in the order of the file.
///
/// The parallel passes know only that some line is bad; this one reads from the beginning to say which is the first.
/// Requires  Some line is bad, or the file has more or fewer entries than it announces.
template <class T>
[[noreturn]] void report(const std::string& path, const Header& h);

}  // namespace ostinato::io

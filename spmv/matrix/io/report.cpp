// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <ostinato/spmv/matrix/io/entry.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato::io {
namespace {

std::string place(std::string_view row, std::string_view col) {
  return "entry (" + std::string(row) + ", " + std::string(col) + ")";
}

/// Says why `word` isn't an index in 1 .. bound.
std::string explain_index(const char* what, std::string_view word, Index bound) {
  const std::string name = std::string(what) + " " + quote(word);
  const bool negative = word.size() > 1 && word[0] == '-';
  if (!std::all_of(word.begin() + (negative ? 1 : 0), word.end(), is_digit)) return name + " isn't a whole number";
  if (negative) return name + " is negative";
  if (word.find_first_not_of('0') == std::string_view::npos) return name + ": indices count from 1";
  return name + " lies outside the " + std::to_string(bound) + " " + what + "s";
}

template <class T>
std::string explain_value(const Header& h, std::string_view word) {
  const std::string name = "value " + quote(word);
  T value{};
  const char* const end = word.data() + word.size();
  if (parse_value(word.data(), end, value) == end) return name + " isn't whole, but the banner says " + h.info.field;
  const std::string_view digits = word.substr(std::min<std::size_t>(word.find_first_not_of("+-"), 1));
  const std::string_view start = digits.substr(0, 3);
  if (start.size() == 3 && (start[0] | 32) == 'n' && (start[1] | 32) == 'a') return name + " isn't a finite number";
  if (start.size() == 3 && (start[0] | 32) == 'i' && (start[1] | 32) == 'n') return name + " isn't a finite number";
  if (!std::isfinite(value)) {
    return name + " is too large for " + (sizeof(T) == sizeof(float) ? "single" : "double") + " precision";
  }
  return name + " isn't a number";
}

template <class T>
bool is_value(const Header& h, std::string_view word) {
  T value{};
  return parse_value_line(h, word.data(), word.data() + word.size(), value) != nullptr;
}

std::string explain_place(const Header& h, std::string_view row, std::string_view col) {
  if (row == col) return place(row, col) + ": a skew-symmetric matrix has no diagonal to store";
  return place(row, col) + " lies above the diagonal, but a " + h.info.symmetry +
         " file stores the lower triangle only: either the triangle is the wrong one, or entries are stored twice and "
         "the banner has to say general";
}

/// Says why `line` isn't an entry.
template <class T>
std::string explain_entry(const Header& h, std::string_view line) {
  const std::vector<std::string_view> words = split(line);
  const std::size_t wanted = h.field == Field::pattern ? 2 : 3;
  if (words.size() < wanted) {
    return "an entry reads " + std::string(wanted == 2 ? "'row column'" : "'row column value'") +
           ", but the line reads " + quote(line);
  }
  const auto is_index = [](std::string_view word, Index bound) {
    Index index = 0;
    const char* const end = word.data() + word.size();
    return parse_index(word.data(), end, bound, index) == end;
  };
  if (!is_index(words[0], h.rows)) return explain_index("row", words[0], h.rows);
  if (!is_index(words[1], h.cols)) return explain_index("column", words[1], h.cols);
  Triplet<T> e{};
  parse_index(words[0].data(), words[0].data() + words[0].size(), h.rows, e.row);
  parse_index(words[1].data(), words[1].data() + words[1].size(), h.cols, e.col);
  if (!is_stored(h, e.row, e.col)) return explain_place(h, words[0], words[1]);
  if (wanted == 3 && !is_value<T>(h, words[2])) return explain_value<T>(h, words[2]);
  if (words.size() > wanted) return quote(words[wanted]) + " follows the entry";
  return "can't be read: " + quote(line);
}

template <class T>
std::string explain_element(const Header& h, std::string_view line) {
  const std::vector<std::string_view> words = split(line);
  if (!is_value<T>(h, words[0])) return explain_value<T>(h, words[0]);
  if (words.size() > 1) return quote(words[1]) + " follows the value; an array has one value in each line";
  return "can't be read: " + quote(line);
}

template <class T>
bool is_good(const Header& h, const char* p, const char* end) {
  Triplet<T> e{};
  return (h.array ? parse_value_line(h, p, end, e.val) : parse_entry(h, p, end, e)) != nullptr;
}

}  // namespace

template <class T>
void report(const std::string& path, const Header& h) {
  std::string_view text = h.body;
  std::int64_t number = h.line;
  Offset entries = 0;
  while (!text.empty()) {
    const char* const begin = text.data();
    const std::string_view line = take_line(text);
    ++number;
    const char* const first = skip_blanks(line.data(), line.data() + line.size());
    if (first == line.data() + line.size() || *first == '%') continue;
    if (entries++ == h.entries) {
      throw FormatError(
          path, number,
          "more entries than the " + std::to_string(h.entries) + " announced in line " + std::to_string(h.line));
    }
    if (!is_good<T>(h, first, begin + (text.data() - begin))) {
      throw FormatError(path, number, h.array ? explain_element<T>(h, line) : explain_entry<T>(h, line));
    }
  }
  if (entries < h.entries) {
    throw FormatError(path, number,
                      "the file ends after " + std::to_string(entries) + " of the " + std::to_string(h.entries) +
                          " entries announced in line " + std::to_string(h.line));
  }
  throw FormatError(path, 0, "changed while it was being read");
}

template void report<float>(const std::string&, const Header&);
template void report<double>(const std::string&, const Header&);

}  // namespace ostinato::io

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <tuple>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/io/entry.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/space/list.hpp>

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
    return name + " is too large for " + (is_single<T> ? "single" : "double") + " precision";
  }
  return name + " isn't a number";
}

template <class T>
bool is_value(const Header& h, std::string_view word) {
  T value{};
  return parse_value_line(h, word.data(), word.data() + word.size(), value) != nullptr;
}

/// Says why `line`, whose indices are good, isn't an entry with a value.
template <class T>
std::string explain_valued(const Header& h, const std::vector<std::string_view>& words, const Triplet<T>& e) {
  if (!is_value<T>(h, words[2])) return explain_value<T>(h, words[2]);
  if (words.size() > 3) return quote(words[3]) + " follows the entry";
  if (h.symmetry == Symmetry::skew && e.row == e.col)
    return place(words[0], words[1]) + ": the diagonal of a skew-symmetric matrix is 0, and this value is " +
           quote(words[2]);
  return {};
}

/// Says why `line`, whose indices are good, isn't an entry of a pattern.
std::string explain_place_alone(const Header& h, const std::vector<std::string_view>& words) {
  if (words.size() == 2) return {};
  Header valued = h;
  valued.field = Field::real;
  if (!is_value<double>(valued, words[2])) return quote(words[2]) + " follows the entry";
  return "the banner says pattern, but the line has the value " + quote(words[2]) +
         "; let the banner say real or integer, or leave the values out";
}

/// Says why `line` isn't an entry.
template <class T>
std::string explain_entry(const Header& h, std::string_view line) {
  const std::vector<std::string_view> words = split(line);
  const bool is_pattern = h.field == Field::pattern;
  const auto is_index = [](std::string_view word, Index bound, Index& index) {
    const char* const end = word.data() + word.size();
    return parse_index(word.data(), end, bound, index) == end;
  };
  Triplet<T> e{};
  if (words.size() >= 2 && !is_index(words[0], h.rows, e.row)) return explain_index("row", words[0], h.rows);
  if (words.size() >= 2 && !is_index(words[1], h.cols, e.col)) return explain_index("column", words[1], h.cols);
  if (words.size() < (is_pattern ? 2 : 3)) {
    return std::string("an entry reads ") + (is_pattern ? "'row column'" : "'row column value'") +
           ", but the line reads " + quote(line, line.size()) +
           (words.size() == 2 ? "; without values the banner has to say pattern" : "");
  }
  if (!is_pattern) parse_value_line(h, words[2].data(), words[2].data() + words[2].size(), e.val);
  const std::string reason = is_pattern ? explain_place_alone(h, words) : explain_valued(h, words, e);
  return reason.empty() ? "can't be read: " + quote(line) : reason;
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

namespace {

/// An entry beside the diagonal, as it would stand in the lower triangle.
struct Mirrored {
  Index row = 0, col = 0;
  std::int64_t line = 0;
  bool upper = false;

  bool operator<(const Mirrored& other) const {
    return std::tie(row, col, line) < std::tie(other.row, other.col, other.line);
  }
  bool is_at(const Mirrored& other) const { return row == other.row && col == other.col; }
  std::string text() const {
    const std::string r = std::to_string(row + 1), c = std::to_string(col + 1);
    return upper ? place(c, r) : place(r, c);
  }
};

/// The entries beside the diagonal, sorted by place.
std::vector<Mirrored> entries_by_place(const Header& h) {
  std::vector<Mirrored> all;
  std::string_view text = h.body;
  for (std::int64_t number = h.line + 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    const char* const end = line.data() + line.size();
    Index row = 0, col = 0;
    const char* const first = skip_blanks(line.data(), end);
    if (parse_index(parse_gap(parse_index(first, end, h.rows, row), end), end, h.cols, col) == nullptr || row == col)
      continue;
    all.push_back({std::max(row, col), std::min(row, col), number, row < col});
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

void require_no_mirror_images(const std::string& path, const Header& h) {
  const std::vector<Mirrored> all = entries_by_place(h);
  const Mirrored* first = nullptr;  // the first line that repeats an earlier one, and that one
  const Mirrored* second = nullptr;
  for (std::size_t k = 1, begin = 0; k < all.size(); ++k) {
    if (!all[k].is_at(all[begin])) begin = k;
    const bool is_image = all[k].upper != all[begin].upper;
    if (!is_image || (second != nullptr && second->line < all[k].line)) continue;
    first = &all[begin];
    second = &all[k];
  }
  if (second == nullptr) return;
  throw FormatError(
      path, second->line,
      second->text() + " is the mirror image of " + first->text() + " in line " + std::to_string(first->line) +
          ", but a " + h.info.symmetry +
          " file stores one of the two; leave one out, or let the banner say general where the file holds "
          "both triangles");
}

#define OSTINATO_INSTANTIATE(T) template void report<T>(const std::string&, const Header&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::io

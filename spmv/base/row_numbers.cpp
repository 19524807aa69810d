// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/row_numbers.hpp>

#include <string_view>
#include <vector>

namespace ostinato {

namespace {

constexpr std::string_view mark = " (counted from 0)", to = " to ", comma = ", ";
constexpr std::string_view digits = "0123456789";

/// Where the number that ends before `end` begins; `end` where there is none.
std::size_t number_before(std::string_view text, std::size_t end) {
  return text.substr(0, end).find_last_not_of(digits) + 1;
}

std::size_t value_of(std::string_view number) { return static_cast<std::size_t>(std::stoull(std::string(number))); }

/// Rows that a message names, and where.
struct Named {
  std::size_t begin;
  std::vector<std::size_t> rows;  ///< the last first
};

/// The rows named before `end`: a number, "5 to 7", or numbers with commas.
Named named_before(std::string_view text, std::size_t end) {
  Named named{number_before(text, end), {}};
  if (named.begin == end) return named;
  named.rows.push_back(value_of(text.substr(named.begin, end - named.begin)));
  for (;;) {
    const std::string_view before = text.substr(0, named.begin);
    const bool is_range = before.ends_with(to);
    if (!is_range && !before.ends_with(comma)) return named;
    const std::size_t end_of_first = named.begin - (is_range ? to : comma).size();
    const std::size_t begin = number_before(text, end_of_first);
    if (begin == end_of_first) return named;
    const std::size_t first = value_of(text.substr(begin, end_of_first - begin));
    for (std::size_t row = named.rows.back(); is_range && row > first + 1;) named.rows.push_back(--row);
    named.rows.push_back(first);
    named.begin = begin;
  }
}

std::string text_of(const std::vector<std::size_t>& rows) {
  bool is_range = rows.size() > 1;
  for (std::size_t k = 1; k < rows.size(); ++k) is_range = is_range && rows[k] == rows[k - 1] + 1;
  if (is_range) return std::to_string(rows.front()).append(to) + std::to_string(rows.back());
  std::string text;
  for (const std::size_t row : rows) text.append(text.empty() ? "" : comma) += std::to_string(row);
  return text;
}

}  // namespace

std::string with_row_numbers(std::string text, const std::function<std::size_t(std::size_t)>& number, RowCount count) {
  const bool from_1 = count == RowCount::from_1;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    const Named named = named_before(text, at);
    if (named.rows.empty()) {
      at += mark.size();
      continue;
    }
    std::vector<std::size_t> rows;
    for (auto row = named.rows.rbegin(); row != named.rows.rend(); ++row)
      rows.push_back(number(*row) + (from_1 ? 1 : 0));
    const std::string words = text_of(rows);
    text.replace(named.begin, at + (from_1 ? mark.size() : 0) - named.begin, words);
    at = named.begin + words.size() + (from_1 ? 0 : mark.size());
  }
  return text;
}

}  // namespace ostinato

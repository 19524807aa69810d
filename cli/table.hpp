// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ostinato::cli {

/// Labels on the left, values on the right, long values wrapped under themselves.
class Facts {
 public:
  void row(std::string_view label, std::string value) { rows_.push_back({std::string(label), std::move(value)}); }
  void more(std::string value) { row("", std::move(value)); }  ///< one more line under the last label
  void gap() { row("", ""); }
  void print(std::FILE* to) const;

 private:
  struct Row {
    std::string label, value;
  };
  std::vector<Row> rows_;
};

/// Columns with headings. The first is set to the left, numbers to the right, and the last, to the left, is wrapped
/// where the line ends.
class Grid {
 public:
  explicit Grid(std::vector<std::string> headings) : rows_{std::move(headings)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print(std::FILE* to) const;

 private:
  std::vector<std::size_t> widths() const;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ostinato::cli

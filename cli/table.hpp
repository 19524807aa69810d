// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ostinato::cli {

/// A table of labels on the left and values on the right. Long values are wrapped within their column.
class Facts {
 public:
  void row(std::string_view label, std::string value) { rows_.push_back({std::string(label), std::move(value)}); }
  void more(std::string value) { row("", std::move(value)); }  ///< one more line under the last label
  void gap() { row("", ""); }
  void print(std::FILE* to) const;

  struct Row {
    std::string label, value;
  };
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

/// Columns with headings. The first column is aligned left, columns of numbers right. The last column is aligned left
/// and wrapped at the end of the line.
class Grid {
 public:
  explicit Grid(std::vector<std::string> headings) : rows_{std::move(headings)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print(std::FILE* to) const;

  const std::vector<std::vector<std::string>>& rows() const { return rows_; }  ///< the headings first

 private:
  std::vector<std::size_t> widths() const;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ostinato::cli

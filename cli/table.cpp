// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"

namespace ostinato::cli {

void Facts::print(std::FILE* to) const {
  std::size_t width = 0;
  for (const Row& r : rows_) width = std::max(width, r.label.size());
  for (const Row& r : rows_) {
    std::string label = r.label;
    for (const std::string& line : wrap(printable(r.value), line_width - width - 2)) {
      put(to, (line.empty() ? label : fmt::format("{:<{}}  {}", label, width, line)) + "\n");
      label.clear();
    }
  }
}

std::vector<std::size_t> Grid::widths() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  return widths;
}

void Grid::print(std::FILE* to) const {
  const std::vector<std::size_t> width = widths();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::vector<std::string>& row = rows_[i];
    std::string line = fmt::format("{:<{}}", row[0], width[0]);
    for (std::size_t k = 1; k + 1 < row.size(); ++k) line += fmt::format("  {:>{}}", row[k], width[k]);
    line += "  ";
    const std::size_t indent = line.size();
    for (const std::string& part :
         wrap(row.back(), std::max<std::size_t>(line_width - std::min(line_width, indent), 20))) {
      line += part;
      line.erase(line.find_last_not_of(' ') + 1);
      put(to, (i == 0 ? coloured(to, Colour::bold, line) : line) + "\n");
      line.assign(indent, ' ');
    }
  }
}

}  // namespace ostinato::cli

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "spy.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "../text.hpp"

namespace ostinato::cli::html {

namespace {

constexpr int shades = 4;
constexpr double top = 22, left = 64, side = 320;  // pixels

/// The shade of a cell, 1 to 4, on a logarithmic scale up to the fullest cell.
int shade_of(std::int64_t count, std::int64_t most) {
  if (most <= 1) return shades;
  const double share = std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
  return std::clamp(1 + static_cast<int>(share * shades), 1, shades);
}

/// One path for each shade. Cells of a shade that lie side by side become one rectangle.
std::array<std::string, shades + 1> paths_of(const Density& d, double pixel) {
  std::array<std::string, shades + 1> paths;
  const std::int64_t most = d.count.empty() ? 0 : *std::max_element(d.count.begin(), d.count.end());
  for (Index i = 0; i < d.cell_rows; ++i) {
    const std::int64_t* const row = d.count.data() + Offset{i} * d.cell_cols;
    const auto shade = [&](Index j) { return row[j] == 0 ? 0 : shade_of(row[j], most); };
    for (Index j = 0, next = 0; j < d.cell_cols; j = next) {
      next = j + 1;
      while (next < d.cell_cols && shade(next) == shade(j)) ++next;
      if (shade(j) == 0) continue;
      paths[static_cast<std::size_t>(shade(j))] +=
          fmt::format("M{:.5g} {:.5g}h{:.5g}v{:.4g}h-{:.5g}z", left + pixel * j, top + pixel * i, pixel * (next - j),
                      pixel, pixel * (next - j));
    }
  }
  return paths;
}

}  // namespace

Drawing draw_spy(const Density& d) {
  const Index cells = std::max<Index>(1, std::max(d.cell_rows, d.cell_cols));
  const double pixel = side / cells, width = pixel * d.cell_cols, height = pixel * d.cell_rows;
  Drawing drawing(left + std::max(width, 60.0) + 40, top + height + 12, "spy",
                  "pattern of a matrix of " + count_text(d.rows) + " rows and " + count_text(d.cols) + " columns");
  const auto paths = paths_of(d, pixel);
  for (std::size_t k = 1; k < paths.size(); ++k) {
    if (!paths[k].empty()) drawing.path(paths[k], fmt::format("d{}", k));
  }
  drawing.rectangle({left, top}, width, height, "frame");
  drawing.text({left, top - 7}, Anchor::start, "1", "soft");
  drawing.text({left + std::max(width, 60.0), top - 7}, Anchor::end, count_text(d.cols), "soft");
  drawing.text({left - 8, top + 10}, Anchor::end, "1", "soft");
  drawing.text({left - 8, top + std::max(height, 24.0)}, Anchor::end, count_text(d.rows), "soft");
  return drawing;
}

std::string spy_caption(const Density& d) {
  const std::string entries = d.entries == 1 ? "1 entry" : count_text(d.entries) + " entries";
  if (d.cell_size == 1) return "Pattern: " + entries + ", each a cell.";
  const auto filled = std::count_if(d.count.begin(), d.count.end(), [](std::int64_t n) { return n > 0; });
  return fmt::format(
      "Pattern: {} in cells of {} x {} places, {} of {} cells filled; the stronger the colour, the more.", entries,
      count_text(d.cell_size), count_text(d.cell_size), count_text(filled),
      count_text(static_cast<std::int64_t>(d.count.size())));
}

}  // namespace ostinato::cli::html

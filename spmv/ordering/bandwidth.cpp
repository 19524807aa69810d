// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/bandwidth.hpp>

#include <algorithm>
#include <vector>

namespace ostinato {

Bandwidth bandwidth_of(std::span<const Offset> row_ptr, std::span<const Index> col) {
  Bandwidth band;
  for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
    if (row_ptr[i] == row_ptr[i + 1]) continue;
    const auto row = static_cast<Index>(i);
    band.lower = std::max(band.lower, row - col[static_cast<std::size_t>(row_ptr[i])]);
    band.upper = std::max(band.upper, col[static_cast<std::size_t>(row_ptr[i + 1]) - 1] - row);
  }
  return band;
}

Index bandwidth_of(const Graph& g, std::span<const Index> order) {
  std::vector<Index> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  Index farthest = 0;
  for (std::size_t i = 0; i < g.nodes(); ++i) {
    for (auto k = static_cast<std::size_t>(g.row_ptr[i]); k < static_cast<std::size_t>(g.row_ptr[i + 1]); ++k)
      farthest = std::max(farthest, place[i] - place[static_cast<std::size_t>(g.col[k])]);
  }
  return farthest;
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/colouring.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ostinato {

std::vector<Index> colours(const Graph& g) {
  constexpr Index none = -1;
  const std::size_t n = g.nodes();
  std::vector<Index> colour(n, none), taken_for;  // the node that a colour was last found taken for
  for (std::size_t i = 0; i < n; ++i) {
    const auto node = static_cast<Index>(i);
    for (auto k = static_cast<std::size_t>(g.row_ptr[i]); k < static_cast<std::size_t>(g.row_ptr[i + 1]); ++k) {
      const Index c = colour[static_cast<std::size_t>(g.col[k])];
      if (c != none) taken_for[static_cast<std::size_t>(c)] = node;
    }
    const auto free = std::find_if(taken_for.begin(), taken_for.end(), [node](Index t) { return t != node; });
    colour[i] = static_cast<Index>(free - taken_for.begin());
    if (free == taken_for.end()) taken_for.push_back(none);
  }
  return colour;
}

std::vector<Index> order_by_colour(const Graph& g) {
  const std::vector<Index> colour = colours(g);
  std::vector<Index> order(colour.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
    return colour[static_cast<std::size_t>(i)] < colour[static_cast<std::size_t>(j)];
  });
  return order;
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/colouring.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>

#include "support/matrices.hpp"

namespace ostinato::test {
namespace {

Graph graph_of(const Csr<double>& a) { return symmetric_graph(a.row_ptr, a.col); }

TEST(Colouring, GivesNeighboursDifferentColours) {
  for (const Index n : {0, 1, 31, 597}) {
    const Graph g = graph_of(scattered<double>(n, n, 5, true, 3));
    const auto colour = colours(g);
    Index largest = 0;
    for (std::size_t i = 0; i < g.nodes(); ++i) {
      largest = std::max(largest, g.degree(i));
      for (auto k = static_cast<std::size_t>(g.row_ptr[i]); k < static_cast<std::size_t>(g.row_ptr[i + 1]); ++k)
        EXPECT_NE(colour[i], colour[static_cast<std::size_t>(g.col[k])]);
    }
    for (const Index c : colour) EXPECT_LE(c, largest);
  }
}

TEST(Colouring, TakesTwoColoursForAStar) {
  for (const char* family : {"poisson2d", "poisson3d"}) {
    const auto colour = colours(graph_of(generate<double>(family, {.n = 11})));
    EXPECT_EQ(*std::max_element(colour.begin(), colour.end()), 1) << family;
  }
}

TEST(Colouring, OrdersByColour) {
  const Graph g = graph_of(scattered<double>(300, 300, 5, true, 4));
  const auto colour = colours(g);
  const auto order = order_by_colour(g);
  std::vector<bool> seen(300);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto i = static_cast<std::size_t>(order[k]);
    EXPECT_FALSE(seen[i]);
    seen[i] = true;
    if (k == 0) continue;
    const auto before = static_cast<std::size_t>(order[k - 1]);
    EXPECT_TRUE(colour[before] < colour[i] || (colour[before] == colour[i] && before < i));
  }
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/ordering/graph_parts.hpp>

namespace ostinato::test {
namespace {

Graph graph_of(const char* family, Index n) {
  const Csr<double> a = generate<double>(family, {.n = n});
  return symmetric_graph(a.row_ptr, a.col);
}

TEST(GraphParts, AreEvenWithFewEdgesAcross) {
  if (!has_graph_parts) GTEST_SKIP() << "this build has no METIS";
  const Graph g = graph_of("mesh2d", 50);
  for (const int parts : {1, 2, 3, 7}) {
    const std::vector<Index> part = graph_parts(g, parts);
    ASSERT_EQ(part.size(), g.nodes());
    std::vector<double> work(static_cast<std::size_t>(parts), 0);
    std::size_t cut = 0;
    for (std::size_t i = 0; i < g.nodes(); ++i) {
      ASSERT_TRUE(part[i] >= 0 && part[i] < parts);
      work[static_cast<std::size_t>(part[i])] += 11 + g.degree(i);
      for (auto k = static_cast<std::size_t>(g.row_ptr[i]); k < static_cast<std::size_t>(g.row_ptr[i + 1]); ++k)
        cut += part[static_cast<std::size_t>(g.col[k])] != part[i];
    }
    double all = 0, most = 0;
    for (const double w : work) all += w, most = std::max(most, w);
    EXPECT_LT(most * parts, 1.06 * all);
    EXPECT_LT(cut, g.col.size() / 5);
    EXPECT_EQ(graph_parts(g, parts), part) << "another run";
  }
}

TEST(GraphParts, OfGraphsWithoutEdgesOrNodes) {
  if (!has_graph_parts) GTEST_SKIP() << "this build has no METIS";
  EXPECT_TRUE(graph_parts(Graph{{0}, {}}, 3).empty());
  for (const Index part : graph_parts(Graph{{0, 0, 0, 0, 0}, {}}, 2)) EXPECT_TRUE(part == 0 || part == 1);
}

TEST(GraphParts, WithoutMetisSaySo) {
  if (has_graph_parts) GTEST_SKIP() << "this build has METIS";
  EXPECT_THROW(graph_parts(graph_of("poisson2d", 3), 2), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test

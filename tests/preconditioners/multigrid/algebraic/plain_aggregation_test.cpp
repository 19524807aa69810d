// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/plain_aggregation.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/aggregation.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "support/spaces.hpp"
#include "support/systems.hpp"

namespace ostinato::test {
namespace {

using algebraic::Points;

constexpr double threshold = 0.15;

template <class Case>
class PlainAggregationOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using Home = typename Case::Space;

  std::vector<Index> aggregates(const SpaceCsr<Home, Value>& a, const Points& points) const {
    return algebraic::aggregate(this->space(), a, points, 1, threshold, algebraic::Coupling::opposite)
        .aggregate.download();
  }
};

TYPED_TEST_SUITE(PlainAggregationOn, EverySpace, SpaceNames);

/// Each unknown of a point is in the group of the point's aggregate that is for this unknown, on all levels.
TYPED_TEST(PlainAggregationOn, TakesTheAggregatesOfThePoints) {
  using T = typename TypeParam::T;
  for (const Index n : {1, 31, 33, 597}) {
    for (const int unknowns : {1, 3}) {
      for (const bool by_field : {false, true}) {
        const Csr<T> of_points = graph_laplacian<T>(n, 2, 2, 0.1, 3);
        SpaceCsr<typename TypeParam::Space, T> a(
            this->space(), unknowns == 1 ? Csr<T>(of_points) : with_unknowns(of_points, unknowns, by_field, 0.25));
        Points points{n, unknowns, by_field};
        algebraic::PlainAggregation<typename TypeParam::Space, T> aggregation(this->space(), points, 1, threshold);
        int levels = 0;
        while (const auto next = aggregation.next(a)) {
          const std::vector<Index> aggregate = this->aggregates(a, points), of = next->groups.of.download();
          ASSERT_EQ(of.size(), static_cast<std::size_t>(points.rows()));
          for (std::size_t i = 0; i < of.size(); ++i) {
            const auto row = static_cast<Index>(i);
            const Index g = aggregate[static_cast<std::size_t>(points.point_of(row))];
            EXPECT_EQ(of[i], g < 0 ? -1 : g * unknowns + points.unknown_of(row));
          }
          EXPECT_EQ(next->a.view().rows, next->groups.count);
          EXPECT_LT(next->groups.count, a.view().rows);
          points = {next->groups.count / unknowns, unknowns, false};
          a = next->a;
          ++levels;
        }
        EXPECT_GE(levels, n > 1 ? 1 : 0);
      }
    }
  }
}

TYPED_TEST(PlainAggregationOn, EndsWhereNothingIsCoupled) {
  using T = typename TypeParam::T;
  const SpaceCsr<typename TypeParam::Space, T> a(this->space(), diagonal_matrix<T>(std::vector<T>(40, 2)));
  algebraic::PlainAggregation<typename TypeParam::Space, T> aggregation(this->space(), {40}, 1, threshold);
  EXPECT_FALSE(aggregation.next(a));
}

}  // namespace
}  // namespace ostinato::test

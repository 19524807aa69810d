// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/groups_steps.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "spmv/algebra/algebra_cases.hpp"
#include "support/lanes.hpp"
#include "support/spaces.hpp"
#include "support/systems.hpp"

namespace ostinato::test {
namespace {

/// A random group for each row; about one row in `none` is in no group.
std::vector<Index> random_groups(Index rows, Index count, Index none, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> of(static_cast<std::size_t>(rows));
  for (Index& g : of) g = none > 0 && below(random, none) == 0 ? -1 : below(random, count);
  return of;
}

template <class Space>
algebraic::Groups<Space> groups_on(const Space& space, const std::vector<Index>& of, Index count) {
  return algebraic::groups_of(space, Vector<Space, Index>(space, std::span<const Index>(of)), count);
}

template <class Case>
class GroupsOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using Home = typename Case::Space;

  algebraic::Groups<Home> groups(const std::vector<Index>& of, Index count) const {
    return groups_on(this->space(), of, count);
  }

  void expect_collapsed(const Csr<Value>& a, const std::vector<Index>& of, Index count,
                        const algebraic::Points& points = {0, 1, false}) const {
    std::vector<std::map<Index, std::pair<long double, long double>>> expected(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
        const Index j = a.col[k], to = of[static_cast<std::size_t>(j)];
        const bool alike = points.unknown_of(static_cast<Index>(i)) == points.unknown_of(j);
        if (of[i] < 0 || to < 0 || (points.unknowns > 1 && !alike)) continue;
        auto& [sum, size] = expected[static_cast<std::size_t>(of[i])][to];
        sum += static_cast<long double>(a.val[k]);
        size += std::abs(static_cast<long double>(a.val[k]));
      }
    }
    const Csr<Value> c = collapsed(this->space(), a, of, count, points);
    EXPECT_TRUE(same_bits(c, collapsed(Host(), a, of, count, points)));
    ASSERT_EQ(c.rows, count);
    ASSERT_EQ(c.cols, count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      auto k = static_cast<std::size_t>(c.row_ptr[i]);
      ASSERT_EQ(static_cast<std::size_t>(c.row_ptr[i + 1]) - k, expected[i].size()) << "row " << i;
      for (const auto& [j, entry] : expected[i]) {
        ASSERT_EQ(c.col[k], j) << "row " << i;
        EXPECT_NEAR(static_cast<double>(c.val[k]), static_cast<double>(entry.first),
                    static_cast<double>(entry.second) * 200 * std::numeric_limits<Value>::epsilon());
        ++k;
      }
    }
  }

 private:
  template <class Space>
  static Csr<Value> collapsed(const Space& space, const Csr<Value>& a, const std::vector<Index>& of, Index count,
                              const algebraic::Points& points) {
    const SpaceCsr<Space, Value> on_space(space, a);
    return downloaded(space, algebraic::collapse(space, on_space.view(), groups_on(space, of, count), points));
  }
};

TYPED_TEST_SUITE(GroupsOn, EverySpace, SpaceNames);

TYPED_TEST(GroupsOn, KnowTheirMembers) {
  for (const Index n : {0, 1, 31, 33, 597}) {
    for (const Index count : {1, 7, 200}) {
      const auto of = random_groups(n, count, 5, 1);
      const auto g = this->groups(of, count);
      const auto begin = g.begin.download();
      const auto members = g.members.download();
      EXPECT_EQ(g.of.download(), of);
      ASSERT_EQ(begin.size(), static_cast<std::size_t>(count) + 1);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        std::vector<Index> expected;
        for (Index row = 0; row < n; ++row)
          if (of[static_cast<std::size_t>(row)] == static_cast<Index>(i)) expected.push_back(row);
        EXPECT_EQ(std::vector<Index>(members.begin() + begin[i], members.begin() + begin[i + 1]), expected);
      }
    }
  }
}

TYPED_TEST(GroupsOn, JoinToGroupsOfGroups) {
  const auto inner = random_groups(597, 200, 5, 1), outer = random_groups(200, 30, 5, 2);
  const auto of = algebraic::joined(this->space(), this->put(inner), this->put(outer)).download();
  ASSERT_EQ(of.size(), inner.size());
  for (std::size_t i = 0; i < of.size(); ++i)
    EXPECT_EQ(of[i], inner[i] < 0 ? -1 : outer[static_cast<std::size_t>(inner[i])]);
}

TYPED_TEST(GroupsOn, JoinTwoByTwoWithTheirMembers) {
  for (const Index n : {1, 33, 597}) {
    const Index count = (n + 2) / 3;
    const auto inner = random_groups(n, count, 5, 1);
    std::vector<Index> outer(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < outer.size(); ++i) outer[i] = static_cast<Index>(i * 7919 % outer.size()) / 2;
    const Index joined_count = (count + 1) / 2;
    const auto found = algebraic::joined(this->space(), this->groups(inner, count), this->groups(outer, joined_count));
    const auto of = algebraic::joined(this->space(), this->put(inner), this->put(outer)).download();
    const auto want = this->groups(of, joined_count);
    EXPECT_EQ(found.count, joined_count);
    EXPECT_EQ(found.of.download(), of);
    EXPECT_EQ(found.begin.download(), want.begin.download());
    const auto count_of_rows = static_cast<std::size_t>(want.begin.download().back());
    std::vector<Index> members(count_of_rows), expected(count_of_rows);
    this->space().download(members.data(), found.members.data(), count_of_rows * sizeof(Index));
    this->space().download(expected.data(), want.members.data(), count_of_rows * sizeof(Index));
    EXPECT_EQ(members, expected);
  }
}

TYPED_TEST(GroupsOn, CollapseToTheGalerkinProduct) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 31, 33, 597}) {
    for (const Index count : {1, 3, 40, 300}) {
      for (const Index none : {0, 4}) {
        const auto of = random_groups(n, count, none, 3);
        this->expect_collapsed(graph_laplacian<T>(n, 3, 2, 0.1, 2, 4), of, count);
        if (n > 0) this->expect_collapsed(scattered<T>(n, n, 9, true, 5), of, count);
      }
    }
  }
}

/// Rows of many terms, of few columns and of more than fit into a table.
TYPED_TEST(GroupsOn, CollapseLongRows) {
  using T = typename TypeParam::T;
  const Index n = 6000;
  const Csr<T> a = with_dense_row<T>(n, n, n / 2, 4);
  for (const Index count : {5, 90, 120, 200, 230, 300, 3000}) {
    this->expect_collapsed(a, random_groups(n, count, 0, 1), count);
    this->expect_collapsed(a, random_groups(n, count, 3, 1), count);
  }
}

TYPED_TEST(GroupsOn, HoldTheRowsOfPoints) {
  for (const bool by_field : {false, true}) {
    for (const int unknowns : {1, 3, 40}) {
      for (const Index count : {0, 1, 33}) {
        const algebraic::Points points{count, unknowns, by_field};
        const auto found = algebraic::groups_of_points(this->space(), points);
        EXPECT_EQ(found.count, count);
        std::vector<Index> of;
        for (Index row = 0; row < points.rows(); ++row) of.push_back(points.point_of(row));
        const auto want = this->groups(of, count);
        EXPECT_EQ(found.of.download(), of);
        EXPECT_EQ(found.begin.download(), want.begin.download());
        EXPECT_EQ(found.members.download(), want.members.download());
      }
    }
  }
}

TYPED_TEST(GroupsOn, CollapseUnknownsWithThemselves) {
  using T = typename TypeParam::T;
  for (const bool by_field : {false, true}) {
    const algebraic::Points points{200, 3, by_field};
    const Csr<T> a = with_unknowns(graph_laplacian<T>(200, 2, 2, 0.1, 3), 3, by_field, 0.25);
    this->expect_collapsed(a, random_groups(600, 200, 4, 1), 200, points);
  }
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/pairs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/space_csr.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "support/spaces.hpp"
#include "support/systems.hpp"

namespace ostinato::test {
namespace {

using algebraic::LoneRows;

/// The weights of a matrix, from their definition.
struct Weights {
  std::vector<std::vector<double>> weight;  ///< 0 where there is none
  std::vector<bool> dominant;
  std::vector<double> diagonal;

  template <class T>
  explicit Weights(const Csr<T>& a) {
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<std::vector<double>> full(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i)
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        full[i][static_cast<std::size_t>(a.col[k])] = static_cast<double>(a.val[k]);
    weight.assign(n, std::vector<double>(n));
    dominant.assign(n, false);
    for (std::size_t i = 0; i < n; ++i) {
      double others = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i) continue;
        others += std::abs(full[i][j]);
        const double both = 1 / std::abs(full[i][i]) + 1 / std::abs(full[j][j]);
        if (full[i][j] != 0) weight[i][j] = std::max(0.0, (full[i][i] < 0 ? full[i][j] : -full[i][j]) * both);
      }
      diagonal.push_back(full[i][i]);
      dominant[i] = std::abs(full[i][i]) >= 1.25 * others;
    }
  }

  /// The largest weight that a row has with rows that aren't left out.
  double strongest(std::size_t row, LoneRows lone) const {
    double most = 0;
    for (std::size_t j = 0; j < weight.size(); ++j)
      if (lone == LoneRows::keep || !dominant[j]) most = std::max(most, weight[row][j]);
    return most;
  }

  /// Whether rows may be a pair. `margin`: more than 1 for a weight that rounding doesn't bring below the threshold.
  bool are_coupled(std::size_t i, std::size_t j, LoneRows lone, double margin) const {
    const auto is_left_out = [&](std::size_t r) { return lone == LoneRows::leave && dominant[r]; };
    return !is_left_out(i) && !is_left_out(j) && weight[i][j] > 0 &&
           weight[i][j] >= margin * 0.1 * std::max(strongest(i, lone), strongest(j, lone));
  }
};

template <class Case>
class PairsOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  template <class Space>
  static algebraic::Pairs<Space, Value> pairs(const Space& space, const Csr<Value>& a, LoneRows lone) {
    const SpaceCsr<Space, Value> on_space(space, Csr<Value>(a));
    return algebraic::pair_up(space, on_space.view(), lone);
  }

  std::vector<Index> paired(const Csr<Value>& a, LoneRows lone, Index& count) const {
    const auto made = pairs(this->space(), a, lone);
    count = made.groups.count;
    return made.groups.of.download();
  }

  static std::vector<std::vector<std::size_t>> members(const std::vector<Index>& of, Index count) {
    std::vector<std::vector<std::size_t>> all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i] >= 0) all.at(static_cast<std::size_t>(of[i])).push_back(i);
    return all;
  }

  /// A hub with rows 1 .. n - 1 as spokes.
  static Csr<Value> star(Index n) {
    std::vector<Triplet<Value>> triplets;
    for (Index i = 1; i < n; ++i)
      triplets.insert(triplets.end(), {{0, i, Value{-1}}, {i, 0, Value{-1}}, {i, i, Value{1}}, {0, 0, Value{1}}});
    return from_triplets<Value>(n, n, triplets);
  }

  static std::vector<Csr<Value>> matrices() {
    std::vector<Csr<Value>> all;
    for (const Index n : {0, 1, 2, 31, 33, 597}) {
      all.push_back(graph_laplacian<Value>(n, 3, 0, 0, 1));
      all.push_back(graph_laplacian<Value>(n, 3, 2, 0.1, 2, 4));
      all.push_back(times(graph_laplacian<Value>(n, 2, 1, 0.5, 3), -1));
      all.push_back(graph_laplacian<Value>(n, 2, 1, 100, 4));
      all.push_back(hold(graph_laplacian<Value>(n, 2, 1, 0, 5), true, [](Index i) { return i % 3 == 0; }));
    }
    return all;
  }
};

TYPED_TEST_SUITE(PairsOn, EverySpace, SpaceNames);

TYPED_TEST(PairsOn, LeavesOutDominantRowsOnly) {
  for (const auto& a : this->matrices()) {
    const Weights w(a);
    for (const LoneRows lone : {LoneRows::leave, LoneRows::keep}) {
      Index count = 0;
      const auto of = this->paired(a, lone, count);
      for (std::size_t i = 0; i < of.size(); ++i)
        ASSERT_EQ(of[i] < 0, lone == LoneRows::leave && w.dominant[i]) << "row " << i << " of " << a.rows;
      for (const auto& m : this->members(of, count)) ASSERT_FALSE(m.empty());
    }
  }
}

TYPED_TEST(PairsOn, PairsCoupledRows) {
  for (const auto& a : this->matrices()) {
    const Weights w(a);
    Index count = 0;
    const auto of = this->paired(a, LoneRows::keep, count);
    for (const auto& m : this->members(of, count)) {
      ASSERT_LE(m.size(), 2u);
      if (m.size() < 2) continue;
      EXPECT_TRUE(w.are_coupled(m[0], m[1], LoneRows::keep, 0.999)) << m[0] << " " << m[1];
    }
  }
}

/// Two rows that are alone could still be a pair; and where rows join pairs, a row beside a pair isn't alone.
TYPED_TEST(PairsOn, LeavesNoRowAloneThatCouldHaveAPartner) {
  for (const auto& a : this->matrices()) {
    const Weights w(a);
    for (const LoneRows lone : {LoneRows::leave, LoneRows::keep}) {
      Index count = 0;
      const auto of = this->paired(a, lone, count);
      const auto groups = this->members(of, count);
      for (const auto& m : groups) {
        if (m.size() != 1) continue;
        for (std::size_t j = 0; j < of.size(); ++j) {
          if (j == m[0] || of[j] < 0 || !w.are_coupled(m[0], j, lone, 1.001)) continue;
          EXPECT_TRUE(lone == LoneRows::keep && groups[static_cast<std::size_t>(of[j])].size() > 1) << m[0] << " " << j;
        }
      }
    }
  }
}

TYPED_TEST(PairsOn, FollowsTheStrongDirection) {
  const Index n = 20;
  const auto a = generate<typename TypeParam::T>("anisotropic", {.n = n});
  const Weights w(a);
  Index count = 0;
  const auto of = this->paired(a, LoneRows::leave, count);
  for (const auto& m : this->members(of, count))
    for (std::size_t k = 1; k < m.size(); ++k)
      EXPECT_TRUE(std::any_of(m.begin(), m.end(), [&](std::size_t other) { return w.weight[m[k]][other] > 0.4; }));
  EXPECT_LE(count, n * n / 2);
}

/// Of a hub and its spokes, one becomes its partner; the others join these two.
TYPED_TEST(PairsOn, TakesAStarAsOneGroup) {
  const Index n = 1000;
  const auto star = this->star(n);
  Index count = 0;
  this->paired(star, LoneRows::leave, count);
  EXPECT_EQ(count, 1);
  this->paired(star, LoneRows::keep, count);
  EXPECT_EQ(count, n - 1);
}

TYPED_TEST(PairsOn, ListsMembersAndWhatTheyLeaveForTheNextPass) {
  auto matrices = this->matrices();
  for (const Index n : {10, 32, 33, 34, 200}) matrices.push_back(this->star(n));
  for (const auto& a : matrices) {
    const Weights w(a);
    for (const LoneRows lone : {LoneRows::leave, LoneRows::keep}) {
      const auto made = this->pairs(this->space(), a, lone);
      const auto of = made.groups.of.download();
      const auto begin = made.groups.begin.download();
      const auto listed = made.groups.members.download();
      const auto size = made.sizes.size.download();
      const auto strongest = made.sizes.strongest.download();
      const auto groups = this->members(of, made.groups.count);
      ASSERT_EQ(begin.size(), groups.size() + 1);
      ASSERT_EQ(static_cast<Offset>(listed.size()), begin.back());
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::vector<std::size_t> found(listed.begin() + begin[g], listed.begin() + begin[g + 1]);
        ASSERT_EQ(found, groups[g]) << "group " << g << " of " << a.rows << " rows";
        double all = 0, most = 0;
        for (const std::size_t i : groups[g]) {
          all += std::abs(w.diagonal[i]);
          most = std::max(most, w.strongest(i, lone));
        }
        EXPECT_NEAR(static_cast<double>(size[g]), all, 1e-5 * all);
        EXPECT_NEAR(static_cast<double>(strongest[g]), most, 1e-5 * most);
      }
    }
  }
}

/// Row 4 is beside two pairs.
TYPED_TEST(PairsOn, ALoneRowJoinsThePairThatHoldsItMost) {
  using T = typename TypeParam::T;
  for (const bool to_first : {true, false}) {
    std::vector<Triplet<T>> triplets;
    const auto couple = [&triplets](Index i, Index j, T v) {
      triplets.insert(triplets.end(), {{i, j, -v}, {j, i, -v}, {i, i, v}, {j, j, v}});
    };
    couple(0, 1, 10);
    couple(2, 3, 10);
    couple(1, 4, to_first ? T{4} : T{1.5});
    couple(2, 4, to_first ? T{1.5} : T{4});
    Index count = 0;
    const auto of = this->paired(from_triplets<T>(5, 5, triplets), LoneRows::leave, count);
    ASSERT_EQ(count, 2);
    EXPECT_EQ(of, (std::vector<Index>{0, 0, 1, 1, to_first ? 0 : 1}));
  }
}

/// The diagonal is 1.25 times the sum of the others, but for the rounding of that sum.
TYPED_TEST(PairsOn, LeavesOutRowsWhoseDominanceIsAMatterOfRounding) {
  using T = typename TypeParam::T;
  auto a = generate<T>("poisson3d", {.n = 12});
  for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      a.val[k] = a.col[k] == static_cast<Index>(i) ? T(0.75) : T(-0.1);
  }
  Index count = 0;
  this->paired(a, LoneRows::leave, count);
  EXPECT_EQ(count, 0);
}

/// On large matrices a warp of a GPU visits up to 32 rows.
TYPED_TEST(PairsOn, AreThoseOfTheHost) {
  using T = typename TypeParam::T;
  if (!TypeParam::Space::has_streams) GTEST_SKIP() << "on the host they are";
  for (const auto& [family, n] : {std::pair{"poisson2d", 550}, {"variable2d", 550}, {"kgs2d", 550}, {"fem27", 42}}) {
    SCOPED_TRACE(family);
    const auto a = generate<T>(family, {.n = n});
    for (const LoneRows lone : {LoneRows::leave, LoneRows::keep}) {
      const auto here = this->pairs(this->space(), a, lone);
      const auto host = this->pairs(Host(), a, lone);
      EXPECT_EQ(here.groups.of.download(), host.groups.of.download());
      EXPECT_EQ(here.groups.members.download(), host.groups.members.download());
      EXPECT_EQ(here.sizes.strongest.download(), host.sizes.strongest.download());
    }
  }
}

/// Weights that grow along a path are paired from its end, if every one of them counts.
TYPED_TEST(PairsOn, PairsAPathOfGrowingWeights) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  const Index n = 5000;
  for (Index i = 0; i + 1 < n; ++i) {
    const T w = static_cast<T>(i + 1);
    triplets.insert(triplets.end(), {{i, i + 1, -w}, {i + 1, i, -w}, {i, i, w}, {i + 1, i + 1, w}});
  }
  Index count = 0;
  this->paired(from_triplets<T>(n, n, triplets), LoneRows::keep, count);
  EXPECT_LE(count, 3 * n / 5);
}

TYPED_TEST(PairsOn, IsTheSameOnEveryRun) {
  const auto a = renumbered(generate<typename TypeParam::T>("variable3d", {.n = 20}));
  Index count = 0;
  const auto first = this->paired(a, LoneRows::leave, count);
  EXPECT_GT(count, a.rows / 3);
  EXPECT_LT(count, a.rows / 2);
  for (int run = 0; run < 20; ++run) EXPECT_EQ(this->paired(a, LoneRows::leave, count), first);
}

}  // namespace
}  // namespace ostinato::test

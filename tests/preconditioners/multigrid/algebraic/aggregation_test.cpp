// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggregation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/space/parallel.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "support/spaces.hpp"
#include "support/systems.hpp"

namespace ostinato::test {
namespace {

/// An aggregation in host memory, with the strong neighbours of each point from their definition.
struct Aggregated {
  std::vector<Index> aggregate;
  Index count = 0;
  std::vector<std::set<Index>> beside;  ///< of each point
};

template <class Case>
class AggregationOn : public SpaceTest<Case> {
 protected:
  using T = typename Case::T;
  using Home = typename Case::Space;

  Aggregated aggregated(const Csr<T>& a, const algebraic::Points& points, double threshold) const {
    const SpaceCsr<Home, T> on_space(this->space(), Csr<T>(a));
    const auto made = algebraic::aggregate(this->space(), on_space, points, 1, threshold);
    return {made.aggregate.download(), made.count, strong_neighbours(a, points, threshold)};
  }

  static std::vector<std::set<Index>> strong_neighbours(const Csr<T>& a, const algebraic::Points& points,
                                                        double threshold) {
    const auto n = static_cast<std::size_t>(points.count);
    std::vector<std::vector<double>> norm(n, std::vector<double>(n));
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
      const auto p = static_cast<std::size_t>(points.point_of(static_cast<Index>(i)));
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        norm[p][static_cast<std::size_t>(points.point_of(a.col[k]))] += std::pow(static_cast<double>(a.val[k]), 2);
    }
    std::vector<double> most(n);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = 0; q < n; ++q)
        if (p != q) most[p] = std::max(most[p], norm[p][q]);
    std::vector<std::set<Index>> beside(n);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = 0; q < n; ++q)
        if (p != q && norm[p][q] > threshold * threshold * std::sqrt(most[p] * most[q]))
          beside[p].insert(static_cast<Index>(q));
    return beside;
  }

  /// Matrices whose blocks aren't at the threshold but for rounding.
  void visit(const auto& check) const {
    for (const Index n : {0, 1, 31, 33, 597}) {
      for (const double threshold : {0.0, 0.15}) {
        check(graph_laplacian<T>(n, 3, 2, 0.1, 2, 4), algebraic::Points{n}, threshold);
        check(graph_laplacian<T>(n, 2, 0, 0, 1), algebraic::Points{n}, threshold);
        for (const bool by_field : {false, true})
          check(with_unknowns(graph_laplacian<T>(n, 2, 2, 0.1, 3), 3, by_field, 0.25),
                algebraic::Points{n, 3, by_field}, threshold);
      }
    }
    check(hold(graph_laplacian<T>(100, 2, 0, 0, 1), true, [](Index i) { return i % 3 == 0; }), algebraic::Points{100},
          0.0);
  }
};

TYPED_TEST_SUITE(AggregationOn, EverySpace, SpaceNames);

TYPED_TEST(AggregationOn, PutsEveryCoupledPointInOneAggregate) {
  this->visit([&](const auto& a, const algebraic::Points& points, double threshold) {
    const Aggregated g = this->aggregated(a, points, threshold);
    std::vector<int> members(static_cast<std::size_t>(g.count));
    for (std::size_t p = 0; p < g.beside.size(); ++p) {
      ASSERT_EQ(g.aggregate[p] >= 0, !g.beside[p].empty()) << "point " << p << " of " << points.count;
      ASSERT_LT(g.aggregate[p], g.count);
      if (g.aggregate[p] >= 0) ++members[static_cast<std::size_t>(g.aggregate[p])];
    }
    EXPECT_TRUE(std::all_of(members.begin(), members.end(), [](int m) { return m > 1; }));
  });
}

/// Each aggregate holds a point with all its neighbours: a root. No two aggregates' roots are neighbours, or have a
/// common one; all points are within two steps of the root of their aggregate.
TYPED_TEST(AggregationOn, HasRootsMoreThanTwoStepsApart) {
  this->visit([&](const auto& a, const algebraic::Points& points, double threshold) {
    const Aggregated g = this->aggregated(a, points, threshold);
    std::vector<std::vector<std::size_t>> middles(static_cast<std::size_t>(g.count));
    for (std::size_t p = 0; p < g.beside.size(); ++p) {
      if (g.aggregate[p] >= 0 && std::all_of(g.beside[p].begin(), g.beside[p].end(), [&](Index q) {
            return g.aggregate[static_cast<std::size_t>(q)] == g.aggregate[p];
          }))
        middles[static_cast<std::size_t>(g.aggregate[p])].push_back(p);
    }
    for (const auto& m : middles) ASSERT_FALSE(m.empty()) << points.count;
    for (std::size_t p = 0; p < g.beside.size(); ++p) {
      if (g.aggregate[p] < 0) continue;
      const auto& m = middles[static_cast<std::size_t>(g.aggregate[p])];
      EXPECT_TRUE(std::any_of(m.begin(), m.end(),
                              [&](std::size_t root) {
                                const bool near = p == root || g.beside[p].contains(static_cast<Index>(root));
                                return near || std::any_of(g.beside[p].begin(), g.beside[p].end(), [&](Index q) {
                                         return g.beside[static_cast<std::size_t>(q)].contains(
                                             static_cast<Index>(root));
                                       });
                              }))
          << "point " << p << " of " << points.count;
    }
  });
}

TYPED_TEST(AggregationOn, IsTheSameOnEveryRun) {
  const auto a = renumbered(generate<typename TypeParam::T>("poisson3d", {.n = 20}));
  const SpaceCsr<typename TypeParam::Space, typename TypeParam::T> on_space(this->space(), a);
  const auto first = algebraic::aggregate(this->space(), on_space, {a.rows}, 1, 0.15);
  EXPECT_GT(first.count, a.rows / 20);
  EXPECT_LT(first.count, a.rows / 6);
  for (int run = 0; run < 5; ++run)
    EXPECT_EQ(algebraic::aggregate(this->space(), on_space, {a.rows}, 1, 0.15).aggregate.download(),
              first.aggregate.download());
}

/// Also for as many points as a GPU takes in one thread block, and more.
TYPED_TEST(AggregationOn, IsThatOfTheHost) {
  using Value = typename TypeParam::T;
  using algebraic::Coupling;
  const Host host;
  if (std::is_same_v<typename TypeParam::Space, Host>) GTEST_SKIP() << "compares with Host";
  for (const Index n : {33, 257, 1025, 4096, 4097, 20000}) {
    const Csr<Value> a = graph_laplacian<Value>(n, 3, 2, 0.1, 2, 4);
    const SpaceCsr<typename TypeParam::Space, Value> on_space(this->space(), Csr<Value>(a));
    const SpaceCsr<Host, Value> on_host(host, Csr<Value>(a));
    for (const Coupling coupling : {Coupling::any, Coupling::opposite}) {
      const auto found = algebraic::aggregate(this->space(), on_space, {n}, 1, 0.15, coupling);
      const auto expected = algebraic::aggregate(host, on_host, {n}, 1, 0.15, coupling);
      EXPECT_EQ(found.count, expected.count);
      EXPECT_EQ(found.aggregate.download(), expected.aggregate.download()) << n;
    }
  }
}

/// A point without a root beside it that has neighbours in very many aggregates joins the one of the lowest number
/// among those of the strongest couplings that are tried.
TYPED_TEST(AggregationOn, JoinsTheStrongestOfManyAggregates) {
  using Value = typename TypeParam::T;
  for (const Index count : {3, 7, 40, 96}) {
    Vector<typename TypeParam::Space, Offset> row_ptr(this->space(), std::vector<Offset>{0, 2 * count});
    std::vector<Index> col, before{-1};
    std::vector<Value> val;
    // Two entries for each aggregate, whose numbers go down in the order of the entries.
    for (Index k = 0; k < 2 * count; ++k) {
      col.push_back(k + 1);
      before.push_back((2 * count - 1 - k) / 2);
      const Index a = before.back();
      val.push_back(a == count / 2 || a == count - 1 ? Value{2} : Value{1});
    }
    const auto strong = this->put(col), of = this->put(before);
    const auto values = this->put(val);
    auto found = this->put(std::vector<Index>{7});
    for_each(this->space(), 1,
             algebraic::JoinStrongest<Value>{{1, row_ptr.data(), strong.data()},
                                             {values.data(), 1, false, algebraic::Coupling::any},
                                             of.data(),
                                             found.data()});
    EXPECT_EQ(found.download()[0], count / 2) << count;
  }
}

TYPED_TEST(AggregationOn, FollowsTheStrongDirection) {
  const auto a = generate<typename TypeParam::T>("anisotropic", {.n = 30});
  const Aggregated all = this->aggregated(a, {a.rows}, 0), strong = this->aggregated(a, {a.rows}, 0.15);
  for (std::size_t p = 0; p < strong.beside.size(); ++p) EXPECT_LE(strong.beside[p].size(), 2u);
  EXPECT_GT(strong.count, all.count);
}

}  // namespace
}  // namespace ostinato::test

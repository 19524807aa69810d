// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/pairwise_aggregation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"
#include "support/systems.hpp"

namespace ostinato::test {
namespace {

using algebraic::Points;

template <class T>
struct GroupedCase {
  Csr<T> a;
  Points points;
  bool symmetric = true;
};

template <class Case>
class PairwiseAggregationOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using Home = typename Case::Space;

  /// Visits the levels of a matrix: f(A, groups of its rows, their number, next A), in host memory.
  template <class F>
  void visit_levels(const GroupedCase<Value>& c, F f) const {
    SpaceCsr<Home, Value> a(this->space(), Csr<Value>(c.a));
    algebraic::PairwiseAggregation<Home, Value> aggregation(this->space(), a, c.points, c.symmetric);
    for (int level = 0; level < 4; ++level) {
      const auto next = aggregation.next(a);
      if (!next) return;
      f(download(a), next->groups.of.download(), next->groups.count, download(next->a));
      a = next->a;
    }
  }

  static std::vector<GroupedCase<Value>> cases() {
    std::vector<GroupedCase<Value>> all;
    for (const Index n : {0, 1, 31, 33, 597}) {
      all.push_back({graph_laplacian<Value>(n, 3, 2, 0.1, 2, 4), {n}});
      all.push_back({hold(graph_laplacian<Value>(n, 2, 0, 0, 1), true, [](Index i) { return i % 3 == 0; }), {n}});
      if (n > 0) all.push_back({scattered<Value>(n, n, 5, true, 3), {n}, false});
      for (const bool by_field : {false, true})
        all.push_back({with_unknowns(graph_laplacian<Value>(n, 2, 2, 0.1, 3), 3, by_field, 0.25), {n, 3, by_field}});
    }
    return all;
  }

 private:
  Csr<Value> download(const SpaceCsr<Home, Value>& m) const {
    const CsrView<Value> v = m.view();
    Csr<Value> a{v.rows, v.cols, Array<Offset>(v.row_ptr.size()), Array<Index>(v.col.size()),
                 Array<Value>(v.val.size())};
    this->space().download(a.row_ptr.data(), v.row_ptr.data(), v.row_ptr.size_bytes());
    this->space().download(a.col.data(), v.col.data(), v.col.size_bytes());
    this->space().download(a.val.data(), v.val.data(), v.val.size_bytes());
    return a;
  }
};

TYPED_TEST_SUITE(PairwiseAggregationOn, EverySpace, SpaceNames);

/// x^T A y of sums over groups is that of the next level.
TYPED_TEST(PairwiseAggregationOn, MakesGalerkinProducts) {
  using T = typename TypeParam::T;
  const auto product = [](const Csr<T>& a, const std::vector<double>& x, const std::vector<double>& y) {
    double total = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        total += x[i] * static_cast<double>(a.val[k]) * y[static_cast<std::size_t>(a.col[k])];
    return total;
  };
  for (const auto& c : this->cases()) {
    this->visit_levels(c, [&](const Csr<T>& a, const std::vector<Index>& of, Index count, const Csr<T>& next) {
      ASSERT_EQ(next.rows, count);
      const auto coarse_x = random_vector<double>(count, 1), coarse_y = random_vector<double>(count, 2);
      std::vector<double> x(of.size()), y(of.size()), size_x(of.size()), size_y(of.size());
      for (std::size_t i = 0; i < of.size(); ++i) {
        if (of[i] < 0) continue;
        x[i] = coarse_x[static_cast<std::size_t>(of[i])];
        y[i] = coarse_y[static_cast<std::size_t>(of[i])];
      }
      Csr<T> sizes = a;
      for (T& v : sizes.val) v = std::abs(v);
      std::transform(x.begin(), x.end(), size_x.begin(), [](double v) { return std::abs(v); });
      std::transform(y.begin(), y.end(), size_y.begin(), [](double v) { return std::abs(v); });
      EXPECT_NEAR(product(a, x, y), product(next, coarse_x, coarse_y),
                  100 * std::numeric_limits<T>::epsilon() * product(sizes, size_x, size_y));
    });
  }
}

/// Each group of rows belongs to one unknown, and the groups of the unknowns of a point are neighbours.
TYPED_TEST(PairwiseAggregationOn, KeepsUnknownsApart) {
  for (const auto& c : this->cases()) {
    Points points = c.points;
    this->visit_levels(c, [&](const auto&, const std::vector<Index>& of, Index count, const auto&) {
      const int unknowns = points.unknowns;
      for (Index p = 0; p < points.count; ++p) {
        const Index first = of[static_cast<std::size_t>(points.row(p, 0))];
        ASSERT_TRUE(first < 0 || first % unknowns == 0);
        for (int u = 0; u < unknowns; ++u)
          EXPECT_EQ(of[static_cast<std::size_t>(points.row(p, u))], first < 0 ? -1 : first + u);
      }
      points = {count / unknowns, unknowns, false};
    });
  }
}

TYPED_TEST(PairwiseAggregationOn, ShrinksALevelToAnEighthOrSo) {
  using T = typename TypeParam::T;
  for (const auto& a :
       {renumbered(generate<T>("poisson3d", {.n = 20})), renumbered(generate<T>("poisson2d", {.n = 90})),
        renumbered(generate<T>("anisotropic", {.n = 90}))}) {
    this->visit_levels({a, {a.rows}}, [&](const auto& fine, const auto&, Index count, const auto&) {
      if (fine.rows < 500) return;
      EXPECT_GT(count, fine.rows / 12);
      EXPECT_LT(count, fine.rows / 5);
    });
  }
}

/// Pairs of a weight of 1000 with weights of 1 between them: a vector that differs from pair to pair is hardly
/// smoothed, so that the next level has to hold it.
TYPED_TEST(PairwiseAggregationOn, DoesntJoinGroupsThatHoldTogetherMuchMoreStrongly) {
  using T = typename TypeParam::T;
  const Index n = 600;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i + 1 < n; ++i) {
    const T w = i % 2 == 0 ? T{1000} : T{1};
    triplets.insert(triplets.end(), {{i, i + 1, -w}, {i + 1, i, -w}, {i, i, w}, {i + 1, i + 1, w}});
  }
  std::vector<Index> counts;
  const auto a = renumbered(from_triplets<T>(n, n, triplets));
  this->visit_levels({a, {n}}, [&](const auto&, const auto&, Index count, const auto&) { counts.push_back(count); });
  ASSERT_GE(counts.size(), 2u);
  EXPECT_EQ(counts[0], n / 2);
  EXPECT_LT(counts[1], n / 8);
}

TYPED_TEST(PairwiseAggregationOn, IsTheSameOnEveryRun) {
  using T = typename TypeParam::T;
  const auto a = renumbered(generate<T>("variable3d", {.n = 16}));
  const auto levels = [&] {
    std::vector<std::vector<Index>> groups;
    std::vector<std::vector<T>> values;
    this->visit_levels({a, {a.rows}}, [&](const auto&, const auto& of, Index, const Csr<T>& next) {
      groups.push_back(of);
      values.emplace_back(next.val.begin(), next.val.end());
    });
    return std::pair(groups, values);
  };
  const auto first = levels();
  for (int run = 0; run < 20; ++run) {
    const auto again = levels();
    EXPECT_EQ(again.first, first.first);
    ASSERT_EQ(again.second.size(), first.second.size());
    for (std::size_t k = 0; k < first.second.size(); ++k) EXPECT_TRUE(same_bits(again.second[k], first.second[k]));
  }
}

}  // namespace
}  // namespace ostinato::test

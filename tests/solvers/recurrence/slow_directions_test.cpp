// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/slow_directions.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/matrices.hpp"

namespace ostinato::test {
namespace {

using Columns = std::vector<std::vector<double>>;

std::vector<double> times(const Columns& columns, const std::vector<double>& y) {
  std::vector<double> sum(columns.front().size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += columns[k][i] * y[k];
  }
  return sum;
}

/// A matrix of n rows, not symmetric, with singular values of about 1 and `small`.
std::vector<double> multiply(const std::vector<double>& x, double small) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = (i == 2 ? small : 1 + 0.1 * static_cast<double>(i)) * x[i] + (i > 3 ? 0.3 * x[i - 1] : 0);
  return y;
}

/// A cycle of GCRO-DR on that matrix, from the pairs u, c.
struct Cycle {
  Columns u, c;
  Columns w;    ///< the basis, with the vector after the last
  Columns top;  ///< C^T A V
  Hessenberg h{1};

  Cycle(Columns us, Columns cs, int steps, double small) : u(std::move(us)), c(std::move(cs)) {
    Random random(3);
    std::vector<double> v(12);
    for (double& value : v) value = signed_unit(random);
    orthogonalise(v, c);
    normalise(v);
    w.push_back(v);
    for (int j = 0; j < steps; ++j) {
      std::vector<double> next = multiply(w.back(), small);
      top.push_back(orthogonalise(next, c));
      std::vector<double> column = orthogonalise(next, w);
      column.push_back(normalise(next));
      h.absorb(column, 1e-15);
      w.push_back(next);
    }
  }

  static std::vector<double> orthogonalise(std::vector<double>& v, const Columns& against) {
    std::vector<double> all(against.size());
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < against.size(); ++k) {
        const double along = dot_of(against[k], v);
        all[k] += along;
        for (std::size_t i = 0; i < v.size(); ++i) v[i] -= along * against[k][i];
      }
    }
    return all;
  }
  static double normalise(std::vector<double>& v) {
    const double length = std::sqrt(dot_of(v, v));
    for (double& value : v) value /= length;
    return length;
  }

  Columns search() const {
    Columns all = u;
    all.insert(all.end(), w.begin(), w.end() - 1);
    return all;
  }
  Columns images() const {
    Columns all = c;
    all.insert(all.end(), w.begin(), w.end());
    return all;
  }

  SlowDirections choose(int most, double longest = 1e10) const {
    std::vector<double> gram;
    for (const auto& one : u) {
      for (const auto& other : search()) gram.push_back(dot_of(one, other));
    }
    return slow_directions({static_cast<int>(u.size()), h, top, gram}, most, longest);
  }

  /// The pairs that the directions are.
  void expect_pairs(const SlowDirections& chosen, double small, Columns& new_u, Columns& new_c) const {
    ASSERT_EQ(chosen.in_search.size(), chosen.in_images.size());
    for (std::size_t k = 0; k < chosen.in_search.size(); ++k) {
      ASSERT_EQ(chosen.in_search[k].size(), search().size());
      ASSERT_EQ(chosen.in_images[k].size(), images().size());
      new_u.push_back(times(search(), chosen.in_search[k]));
      new_c.push_back(times(images(), chosen.in_images[k]));
      const std::vector<double> image = multiply(new_u.back(), small);
      for (std::size_t i = 0; i < image.size(); ++i) EXPECT_NEAR(image[i], new_c.back()[i], 1e-10) << k;
      for (std::size_t other = 0; other <= k; ++other)
        EXPECT_NEAR(dot_of(new_c[other], new_c[k]), other == k ? 1 : 0, 1e-12);
    }
  }
};

TEST(SlowDirections, ArePairsAndTheFirstIsThatOfTheSmallestSingularValue) {
  constexpr double small = 1e-3;
  const Cycle cycle({}, {}, 10, small);

  const SlowDirections chosen = cycle.choose(3);

  Columns u, c;
  cycle.expect_pairs(chosen, small, u, c);
  ASSERT_EQ(u.size(), 3u);
  EXPECT_GT(std::sqrt(dot_of(u[0], u[0])), 100);
  EXPECT_GT(std::abs(u[0][2]), 0.99 * std::sqrt(dot_of(u[0], u[0]))) << "e(2) is what A makes small";
}

TEST(SlowDirections, KeepWhatIsStillSlowAndFindMore) {
  constexpr double small = 1e-3;
  Columns u, c, next_u, next_c;
  const Cycle first({}, {}, 6, small);
  first.expect_pairs(first.choose(2), small, u, c);

  const Cycle second(u, c, 5, small);
  const SlowDirections chosen = second.choose(4);
  second.expect_pairs(chosen, small, next_u, next_c);

  ASSERT_EQ(next_u.size(), 4u);
  EXPECT_GE(dot_of(next_u[0], next_u[0]), 0.99 * dot_of(u[0], u[0])) << "the search holds the old u";
}

TEST(SlowDirections, AreAsManyAsThereAreColumnsAtMost) {
  const Cycle cycle({}, {}, 3, 0.1);

  EXPECT_EQ(cycle.choose(5).in_search.size(), 3u);
  EXPECT_EQ(cycle.choose(1).in_search.size(), 1u);
}

TEST(SlowDirections, LeaveOutThoseThatAreTooLong) {
  const Cycle cycle({}, {}, 11, 1e-6);

  const SlowDirections chosen = cycle.choose(3, 1e3);

  Columns u, c;
  cycle.expect_pairs(chosen, 1e-6, u, c);
  EXPECT_EQ(u.size(), 2u);
  for (const auto& one : u) EXPECT_LE(std::sqrt(dot_of(one, one)), 1e3 * 1.001);
  EXPECT_TRUE(cycle.choose(3, 1e-3).in_search.empty());
}

TEST(SlowDirections, AreNoneWhereNumbersAreNotFinite) {
  Hessenberg h(1);
  h.absorb(std::vector<double>{1, 1}, 1e-15);
  const Columns top{{1}};
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const std::vector<double> gram{bad, 1};
    EXPECT_TRUE(slow_directions({1, h, top, gram}, 2, 1e10).in_search.empty());
  }
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/symmetric_eigenvectors.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/matrices.hpp"

namespace ostinato::test {
namespace {

using Rows = std::vector<std::vector<double>>;

/// Entries of both signs, which become smaller towards the end by `grades` powers of ten.
Rows symmetric(std::size_t n, double grades, std::uint64_t seed) {
  Random random(seed);
  Rows a(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      a[i][j] = a[j][i] =
          signed_unit(random) * std::pow(10, -grades * static_cast<double>(i + j) / static_cast<double>(n));
  }
  return a;
}

void expect_eigenvectors(const Rows& a, const SymmetricEigenvectors& found) {
  ASSERT_EQ(found.values.size(), found.vectors.size());
  double size = 0;
  for (const double value : found.values) size = std::max(size, std::abs(value));
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    ASSERT_EQ(found.vectors[k].size(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(dot_of(a[i], found.vectors[k]), found.values[k] * found.vectors[k][i], 1e-13 * size);
    for (std::size_t other = 0; other <= k; ++other)
      EXPECT_NEAR(dot_of(found.vectors[other], found.vectors[k]), other == k ? 1 : 0, 1e-13);
    if (k > 0) {
      EXPECT_LE(found.values[k], found.values[k - 1]);
    }
  }
}

TEST(SymmetricEigenvectors, OfTwoRowsByHand) {
  const SymmetricEigenvectors found = symmetric_eigenvectors({{1, 2}, {2, 1}}, 2);

  ASSERT_EQ(found.values.size(), 2u);
  EXPECT_NEAR(found.values[0], 3, 1e-15);
  EXPECT_NEAR(found.values[1], -1, 1e-15);
  EXPECT_NEAR(std::abs(found.vectors[0][0]), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(found.vectors[0][0], found.vectors[0][1], 1e-15);
  EXPECT_NEAR(found.vectors[1][0], -found.vectors[1][1], 1e-15);
}

TEST(SymmetricEigenvectors, OfAnySize) {
  for (const std::size_t n : {0, 1, 2, 3, 4, 5, 17, 50, 120}) {
    for (const double grades : {0, 3, 10}) {
      SCOPED_TRACE(n);
      const Rows a = symmetric(n, grades, n + 1);

      const SymmetricEigenvectors found = symmetric_eigenvectors(a, static_cast<int>(n));

      ASSERT_EQ(found.values.size(), n);
      expect_eigenvectors(a, found);
    }
  }
}

TEST(SymmetricEigenvectors, OfMatricesWithEqualEigenvaluesAndOfDiagonalOnes) {
  Rows ones(9, std::vector<double>(9, 1)), diagonal(6, std::vector<double>(6)), blocks = symmetric(8, 0, 3);
  for (std::size_t i = 0; i < 6; ++i) diagonal[i][i] = static_cast<double>(i % 3);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) blocks[i][j] *= i / 4 == j / 4;
  }
  for (const Rows& a : {ones, diagonal, blocks, Rows(5, std::vector<double>(5))}) {
    const SymmetricEigenvectors found = symmetric_eigenvectors(a, static_cast<int>(a.size()));

    ASSERT_EQ(found.values.size(), a.size());
    expect_eigenvectors(a, found);
  }
}

TEST(SymmetricEigenvectors, AreTheLargestOnes) {
  const Rows a = symmetric(30, 1, 5);
  const SymmetricEigenvectors all = symmetric_eigenvectors(a, 30), few = symmetric_eigenvectors(a, 4);

  ASSERT_EQ(few.values.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(few.values[k], all.values[k]);
  EXPECT_EQ(symmetric_eigenvectors(a, 100).values.size(), 30u);
  EXPECT_TRUE(symmetric_eigenvectors(a, 0).values.empty());
}

TEST(SymmetricEigenvectors, AreNoneWhereNumbersAreNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Rows a = symmetric(6, 0, 1);
    a[4][2] = a[2][4] = bad;
    EXPECT_TRUE(symmetric_eigenvectors(a, 3).values.empty());
  }
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/tridiagonal.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ostinato::test {
namespace {

TEST(Tridiagonal, HasTheEigenvaluesOfTheSecondDifference) {
  constexpr std::size_t n = 50;
  const Tridiagonal t{std::vector<double>(n, 2), std::vector<double>(n, -1)};
  for (std::size_t k = 0; k < n; ++k) {
    const double expected = 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(k + 1) / (n + 1));
    EXPECT_NEAR(eigenvalue(t, k), expected, 1e-14) << k;
  }
}

TEST(Tridiagonal, FindsAnEigenvalueToAShareOfItself) {
  constexpr std::size_t n = 200;
  const Tridiagonal t{std::vector<double>(n, 2), std::vector<double>(n, -1)};
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 2, n - 1}) {
    const double exact = eigenvalue(t, k), near = eigenvalue(t, k, 0.01);
    EXPECT_NEAR(near / exact, 1, 0.01) << k;
    EXPECT_NE(near, exact) << k;
  }
}

TEST(Tridiagonal, CountsEigenvaluesBelow) {
  const Tridiagonal t{{3, 0, 3, -2}, {0, 0, 0, 0}};
  EXPECT_EQ(eigenvalues_below(t, -2.1), 0u);
  EXPECT_EQ(eigenvalues_below(t, -1.9), 1u);
  EXPECT_EQ(eigenvalues_below(t, 0.1), 2u);
  EXPECT_EQ(eigenvalues_below(t, 3.1), 4u);
}

TEST(Tridiagonal, CountsRepeatedAndZeroEigenvalues) {
  const Tridiagonal t{{3, 0, 3, -2}, {0, 0, 0, 0}};
  EXPECT_NEAR(eigenvalue(t, 0), -2, 1e-15);
  EXPECT_NEAR(eigenvalue(t, 1), 0, 1e-15);
  EXPECT_NEAR(eigenvalue(t, 2), 3, 1e-15);
  EXPECT_NEAR(eigenvalue(t, 3), 3, 1e-15);
}

}  // namespace
}  // namespace ostinato::test

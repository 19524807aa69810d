// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/spectrum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <ostinato/spmv/matrix/generate.hpp>

#include "support/matrices.hpp"

namespace ostinato::test {
namespace {

/// The eigenvalues of poisson2d lie between these two.
double smallest_of_poisson(Index n) { return 8 * std::pow(std::sin(std::numbers::pi / 2 / (n + 1)), 2); }
double largest_of_poisson(Index n) { return 8 * std::pow(std::cos(std::numbers::pi / 2 / (n + 1)), 2); }

TEST(Spectrum, LanczosFindsTheEndsOfPoisson) {
  const auto a = generate<double>("poisson2d", {.n = 30});
  const SpectrumEnds ends = eigenvalue_ends(a.view(), {}, 400);
  EXPECT_NEAR(ends.smallest, smallest_of_poisson(30), 1e-8);
  EXPECT_NEAR(ends.largest, largest_of_poisson(30), 1e-8);
  EXPECT_TRUE(ends.settled);
}

TEST(Spectrum, FewStepsStayInsideAndSaySo) {
  const auto a = generate<double>("poisson2d", {.n = 60});
  const SpectrumEnds ends = eigenvalue_ends(a.view(), {}, 12);
  EXPECT_GT(ends.smallest, 1.1 * smallest_of_poisson(60));
  EXPECT_LE(ends.largest, largest_of_poisson(60));
  EXPECT_EQ(ends.steps, 12);
  EXPECT_FALSE(ends.settled);
}

TEST(Spectrum, EndsWhenNothingChangesAnyMore) {
  const auto a = generate<double>("poisson2d", {.n = 10});
  EXPECT_LE(eigenvalue_ends(a.view(), {}, 100000).steps, 256);
  EXPECT_LE(singular_value_ends(a.view(), {}, {}, 100000).steps, 512);
}

TEST(Spectrum, TakesTheScaling) {
  const auto a = dense<double>({{4, 2, 0}, {2, 25, 5}, {0, 5, 100}});
  const std::vector<double> scale = {1 / 2.0, 1 / 5.0, 1 / 10.0};
  const auto scaled = dense<double>({{1, 0.2, 0}, {0.2, 1, 0.1}, {0, 0.1, 1}});
  const double by_hand = std::sqrt(0.04 + 0.01);  // the eigenvalues are 1 and 1 +- this
  const SpectrumEnds ends = eigenvalue_ends(a.view(), scale, 10), same = eigenvalue_ends(scaled.view(), {}, 10);
  EXPECT_NEAR(ends.smallest, 1 - by_hand, 1e-14);
  EXPECT_NEAR(ends.largest, 1 + by_hand, 1e-14);
  EXPECT_NEAR(same.smallest, ends.smallest, 1e-14);
  EXPECT_LE(ends.steps, 4);
}

TEST(Spectrum, NegativeEigenvaluesAreFound) {
  const SpectrumEnds ends = eigenvalue_ends(dense<double>({{1, 3}, {3, 1}}).view(), {}, 5);
  EXPECT_NEAR(ends.smallest, -2, 1e-14);
  EXPECT_NEAR(ends.largest, 4, 1e-14);
}

TEST(Spectrum, GolubKahanFindsSingularValuesWhateverTheShape) {
  const auto tall = dense<double>({{3, 0}, {0, -0.5}, {4, 0}}), wide = transpose(tall.view());
  for (const auto& a : {tall, wide}) {
    const SpectrumEnds ends = singular_value_ends(a.view(), {}, {}, 10);
    EXPECT_NEAR(ends.largest, 5, 1e-14);
    EXPECT_NEAR(ends.smallest, 0.5, 1e-14);
    EXPECT_TRUE(ends.settled);
  }
}

TEST(Spectrum, SingularValuesOfASymmetricMatrixAreTheSizesOfItsEigenvalues) {
  const auto a = generate<double>("poisson2d", {.n = 20});
  const SpectrumEnds ends = singular_value_ends(a.view(), {}, {}, 600);
  EXPECT_NEAR(ends.smallest, smallest_of_poisson(20), 1e-6);
  EXPECT_NEAR(ends.largest, largest_of_poisson(20), 1e-6);
}

TEST(Spectrum, SingularValuesTakeBothScalings) {
  const auto a = dense<double>({{10, 0}, {0, 0.2}});
  const std::vector<double> rows = {0.1, 1}, cols = {2, 15};
  const SpectrumEnds ends = singular_value_ends(a.view(), rows, cols, 10);
  EXPECT_NEAR(ends.smallest, 2, 1e-13);
  EXPECT_NEAR(ends.largest, 3, 1e-13);
}

TEST(Spectrum, ASingularMatrixHasASmallestValueOfRounding) {
  const auto a = dense<double>({{1, 2, 3}, {2, 4, 6}, {1, 0, 1}});
  const SpectrumEnds ends = singular_value_ends(a.view(), {}, {}, 20);
  EXPECT_LT(ends.smallest, 1e-13);
  EXPECT_GT(ends.largest, 8);
}

/// As many as there are eigenvalues, each of which a step takes out.
TEST(Spectrum, CgTakesAnIterationForEachEigenvalue) {
  std::vector<Triplet<double>> triplets;
  for (Index i = 0; i < 60; ++i) triplets.push_back({i, i, 1.0 + i % 3});
  const auto a = from_triplets(60, 60, triplets);
  EXPECT_EQ(cg_iterations(a.view(), {}, 1e-8, 100), 3);
  EXPECT_FALSE(cg_iterations(a.view(), {}, 1e-8, 2));
  std::vector<double> roots;
  for (Index i = 0; i < 60; ++i) roots.push_back(1 / std::sqrt(1.0 + i % 3));
  EXPECT_EQ(cg_iterations(a.view(), roots, 1e-8, 100), 1) << "the identity";
}

TEST(Spectrum, CgTakesMoreIterationsForASmallerGoal) {
  const auto a = generate<double>("poisson2d", {.n = 30});
  const auto few = cg_iterations(a.view(), {}, 1e-2, 1000), many = cg_iterations(a.view(), {}, 1e-8, 1000);
  ASSERT_TRUE(few && many);
  EXPECT_GT(*many, *few);
  EXPECT_LT(*many, 120);  // the bound by the condition of 388 is 188
}

TEST(Spectrum, NothingComesOfNothing) {
  EXPECT_EQ(cg_iterations(Csr<double>{}.view(), {}, 1e-8, 10), 0);

  EXPECT_EQ(eigenvalue_ends(Csr<double>{}.view(), {}, 10).steps, 0);
  EXPECT_EQ(singular_value_ends(Csr<double>{}.view(), {}, {}, 10).steps, 0);
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/hessenberg.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/matrices.hpp"

namespace ostinato::test {
namespace {

constexpr double rounding = 1e-15;

/// Random columns of an upper Hessenberg matrix with positive entries below the diagonal.
std::vector<std::vector<double>> random_columns(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<double>> columns;
  for (int j = 0; j < count; ++j) {
    std::vector<double> h(static_cast<std::size_t>(j) + 2);
    for (double& v : h) v = signed_unit(random);
    h.back() = 1.5 + signed_unit(random);
    columns.push_back(h);
  }
  return columns;
}

/// beta e1 - H y
std::vector<long double> remainder(double beta, const std::vector<std::vector<double>>& columns,
                                   const std::vector<double>& y) {
  std::vector<long double> r(columns.size() + 1);
  r[0] = beta;
  for (std::size_t j = 0; j < y.size(); ++j) {
    for (std::size_t i = 0; i < columns[j].size(); ++i) r[i] -= static_cast<long double>(columns[j][i]) * y[j];
  }
  return r;
}

TEST(HessenbergProblem, SolvesOneColumnByHand) {
  Hessenberg problem(5);

  const double residual = problem.absorb(std::vector<double>{3, 4}, rounding);

  EXPECT_DOUBLE_EQ(residual, 4);
  ASSERT_EQ(problem.solve().size(), 1u);
  EXPECT_DOUBLE_EQ(problem.solve()[0], 0.6);
  EXPECT_FALSE(problem.singular());
}

TEST(HessenbergProblem, HasNothingToSolveAtFirst) {
  Hessenberg problem(5);

  EXPECT_EQ(problem.columns(), 0);
  EXPECT_TRUE(problem.solve().empty());
  EXPECT_FALSE(problem.singular());
}

TEST(HessenbergProblem, ReportsTheResidualOfItsSolution) {
  const auto columns = random_columns(40, 1);
  Hessenberg problem(2);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const double reported = problem.absorb(columns[j], rounding);

    const std::vector<std::vector<double>> taken(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(j) + 1);
    long double squares = 0;
    for (const long double v : remainder(2, taken, problem.solve())) squares += v * v;
    EXPECT_NEAR(reported, static_cast<double>(std::sqrt(squares)), 1e-12);
  }
}

// The second column adds nothing but rounding to the first, and would take a y of 1e14.
TEST(HessenbergProblem, DropsColumnsThatMakeYGrow) {
  Hessenberg problem(1), one(1);
  one.absorb(std::vector<double>{2, 1}, rounding);
  problem.absorb(std::vector<double>{2, 1}, rounding);
  problem.absorb(std::vector<double>{2, 1 + 4e-16, 1e-16}, 1e-17);
  ASSERT_GT(std::abs(problem.solve()[1]), 1e14);

  problem.drop_grown(std::numeric_limits<double>::epsilon());

  EXPECT_EQ(problem.solve(), one.solve());
  EXPECT_DOUBLE_EQ(problem.residual(), one.residual());
}

TEST(HessenbergProblem, KeepsColumnsOfOrdinarySize) {
  Hessenberg problem(2);
  for (const auto& column : random_columns(40, 3)) problem.absorb(column, rounding);

  problem.drop_grown(std::numeric_limits<double>::epsilon());

  EXPECT_EQ(problem.columns(), 40);
}

TEST(HessenbergProblem, LeavesAResidualThatNoColumnCanLower) {
  const auto columns = random_columns(25, 2);
  Hessenberg problem(3);
  for (const auto& column : columns) problem.absorb(column, rounding);

  const auto rest = remainder(3, columns, problem.solve());

  for (const auto& column : columns) {
    long double product = 0;
    for (std::size_t i = 0; i < column.size(); ++i) product += rest[i] * column[i];
    EXPECT_NEAR(static_cast<double>(product), 0, 1e-12);
  }
}

TEST(HessenbergProblem, NeverReportsAResidualThatGrows) {
  Hessenberg problem(1);
  double before = 1;
  for (const auto& column : random_columns(60, 3)) {
    const double now = problem.absorb(column, rounding);
    EXPECT_LE(now, before);
    before = now;
  }
}

TEST(HessenbergProblem, TakesRoundingForTheEndOfTheSpace) {
  Hessenberg problem(6);

  const double residual = problem.absorb(std::vector<double>{2, 1e-17}, rounding);

  EXPECT_EQ(residual, 0);
  EXPECT_FALSE(problem.singular());
  EXPECT_DOUBLE_EQ(problem.solve()[0], 3);
}

TEST(HessenbergProblem, ColumnOfZerosIsSingularAndGainsNothing) {
  Hessenberg problem(6);
  const double before = problem.absorb(std::vector<double>{1, 1}, rounding);
  const std::vector<double> y = problem.solve();

  const double after = problem.absorb(std::vector<double>{0, 0, 0}, rounding);
  const bool singular = problem.singular();
  problem.drop();

  EXPECT_TRUE(singular);
  EXPECT_DOUBLE_EQ(after, before);
  EXPECT_EQ(problem.columns(), 1);
  EXPECT_EQ(problem.solve(), y);
}

TEST(HessenbergProblem, IsTheProductOfItsFactors) {
  const auto columns = random_columns(20, 5);
  Hessenberg problem(1);
  for (const auto& column : columns) problem.absorb(column, rounding);
  std::vector<double> y(20);
  for (std::size_t j = 0; j < y.size(); ++j) y[j] = 1 + static_cast<double>(j % 3);

  std::vector<double> z = y;
  problem.divide(z);
  const std::vector<double> q = problem.rotate_back(y);

  ASSERT_EQ(q.size(), 21u);
  const auto difference_of_both = remainder(0, columns, z);  // -H R^-1 y = -Q y
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(static_cast<double>(difference_of_both[i]), -q[i], 1e-11);
}

TEST(HessenbergProblem, DividesByTheTransposeToo) {
  Hessenberg problem(1);
  for (const auto& column : random_columns(20, 6)) problem.absorb(column, rounding);
  std::vector<double> y(20), z(20);
  Random random(4);
  for (std::size_t j = 0; j < y.size(); ++j) y[j] = signed_unit(random), z[j] = signed_unit(random);

  std::vector<double> left = y, right = z;
  problem.divide_transposed(left);
  problem.divide(right);

  double first = 0, second = 0;
  for (std::size_t j = 0; j < y.size(); ++j) first += left[j] * z[j], second += y[j] * right[j];
  EXPECT_NEAR(first, second, 1e-11 * std::abs(first) + 1e-11) << "(R^-T y) . z = y . (R^-1 z)";
}

TEST(HessenbergProblem, NotANumberOrInfinityIsNeverAResidual) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const auto& bad : std::vector<std::vector<double>>{
           {nan, nan, nan}, {0, 0, nan}, {nan, 1, 1}, {infinity, 1, 1}, {1, 1, infinity}, {infinity, nan, 0}}) {
    Hessenberg problem(6);
    problem.absorb(std::vector<double>{2, 1}, rounding);
    const std::vector<double> y = problem.solve();

    const double residual = problem.absorb(bad, rounding);
    problem.drop();

    EXPECT_TRUE(std::isnan(residual)) << residual;
    EXPECT_EQ(problem.solve(), y);
  }
}

}  // namespace
}  // namespace ostinato::test

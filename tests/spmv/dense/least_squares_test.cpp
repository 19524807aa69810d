// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/least_squares.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {
namespace {

constexpr double cut = 1e-14;

TEST(DenseLeastSquares, RefusesWithoutLapack) {
  if (has_dense_least_squares()) GTEST_SKIP() << "built with LAPACK";
  EXPECT_THROW(dense_least_squares(1, 1, {1}, {1}, cut), ArgumentError);
}

class DenseLeastSquaresOfMatrices : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_dense_least_squares()) GTEST_SKIP() << "built without LAPACK";
  }
};

TEST_F(DenseLeastSquaresOfMatrices, SolveASquareSystem) {
  const DenseSolution s = dense_least_squares(2, 2, {2, 1, 1, 3}, {5, 10}, cut);  // [2 1; 1 3], by columns

  EXPECT_EQ(s.rank, 2);
  EXPECT_NEAR(s.x[0], 1, 1e-14);
  EXPECT_NEAR(s.x[1], 3, 1e-14);
}

TEST_F(DenseLeastSquaresOfMatrices, TakeTheSmallestOfManySolutions) {
  const DenseSolution s = dense_least_squares(2, 2, {1, 1, 1, 1}, {2, 2}, cut);

  EXPECT_EQ(s.rank, 1);
  EXPECT_NEAR(s.x[0], 1, 1e-14);
  EXPECT_NEAR(s.x[1], 1, 1e-14);
}

TEST_F(DenseLeastSquaresOfMatrices, MakeTheResidualSmallest) {
  const DenseSolution s = dense_least_squares(3, 1, {1, 1, 1}, {1, 2, 6}, cut);

  EXPECT_NEAR(s.x[0], 3, 1e-14) << "the mean";
}

TEST_F(DenseLeastSquaresOfMatrices, TakeWideMatrices) {
  const DenseSolution s = dense_least_squares(1, 2, {3, 2}, {13}, cut);

  ASSERT_EQ(s.x.size(), 2u);
  EXPECT_NEAR(s.x[0], 3, 1e-14);
  EXPECT_NEAR(s.x[1], 2, 1e-14);
}

TEST_F(DenseLeastSquaresOfMatrices, TakeMatricesWithoutRowsOrColumns) {
  EXPECT_EQ(dense_least_squares(0, 2, {}, {}, cut).x, (std::vector<double>{0, 0}));
  EXPECT_TRUE(dense_least_squares(2, 0, {}, {1, 2}, cut).x.empty());
}

TEST_F(DenseLeastSquaresOfMatrices, HaveRankZeroWithoutEntries) {
  const DenseSolution s = dense_least_squares(2, 2, {0, 0, 0, 0}, {1, 2}, cut);

  EXPECT_EQ(s.rank, 0);
  EXPECT_EQ(s.x, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace ostinato

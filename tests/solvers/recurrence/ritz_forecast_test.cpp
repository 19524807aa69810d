// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/ritz_forecast.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <ostinato/spmv/dense/tridiagonal.hpp>

#include "support/tridiagonals.hpp"

namespace ostinato::test {
namespace {

TEST(RitzForecast, LooksAtPowersOfTwoAndBetween) {
  RitzForecast forecast;
  const Tridiagonal t = line(100);
  const auto at = [&](std::size_t size) {
    const Tridiagonal so_far{{t.diagonal.begin(), t.diagonal.begin() + static_cast<std::ptrdiff_t>(size)},
                             {t.beside.begin(), t.beside.begin() + static_cast<std::ptrdiff_t>(size)}};
    return forecast({static_cast<int>(size), 0.1, 1, &so_far}, 1e-8);
  };
  EXPECT_EQ(at(31), 0);
  const double spread = 1 / std::sin(std::numbers::pi / 33);  // the second smallest is 4 sin(2 pi / 2 / (32 + 1))^2
  EXPECT_NEAR(at(33) / (0.7 * 2 * 0.5 * spread * std::log(2 * 0.1 / 1e-8)), 1, 0.06);
  EXPECT_EQ(at(47), 0) << "nothing new";
  EXPECT_GT(at(48), 0);
  EXPECT_EQ(at(49), 0);
  EXPECT_GT(at(97), 0) << "the look at 64 is left out";
  EXPECT_EQ(at(97), 0) << "that at 96 is done once";
}

TEST(RitzForecast, KnowsNothingOfOtherMethodsAndBeginsAnewAfterARestart) {
  RitzForecast forecast;
  const Tridiagonal t8 = line(8), t32 = line(32);
  EXPECT_EQ(forecast({64, 0.1, 1, nullptr}, 1e-8), 0);
  const double first = forecast({80, 0.1, 1, &t32}, 1e-8);
  EXPECT_GT(first, 0);
  EXPECT_EQ(forecast({88, 0.1, 1, &t8}, 1e-8), 0) << "CG began anew";
  EXPECT_EQ(forecast({112, 0.1, 1, &t32}, 1e-8), first);
}

TEST(RitzForecast, ForeseesNothingWithoutAGoal) {
  RitzForecast forecast;
  const Tridiagonal t32 = line(32);
  EXPECT_EQ(forecast({32, 0.1, 1, &t32}, 0), 0);
}

TEST(RitzForecast, GetsOverASingleSmallEigenvalue) {
  const auto of = [](double smallest) {
    RitzForecast forecast;
    Tridiagonal t = line(32);
    t.diagonal[0] = smallest;
    t.beside[0] = 0;
    return forecast({32, 0.1, 1, &t}, 1e-8);
  };
  EXPECT_GT(of(1e-3), 50);
  EXPECT_NEAR(of(1e-6) / of(1e-3), 1, 0.05);
}

TEST(RitzForecast, GetsOverPiecesThatAreWeaklyJoined) {
  const auto of = [](double smallest) {
    RitzForecast forecast;
    Tridiagonal t = line(64);
    for (std::size_t k = 0; k < 5; ++k) {
      t.diagonal[k] = smallest * static_cast<double>(k + 1);
      t.beside[k] = 0;
    }
    for (std::size_t k = 5; k < 64; ++k) t.diagonal[k] = 3;  // 1 to 5
    return forecast({64, 0.1, 1, &t}, 1e-8);
  };
  EXPECT_GT(of(1e-7), 5);
  EXPECT_LT(of(1e-7), 40) << "as if the five weren't there";
  EXPECT_NEAR(of(1e-4), of(1e-7), 1e-12);
}

}  // namespace
}  // namespace ostinato::test

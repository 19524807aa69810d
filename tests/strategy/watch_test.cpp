// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/watch.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <ostinato/strategy/runs.hpp>

#include "support/tridiagonals.hpp"

namespace ostinato::test {
namespace {

// A residual that falls by `rate` an iteration, each of a second.
int stopped_at(SlowWatch& watch, double rate) {
  for (int n = 1; n < 1000; ++n) {
    if (!watch({n, std::pow(rate, n), static_cast<double>(n)})) return n;
  }
  return 0;
}

TEST(Watch, StopsAPoorMethodAfterItsWindow) {
  for (const double rate : {0.1, 0.5, 0.69}) {
    SlowWatch watch(5, 1e-8, 1000);
    EXPECT_EQ(stopped_at(watch, rate), 0) << rate;
    EXPECT_FALSE(watch.stopped());
  }
  for (const double rate : {0.72, 0.99, 1.0, 1.5}) {
    SlowWatch watch(5, 1e-8, 1000);
    EXPECT_EQ(stopped_at(watch, rate), 6) << rate;
    EXPECT_TRUE(watch.stopped());
    EXPECT_NEAR(watch.pace().rate, rate, 1e-12);
    EXPECT_NEAR(watch.pace().seconds, 1, 1e-12);
  }
}

TEST(Watch, GoesByTheLooserOfTheTwoTolerances) {
  EXPECT_EQ(relative_goal({.rtol = 1e-8}, 100), 1e-8);
  EXPECT_EQ(relative_goal({.rtol = 1e-8, .atol = 1}, 100), 0.01);
  EXPECT_EQ(relative_goal({.rtol = 0.1, .atol = 1}, 100), 0.1);
  EXPECT_EQ(relative_goal({.rtol = 0.1, .atol = 1}, 0), 0.1);
}

TEST(Watch, LeavesAMethodThatIsAboutToEnd) {
  SlowWatch near(5, 0.9, 1000), last(5, 1e-8, 6);
  EXPECT_EQ(stopped_at(near, 0.99), 0) << "the goal was reached: what follows is rounding";
  EXPECT_TRUE(last({1, 1, 1}));
  EXPECT_TRUE(last({6, 1, 6}));
}

TEST(Trial, IsLostByWhoComesLessFar) {
  const Pace other{.residual = 1, .rate = 0.5, .seconds = 1};
  Trial fast(other, 3, 1e-8), slow(other, 3, 1e-8);
  EXPECT_TRUE(fast({1, 2, 1}));
  EXPECT_TRUE(fast({2, 0.1, 3}));
  EXPECT_TRUE(fast({3, 0.1, 8}));
  EXPECT_FALSE(fast({4, 0.1, 9})) << "twice the time is over";
  EXPECT_TRUE(slow({1, 2, 1}));
  EXPECT_FALSE(slow({2, 0.2, 3}));
  EXPECT_TRUE(slow.stopped());
}

TEST(Trial, LeavesAMethodThatIsAboutToEnd) {
  Trial trial({.residual = 1, .rate = 0.5, .seconds = 1}, 3, 0.1);
  EXPECT_TRUE(trial({2, 0.2, 3})) << "0.2 once more is below the goal";
}

Iteration at(int number, double residual, double seconds) { return {number, residual, seconds}; }

TEST(CostWatch, StopsWhatWouldTakeLongerThanTheCost) {
  CostWatch watch(1.0, 1e-8, 10000);
  EXPECT_TRUE(watch(at(0, 1, 0)));
  EXPECT_TRUE(watch(at(10, 0.9, 0.1)));
  EXPECT_FALSE(watch(at(60, 0.5, 0.6)));
  EXPECT_TRUE(watch.stopped());
  EXPECT_NEAR(watch.pace().rate, std::pow(0.5 / 0.9, 1.0 / 50), 1e-12);
}

TEST(CostWatch, LeavesWhatIsNearlyThere) {
  CostWatch watch(1.0, 1e-8, 10000);
  EXPECT_TRUE(watch(at(1, 1, 0)));
  EXPECT_TRUE(watch(at(61, 1e-5, 0.6)));
  EXPECT_TRUE(watch(at(101, 1e-7, 1.0)));
  EXPECT_FALSE(watch.stopped());
}

TEST(CostWatch, JudgesByTheLatestIterations) {
  CostWatch watch(1.0, 1e-8, 10000);
  EXPECT_TRUE(watch(at(1, 1, 0)));
  EXPECT_TRUE(watch(at(26, 1e-6, 0.25)));  // what follows decides, not the fast fall of the start
  EXPECT_FALSE(watch(at(51, 0.9e-6, 0.5)));
  EXPECT_NEAR(watch.pace().rate, std::pow(0.9, 1.0 / 25), 1e-12);
}

TEST(CostWatch, DoesNotJudgeAfterAQuarterOfTheCost) {
  CostWatch watch(1.0, 1e-8, 10000);
  EXPECT_TRUE(watch(at(1, 1, 0)));
  EXPECT_TRUE(watch(at(30, 1, 0.3)));
  EXPECT_TRUE(watch(at(59, 1, 0.59)));
  EXPECT_FALSE(watch(at(61, 1, 0.61)));
}

TEST(CostWatch, JudgesNoLessThanEightIterationsByTheTime) {
  CostWatch watch(1.0, 1e-8, 10000);
  for (int k = 1; k <= 8; ++k) EXPECT_TRUE(watch(at(k, 1, 0.3 * (k - 1)))) << k;
  EXPECT_FALSE(watch(at(9, 1, 2.4)));
}

TEST(CostWatch, LooksWhenHalfOfTheCostIsOver) {
  for (const bool is_steady : {false, true}) {
    CostWatch watch(1.0, 1e-8, 10000, is_steady);
    EXPECT_TRUE(watch(at(1, 1, 0)));
    EXPECT_TRUE(watch(at(25, 1, 0.25)));
    EXPECT_TRUE(watch(at(49, 1, 0.49)));
    EXPECT_FALSE(watch(at(51, 1, 0.51)));
  }
}

TEST(CostWatch, LeavesWhatFallsAsFastAsAnythingElseWould) {
  CostWatch watch(1.0, 1e-8, 10000);
  EXPECT_TRUE(watch(at(1, 1, 0)));
  EXPECT_TRUE(watch(at(3, 1e-2, 6)));  // an iteration takes longer than was thought when the cost was
  EXPECT_FALSE(watch.stopped());
}

TEST(CostWatch, AsksRitzValuesBeforeTheFirstLook) {
  const Tridiagonal t16 = line(16), t32 = line(32), t48 = line(48);
  CostWatch dear(1.5, 1e-8, 10000, false), cheap(3.0, 1e-8, 10000, false), blind(1.5, 1e-8, 10000, false, 0),
      doubled(3.0, 1e-8, 10000, false, 2);
  for (CostWatch* watch : {&dear, &cheap, &blind, &doubled}) {
    EXPECT_TRUE((*watch)({1, 1, 0, nullptr}));
    EXPECT_TRUE((*watch)({16, 0.5, 0.15, &t16}));
    EXPECT_TRUE((*watch)({32, 0.4, 0.31, &t32})) << "the first forecast";
  }
  EXPECT_FALSE(dear({48, 0.3, 0.47, &t48})) << "some 190 iterations of 10 ms";
  EXPECT_NEAR(dear.pace().left, 195, 15);
  EXPECT_NEAR(dear.pace().seconds, 0.01, 1e-12);
  EXPECT_TRUE(cheap({48, 0.3, 0.47, &t48}));
  EXPECT_FALSE(cheap.stopped());
  EXPECT_TRUE(blind({48, 0.3, 0.47, &t48}));
  EXPECT_FALSE(doubled({48, 0.3, 0.47, &t48}));
}

TEST(CostWatch, LeavesNoForecastOutWhereTheFirstCallComesLate) {
  const Tridiagonal t64 = line(64), t96 = line(96), t128 = line(128);
  CostWatch watch(1.0, 1e-8, 10000, false);
  EXPECT_TRUE(watch({64, 0.3, 0.1, &t64}));
  EXPECT_TRUE(watch({96, 0.2, 0.42, &t96}));
  EXPECT_FALSE(watch({128, 0.2, 0.74, &t128}));
}

TEST(SlowText, SaysWhatTellsThatAMethodIsSlow) {
  EXPECT_EQ(runs::slow_text("cg", {.rate = 0.98}, 500), "cg left 0.98 of the residual an iteration, at iteration 500");
  EXPECT_EQ(runs::slow_text("cg", {.rate = 0.98, .left = 1234}, 64),
            "cg would take some 1200 more iterations, by its Ritz values at iteration 64");
  EXPECT_EQ(runs::slow_text("cg", {.rate = 0.98, .left = 1.3e5}, 64),
            "cg would take over 10000 more iterations, by its Ritz values at iteration 64");
}

TEST(CostWatch, CountsTheIterationsThatAreLeft) {
  CostWatch watch(1.0, 1e-8, 100);
  EXPECT_TRUE(watch(at(1, 1, 0)));
  EXPECT_FALSE(watch(at(51, 1e-2, 0.6)));
}

}  // namespace
}  // namespace ostinato::test

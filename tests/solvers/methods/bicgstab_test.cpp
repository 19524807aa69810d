// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/bicgstab.hpp>

#include <gtest/gtest.h>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class BicgstabOn : public SpaceTest<Case> {
 protected:
  template <class T, class M = Identity>
  Solved<T> solve(const System<T>& system, const SolveOptions& options, const M& m = {}) const {
    return solve_honestly<Bicgstab>(this->space(), system, options, m);
  }
};

TYPED_TEST_SUITE(BicgstabOn, EverySpace, SpaceNames);

TYPED_TEST(BicgstabOn, FollowsTheMethodByHand) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{2, 1}, {0, 4}}), {1, 1}};

  const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 1});

  // p = s0 = (1, 1), v = (3, 4), alpha = 2 / 7, s = (1/7, -1/7), t = (1/7, -4/7), omega = (5/49) / (17/49) = 5 / 17
  EXPECT_NEAR(x[0], 2 / 7.0 + 5 / 119.0, 1e-6);
  EXPECT_NEAR(x[1], 2 / 7.0 - 5 / 119.0, 1e-6);
  EXPECT_EQ(result.iterations, 1);
}

TYPED_TEST(BicgstabOn, StartsAnewAfterABreakdown) {
  using T = typename TypeParam::T;
  // s0 = e1, v = (2, 1, 0), alpha = 1/2, s = (0, -1/2, 0), t = (0, -1/2, -1/2), omega = 1/2, r = (0, -1/4, 1/4): all
  // exact. The shadow residual s0 is orthogonal to r, a breakdown. The restart from this r needs two more iterations.
  const System<T> system{dense<T>({{2, 0, 0}, {1, 1, 0}, {0, 1, 1}}), {1, 0, 0}};

  const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 100});

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_EQ(restarts(result), 1);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_NEAR(result.history[1], std::sqrt(1 / 8.0), 1e-6);
  EXPECT_NEAR(x[0], 0.5, 1e-5);
  EXPECT_NEAR(x[1], -0.5, 1e-5);
  EXPECT_NEAR(x[2], 0.5, 1e-5);
}

TYPED_TEST(BicgstabOn, EndsWithABreakdownThatGainedNothing) {
  using T = typename TypeParam::T;
  // In the first iteration both s0 . A s0 and t . r are 0.
  const System<T> system{dense<T>({{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, 1, 1}}), {1, 0, 0, 0}};

  const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 100});

  EXPECT_EQ(result.status, Status::breakdown) << result.message();
  EXPECT_EQ(restarts(result), 0);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(x, system.x0);
}

TYPED_TEST(BicgstabOn, ConvergesInTheFirstHalfStepToo) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}), {2, 4, 6}};

  const auto [result, x] = this->solve(system, {.rtol = 1e-6});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(x, (std::vector<T>{1, 2, 3}));
}

}  // namespace
}  // namespace ostinato::test

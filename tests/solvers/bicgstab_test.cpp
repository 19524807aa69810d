// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/bicgstab.hpp>

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

TYPED_TEST(BicgstabOn, SolvesEveryFamily) {
  using T = typename TypeParam::T;
  for (const char* family : {"convection-diffusion2d", "convection-diffusion3d", "pde2d", "pde3d", "kgs2d", "maxwell2d",
                             "banded", "random", "dense-row", "powerlaw", "poisson2d", "fem27"}) {
    SCOPED_TRACE(family);
    const std::string name = family;
    const bool cube = name.find("3d") != std::string::npos || name == "fem27";
    const auto system = with_known_solution(generate<T>(family, {.n = cube                                   ? 10
                                                                      : name.find("2d") != std::string::npos ? 30
                                                                                                             : 900}));
    const Jacobi m(this->space(), system.a);

    const auto plain = this->solve(system, {.rtol = attainable<T>()});
    const auto with = this->solve(system, {.rtol = attainable<T>()}, m);

    EXPECT_EQ(plain.result.status, Status::converged) << plain.result.message();
    EXPECT_EQ(with.result.status, Status::converged) << with.result.message();
  }
}

TYPED_TEST(BicgstabOn, StartsAnewAfterABreakdown) {
  using T = typename TypeParam::T;
  // s0 . A s0 = 0 in the first step.
  const System<T> system{dense<T>({{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, 1, 1}}), {1, 0, 0, 0}};

  const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 100});

  EXPECT_TRUE(result.status == Status::converged || result.status == Status::breakdown) << result.message();
  EXPECT_LT(result.iterations, 20);
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

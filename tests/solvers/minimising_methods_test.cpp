// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <type_traits>

#include <ostinato/solvers/methods/gcrodr.hpp>
#include <ostinato/solvers/methods/gmres.hpp>

#include "support/solving.hpp"

// What holds for GMRES and for GCRO-DR, whose cycles are those of GMRES.

namespace ostinato::test {
namespace {

template <class Case>
class MinimisingMethodsOn : public SpaceTest<Case> {
 protected:
  /// Calls check(method, solve) for each method, where solve(system, options) solves with the method.
  template <class Check>
  void with_each(Check check) const {
    with<Gmres>(check);
    with<Gcrodr>(check);
  }

 private:
  template <class Method, class Check>
  void with(Check check) const {
    SCOPED_TRACE(Method::name);
    check(Method(), [this](const auto& system, const SolveOptions& options) {
      return solve_honestly<Method>(this->space(), system, options);
    });
  }
};

TYPED_TEST_SUITE(MinimisingMethodsOn, EverySpace, SpaceNames);

TYPED_TEST(MinimisingMethodsOn, MinimiseByHand) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{1, 1}, {0, 1}}), {1, 1}};

  this->with_each([&](auto, auto solve) {
    const auto [result, x] = solve(system, {.rtol = 1e-5, .max_iterations = 1});

    // x = y b with the y that minimises |b - y A b|. A b = (2, 1), so y = 3 / 5.
    EXPECT_NEAR(x[0], 0.6, 1e-6);
    EXPECT_NEAR(x[1], 0.6, 1e-6);
    EXPECT_NEAR(result.history[1], std::sqrt(0.2 / 2), 1e-6);
  });
}

TYPED_TEST(MinimisingMethodsOn, NeverRaiseTheResidual) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("convection-diffusion2d", {.n = 20}));
  this->with_each([&](auto method, auto solve) {
    const double rounding = std::is_same_v<decltype(method), Gcrodr> ? 2e-4 : 1e-4;
    for (const int restart : {1, 2, 3, 10, 400}) {
      const auto result = solve(system, {.rtol = 1e-4, .restart = restart}).result;

      EXPECT_EQ(result.status, Status::converged) << result.message();
      for (std::size_t k = 1; k < result.history.size(); ++k)
        EXPECT_LE(result.history[k], result.history[k - 1] * (1 + rounding)) << restart << " " << k;
    }
  });
}

TYPED_TEST(MinimisingMethodsOn, SayThatAStallingRestartStagnates) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 20; ++i) triplets.push_back({i, (i + 1) % 20, 1});
  System<T> system{from_triplets<T>(20, 20, triplets), std::vector<T>(20)};
  system.b[0] = 1;

  this->with_each([&](auto, auto solve) {
    const auto result = solve(system, {.rtol = 1e-5, .restart = 5}).result;

    EXPECT_EQ(result.status, Status::stagnated);
    EXPECT_LE(result.iterations, 40);
  });
}

}  // namespace
}  // namespace ostinato::test

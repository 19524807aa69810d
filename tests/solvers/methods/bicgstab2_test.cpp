// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/bicgstab2.hpp>

#include <gtest/gtest.h>

#include <ostinato/solvers/methods/bicgstab.hpp>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class Bicgstab2On : public SpaceTest<Case> {
 protected:
  template <class T, class M = Identity>
  Solved<T> solve(const System<T>& system, const SolveOptions& options, const M& m = {}) const {
    return solve_honestly<Bicgstab2>(this->space(), system, options, m);
  }
};

TYPED_TEST_SUITE(Bicgstab2On, EverySpace, SpaceNames);

/// Eigenvalues 0.2 +- i d for d = 1 .. 20.
template <class T>
Csr<T> rotations() {
  std::vector<Triplet<T>> triplets;
  for (Index k = 0; k < 20; ++k) {
    const T d = static_cast<T>(k + 1);
    for (const Index i : {2 * k, 2 * k + 1}) triplets.push_back({i, i, T(0.2)});
    triplets.push_back({2 * k, 2 * k + 1, d});
    triplets.push_back({2 * k + 1, 2 * k, -d});
  }
  return from_triplets<T>(40, 40, triplets);
}

TYPED_TEST(Bicgstab2On, SolvesFourUnknownsInTwoIterations) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(dense<T>({{4, 1, 0, 1}, {0, 5, 1, 0}, {1, 0, 6, 1}, {0, 2, 0, 5}}));

  const auto result = this->solve(system, {.rtol = 1e-4}).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_LE(result.iterations, 2);
}

TYPED_TEST(Bicgstab2On, SolvesARotationInOneIteration) {
  using T = typename TypeParam::T;
  // s0 . A s0 = 0: the BiCG steps change nothing, and A^2 = -1 gives r = 0 for omega_2 = -1.
  const System<T> system{dense<T>({{0, 1}, {-1, 0}}), {1, 0}};

  const auto [result, x] = this->solve(system, {.rtol = 1e-5});

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_EQ(result.iterations, 1);
  EXPECT_NEAR(x[0], 0, 1e-6);
  EXPECT_NEAR(x[1], 1, 1e-6);
}

TYPED_TEST(Bicgstab2On, BearsEigenvaluesNearTheImaginaryAxis) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(rotations<T>());
  const SolveOptions options{.rtol = 1e-4, .max_iterations = 200};

  const auto two = this->solve(system, options).result;
  const auto one = solve_honestly<Bicgstab>(this->space(), system, options).result;

  EXPECT_EQ(two.status, Status::converged) << two.message();
  EXPECT_FALSE(one && one.iterations <= 2 * two.iterations) << one.message();
}

TYPED_TEST(Bicgstab2On, EndsWithABreakdownOnANilpotentMatrix) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}), {0, 0, 1}};

  const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 1000});

  EXPECT_NE(result.status, Status::converged) << "e3 isn't in the range";
  EXPECT_NE(result.status, Status::iteration_limit);
  EXPECT_TRUE(all_finite(x));
}

}  // namespace
}  // namespace ostinato::test

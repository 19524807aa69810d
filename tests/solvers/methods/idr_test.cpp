// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/idr.hpp>

#include <gtest/gtest.h>

#include <ostinato/solvers/methods/bicgstab.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class IdrOn : public SpaceTest<Case> {
 protected:
  template <class T, class M = Identity>
  Solved<T> solve(const System<T>& system, const SolveOptions& options, const M& m = {}) const {
    return solve_honestly<Idr>(this->space(), system, options, m);
  }
};

TYPED_TEST_SUITE(IdrOn, EverySpace, SpaceNames);

TYPED_TEST(IdrOn, EndsInAsManyStepsAsThereAreUnknownsAndCycles) {
  using T = typename TypeParam::T;
  // In exact arithmetic n + n / s products are enough.
  const auto system = with_known_solution(dense<T>({{4, 1, 0, 0, 2, 0},
                                                    {0, 5, 1, 0, 0, 1},
                                                    {1, 0, 6, 1, 0, 0},
                                                    {0, 2, 0, 5, 1, 0},
                                                    {0, 0, 1, 0, 4, 1},
                                                    {1, 0, 0, 2, 0, 6}}));
  for (const int shadow : {1, 2, 3, 6}) {
    const auto result = this->solve(system, {.rtol = 1e-4, .shadow = shadow}).result;

    EXPECT_EQ(result.status, Status::converged) << result.message();
    EXPECT_LE(result.iterations, 6 + 6 / shadow) << shadow;
  }
}

TYPED_TEST(IdrOn, MoreShadowVectorsTakeFewerProducts) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("convection-diffusion2d", {.n = 40}));

  const auto one = this->solve(system, {.rtol = 1e-5, .shadow = 1}).result;
  const auto four = this->solve(system, {.rtol = 1e-5, .shadow = 4}).result;

  EXPECT_EQ(one.status, Status::converged);
  EXPECT_EQ(four.status, Status::converged);
  EXPECT_LT(four.iterations, one.iterations);
  EXPECT_GT(four.workspace_bytes, one.workspace_bytes);
}

TYPED_TEST(IdrOn, SolvesASkewSymmetricSystemOnWhichBicgstabFails) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i + 1 < 40; ++i) {
    triplets.push_back({i, i + 1, T(1 + i % 3)});
    triplets.push_back({i + 1, i, T(-1 - i % 3)});
  }
  const auto system = with_known_solution(from_triplets<T>(40, 40, triplets));

  const auto idr_result = this->solve(system, {.rtol = 1e-3, .max_iterations = 2000}).result;
  const auto bicgstab_result =
      solve_honestly<Bicgstab>(this->space(), system, {.rtol = 1e-3, .max_iterations = 2000}).result;

  EXPECT_EQ(idr_result.status, Status::converged) << idr_result.message();
  EXPECT_NE(bicgstab_result.status, Status::converged) << bicgstab_result.message();
}

TYPED_TEST(IdrOn, GoesOnFromTheXOfAnotherRun) {
  using T = typename TypeParam::T;
  // The residual that some steps leave is orthogonal to the shadow vectors with which the next run begins.
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 20}));
  const AnyPreconditioner<typename TypeParam::Space, T> complete(this->space(), system.a, "lu");
  for (const int steps : {1, 2, 3, 4, 6}) {
    auto further = system;
    further.x0 = this->solve(system, {.rtol = 1e-5, .max_iterations = steps}).x;

    const auto result = this->solve(further, {.rtol = 1e-4}, complete).result;

    EXPECT_EQ(result.status, Status::converged) << result.message();
  }
}

TYPED_TEST(IdrOn, EndsWithABreakdownOnANilpotentMatrix) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}), {0, 0, 1}};

  const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 1000});

  EXPECT_NE(result.status, Status::converged) << "e3 isn't in the range";
  EXPECT_NE(result.status, Status::iteration_limit);
  EXPECT_TRUE(all_finite(x));
}

TYPED_TEST(IdrOn, RefusesAnSThatItCannotHave) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 5}));
  for (const int shadow : {-1, 0, most_shadow_vectors + 1}) {
    const auto text = message_of<ArgumentError>([&] { this->solve(system, {.shadow = shadow}); });

    EXPECT_NE(text.find("SolveOptions: shadow is " + std::to_string(shadow)), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace ostinato::test

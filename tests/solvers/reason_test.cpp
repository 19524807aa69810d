// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>

#include "support/solving.hpp"

// SolveResult::reason: why a solve ended, in a sentence.

namespace ostinato::test {
namespace {

/// A stop that was requested before the solve.
struct UserStop {
  bool stop_requested() const { return true; }
};

OSTINATO_METHOD_TEST(Reason, IsInTheMessageOfEverySolveThatFails) {
  auto system = this->poisson();
  system.b[4] = this->nan;

  const SolveResult failed = this->solve(system).result, good = this->solve(this->poisson()).result;

  EXPECT_EQ(failed.reason, "b holds NaN in row 4 (counted from 0)");
  EXPECT_TRUE(failed.message().ends_with(": b holds NaN in row 4 (counted from 0)")) << failed.message();
  EXPECT_NE(failed.message().find(this->name() + ": not finite after 0 iterations"), std::string::npos);
  EXPECT_EQ(good.reason, "");
  EXPECT_NE(good.message().find("(recomputed)"), std::string::npos) << good.message();
}

OSTINATO_METHOD_TEST(Reason, NamesTheSourceOfANumberThatIsNotFinite) {
  auto guess = this->poisson(), matrix = this->poisson();
  guess.x0[2] = -std::numeric_limits<T>::infinity();
  matrix.a.val[0] = this->nan;
  const auto system = this->poisson();
  const UserDiagonal<Space, T> bad(this->space(), std::vector<T>(system.b.size(), this->nan));
  const Operator<Space, T> op(this->space(), system.a);

  EXPECT_EQ(this->solve(guess).result.reason, "the guess holds infinity in row 2 (counted from 0)");
  EXPECT_EQ(this->solve(matrix).result.reason, "A holds NaN or infinity in row 0 (counted from 0)");
  EXPECT_EQ(this->run_with(op, system, {}, bad).result.reason, "M^-1 b isn't finite in row 0 (counted from 0)");
}

OSTINATO_METHOD_TEST(Reason, NamesTheLimit) {
  const auto system = this->poisson();

  EXPECT_EQ(this->solve(system, {.max_iterations = 1}).result.reason, "the limit of 1 iteration was reached");
  EXPECT_EQ(this->solve(system, {.max_iterations = 3}).result.reason, "the limit of 3 iterations was reached");
  const SolveResult stopped =
      this->solve(system, {.check_every = 1, .callback = [](const Iteration&) { return false; }}).result;
  EXPECT_EQ(stopped.reason, "the callback ended the solve at iteration " + std::to_string(stopped.iterations));
  const UserStop stop;
  const SolveResult asked = this->solve(system, {.check_every = 1, .stop = stop}).result;
  EXPECT_EQ(asked.reason, "a stop was requested at iteration " + std::to_string(asked.iterations));
  const SolveResult late = this->solve(system, {.rtol = 0, .time_limit = 1e-9}).result;
  EXPECT_NE(late.reason.find("the limit of 1e-09 s was reached at iteration "), std::string::npos) << late.reason;
}

OSTINATO_METHOD_TEST(Reason, SaysThatConstantsSolveTheHomogeneousSystem) {
  System<T> system{ring<T>(12), std::vector<T>(12)};
  system.b[0] = 3;

  const SolveResult result = this->solve(system, {.rtol = 1e-5}).result;

  EXPECT_NE(result.status, Status::converged);
  EXPECT_EQ(
      result.reason.find(
          "A * ones = 0: A is singular, constants solve A x = 0; so b would have to add up to 0, but adds up to 3"),
      0u)
      << result.reason;
}

OSTINATO_METHOD_TEST(Reason, DoesNotCallAMatrixSingularWhoseRowsDifferInSize) {
  const T large = T(1e18), larger = large * (1 + 2 * std::numeric_limits<T>::epsilon());
  const System<T> system{dense<T>({{large, -large, 0}, {-large, larger, 0}, {0, 0, 1}}), {1, 2, 1}};

  const SolveResult result = this->solve(system).result;

  EXPECT_EQ(result.reason.find("constants solve"), std::string::npos) << result.reason;
}

OSTINATO_METHOD_TEST(Reason, CountsRowsWithoutEntries) {
  const System<T> system{from_triplets<T>(3, 3, std::vector<Triplet<T>>{{0, 0, 2}, {2, 2, 1}}), {1, 1, 1}};

  const SolveResult result = this->solve(system).result;

  EXPECT_NE(result.status, Status::converged);
  EXPECT_EQ(result.reason.find("A is singular: 1 row has no entries"), 0u) << result.reason;
}

OSTINATO_METHOD_TEST(Reason, SaysThatXIsZeroWithB) {
  const auto system = this->poisson();
  const System<T> zero{system.a, std::vector<T>(system.b.size())};

  EXPECT_EQ(this->solve(zero).result.reason, "b = 0, and so is x");
}

OSTINATO_METHOD_TEST(Reason, RefusesOptionsThatCannotBe) {
  const auto system = this->poisson();
  const auto refusal = [&](const SolveOptions& options) {
    return message_of<ArgumentError>([&] { this->run(system, options); });
  };

  EXPECT_EQ(refusal({.rtol = -1}), "SolveOptions: rtol is -1; it has to be at least 0");
  EXPECT_EQ(refusal({.atol = std::nan("")}), "SolveOptions: atol is nan; it has to be at least 0");
  EXPECT_EQ(refusal({.max_iterations = -1}), "SolveOptions: max_iterations is -1; it has to be at least 0");
  EXPECT_EQ(refusal({.time_limit = -2}), "SolveOptions: time_limit is -2; it has to be at least 0");
  EXPECT_EQ(refusal({.divergence_limit = -1}), "SolveOptions: divergence_limit is -1; it has to be at least 0");
  EXPECT_EQ(refusal({.restart = -1}), "SolveOptions: restart is -1; it has to be at least 0");
  EXPECT_EQ(refusal({.check_every = -4}), "SolveOptions: check_every is -4; it has to be at least 0");
}

template <class Case>
class CgReason : public SpaceTest<Case> {
 protected:
  SolveResult solve(const System<typename Case::T>& system) const {
    return solve_honestly<Cg>(this->space(), system, {.rtol = 1e-5}).result;
  }
};
TYPED_TEST_SUITE(CgReason, EverySpace, SpaceNames);

TYPED_TEST(CgReason, GivesTheCurvatureAndItsIteration) {
  using T = typename TypeParam::T;

  const SolveResult result = this->solve({dense<T>({{1, 2}, {2, 1}}), {1, -1}});

  EXPECT_EQ(result.status, Status::breakdown);
  EXPECT_EQ(result.reason, "p . A p = -2 at iteration 0: A isn't positive definite");
}

TYPED_TEST(CgReason, GivesTheCurvatureOfTheCallersSystem) {
  using T = typename TypeParam::T;
  const T large = is_single<T> ? T(1e15) : T(1e100);  // so that the solve scales A and b

  const SolveResult result = this->solve({dense<T>({{1, 2 * large}, {2 * large, 1}}), {large, -large}});

  EXPECT_EQ(result.reason.substr(0, 10), "p . A p = ");
  const double curvature = std::stod(result.reason.substr(10));
  EXPECT_NEAR(std::log10(-curvature), std::log10(4) + 3 * std::log10(static_cast<double>(large)), 0.01)
      << result.reason;
}

TYPED_TEST(CgReason, NamesThePreconditionerThatIsNotDefinite) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 4}));
  const UserDiagonal<typename TypeParam::Space, T> negative(this->space(), std::vector<T>(16, T{-1}));

  const SolveResult result = run<Cg>(this->space(), system, {}, negative).result;

  EXPECT_EQ(result.reason.substr(0, 14), "r . M^-1 r = -");
  EXPECT_NE(result.reason.find("at iteration 0: the preconditioner isn't positive definite"), std::string::npos);
}

TYPED_TEST(CgReason, NamesTheSymmetryThatIsMissing) {
  using T = typename TypeParam::T;

  const SolveResult result = this->solve({dense<T>({{1, 9, 0}, {-3, 1, 4}, {0, 7, 2}}), {1, 2, 3}});

  EXPECT_NE(result.status, Status::converged);
  EXPECT_EQ(result.reason, "A isn't symmetric; cg needs that");
}

/// -A x = -b, and A x = b for the negative of a generated matrix.
template <class T>
System<T> negated(System<T> system) {
  for (T& v : system.a.val) v = -v;
  for (T& v : system.b) v = -v;
  return system;
}

TYPED_TEST(CgReason, SolvesANegativeDefiniteSystemInTheSameSteps) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("variable2d", {.n = 20}));

  const auto positive = solve_honestly<Cg>(this->space(), system, {.rtol = 1e-5});
  const auto negative = solve_honestly<Cg>(this->space(), negated(system), {.rtol = 1e-5});

  EXPECT_EQ(negative.result.status, Status::converged);
  EXPECT_EQ(negative.result.iterations, positive.result.iterations);
  EXPECT_EQ(negative.x, positive.x);
  EXPECT_TRUE(mentions(negative.result, "the diagonal of A is negative: cg solved -A x = -b"));
}

TYPED_TEST(CgReason, SolvesANegativeDefiniteSystemWithAnyDefinitePreconditioner) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = negated(with_known_solution(generate<T>("variable2d", {.n = 20})));
  const Analysis<Space, T> analysis(this->space(), system.a);
  const Operator<Space, T> op(analysis);
  const Jacobi<Space, T> of_diagonal(this->space(), system.a), absolute(analysis);

  for (const auto* m : {&of_diagonal, &absolute}) {
    const auto solved = run_with<Cg>(this->space(), op, system, *m, {.rtol = 1e-5});
    EXPECT_EQ(solved.result.status, Status::converged) << solved.result.message();
    expect_honest(solved, system, {.rtol = 1e-5});
  }
}

TYPED_TEST(CgReason, SaysThatANegativeDiagonalWasNotEnough) {
  using T = typename TypeParam::T;

  const SolveResult result = this->solve({dense<T>({{-1, 2}, {2, -1}}), {1, 1}});

  EXPECT_EQ(result.status, Status::breakdown);
  EXPECT_EQ(result.reason, "p . A p = 2 at iteration 0: A isn't negative definite");
}

TEST(Message, TellsOfIterationsByAnotherMethod) {
  SolveResult result;
  result.solver = "gmres";
  result.iterations = 49;
  EXPECT_NE(result.message().find("converged after 49 iterations in"), std::string::npos) << result.message();

  result.stages = {{.method = "cg", .preconditioner = "jacobi", .iterations = 48},
                   {.method = "gmres", .preconditioner = "lu", .iterations = 1}};
  EXPECT_NE(result.message().find("after 49 iterations (48 by cg) in"), std::string::npos) << result.message();
}

}  // namespace
}  // namespace ostinato::test

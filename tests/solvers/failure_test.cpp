// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/space/error.hpp>

#include "support/solving.hpp"

// What every method must do when there is nothing to do, when it can't be done, and when it is told to stop.

namespace ostinato::test {
namespace {

template <class Case>
class Failure : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  static constexpr Value nan = std::numeric_limits<Value>::quiet_NaN();

  Solved<Value> solve(const System<Value>& system, const SolveOptions& options = {.rtol = 1e-5}) const {
    return solve_honestly<typename Case::Method>(this->space(), system, options);
  }

  static bool is(const char* name) { return std::string(Case::Method::name) == name; }

  static System<Value> poisson(Index n = 20) { return with_known_solution(generate<Value>("poisson2d", {.n = n})); }
};

TYPED_TEST_SUITE(Failure, EveryMethod, MethodNames);

// Nothing to do.

TYPED_TEST(Failure, ZeroRightHandSideGivesZeroAtOnce) {
  auto system = this->poisson();
  system.b.assign(system.b.size(), 0);
  system.x0 = random_vector<typename TypeParam::T>(400, 3);

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.residual, 0);
  EXPECT_EQ(result.relative_residual, 0);
  EXPECT_EQ(x, std::vector<typename TypeParam::T>(400));
}

TYPED_TEST(Failure, ExactGuessNeedsNoIteration) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{4, -1, 0}, {-1, 4, -1}, {0, -1, 4}}), {2, 4, 10}, {1, 2, 3}};

  const auto [result, x] = this->solve(system, {.rtol = 0});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.residual, 0);
  EXPECT_EQ(x, system.x0);
}

TYPED_TEST(Failure, EmptySystemIsSolved) {
  using T = typename TypeParam::T;

  const auto [result, x] = this->solve(System<T>{from_triplets<T>(0, 0, {}), {}});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 0);
}

TYPED_TEST(Failure, TinySystemsAreSolvedInAsManySteps) {
  using T = typename TypeParam::T;
  const System<T> one{dense<T>({{4}}), {8}}, two{dense<T>({{2, 1}, {1, 3}}), {4, 7}};

  const auto first = this->solve(one), second = this->solve(two);

  EXPECT_EQ(first.result.status, Status::converged);
  EXPECT_LE(first.result.iterations, 1);
  EXPECT_NEAR(first.x[0], 2, 1e-5);
  EXPECT_EQ(second.result.status, Status::converged);
  EXPECT_LE(second.result.iterations, 2);
  EXPECT_NEAR(second.x[0], 1, 1e-4);
  EXPECT_NEAR(second.x[1], 2, 1e-4);
}

// Told to stop.

TYPED_TEST(Failure, StopsAtTheIterationLimit) {
  const auto system = this->poisson();
  for (const int limit : {0, 1, 2, 5}) {
    for (const int every : {0, 1, 3}) {
      const auto [result, x] = this->solve(system, {.rtol = 1e-6, .max_iterations = limit, .check_every = every});

      EXPECT_EQ(result.status, Status::iteration_limit);
      EXPECT_EQ(result.iterations, limit);
      EXPECT_EQ(x == system.x0, limit == 0);
    }
  }
}

TYPED_TEST(Failure, StopsAtTheIterationLimitInALaterCycle) {
  const auto system = this->poisson();

  const auto result = this->solve(system, {.rtol = 1e-6, .max_iterations = 13, .restart = 5}).result;

  EXPECT_EQ(result.status, Status::iteration_limit);
  EXPECT_EQ(result.iterations, 13);
}

TYPED_TEST(Failure, StopsAtTheTimeLimit) {
  const auto system = this->poisson(60);

  const auto result = this->solve(system, {.rtol = 1e-30, .time_limit = 1e-12, .check_every = 1}).result;

  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_LE(result.iterations, 10);
}

TYPED_TEST(Failure, StopsWhenTheCallbackSaysSo) {
  const auto system = this->poisson(40);
  int calls = 0, calls_after = 0, seen = 0;
  SolveOptions options{.rtol = 1e-6, .check_every = 2};
  options.callback = [&](const Iteration& i) {
    calls_after += calls >= 3;
    seen = i.number;
    return ++calls < 3;
  };

  const auto result = this->solve(system, options).result;

  EXPECT_EQ(result.status, Status::interrupted);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(calls_after, 0);
  EXPECT_EQ(seen, 6);
  EXPECT_GE(result.iterations, seen);
}

TYPED_TEST(Failure, CallbackHearsWhatTheHistoryKeeps) {
  const auto system = this->poisson();
  std::vector<Iteration> heard;
  SolveOptions options{.rtol = 1e-5, .restart = 7, .check_every = 3};
  options.callback = [&](const Iteration& i) {
    heard.push_back(i);
    return true;
  };

  const auto result = this->solve(system, options).result;

  EXPECT_EQ(result.status, Status::converged);
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard.back().number, result.iterations);
  for (std::size_t k = 0; k < heard.size(); ++k) {
    EXPECT_GT(heard[k].number, k == 0 ? 0 : heard[k - 1].number);
    EXPECT_GE(heard[k].seconds, k == 0 ? 0 : heard[k - 1].seconds);
    EXPECT_EQ(heard[k].relative_residual, result.history[static_cast<std::size_t>(heard[k].number)]);
  }
}

TYPED_TEST(Failure, KeepsNoHistoryWhenNotAsked) {
  const auto system = this->poisson();

  const auto with = this->solve(system), without = this->solve(system, {.rtol = 1e-5, .history = false});

  EXPECT_TRUE(without.result.history.empty());
  EXPECT_EQ(without.result.iterations, with.result.iterations);
  EXPECT_TRUE(same_bits(without.x, with.x));
}

// It can't be done.

TYPED_TEST(Failure, NamesTheShapesThatDoNotFit) {
  using T = typename TypeParam::T;
  using Method = typename TypeParam::Method;
  const auto square = dense<T>({{2, 1}, {1, 3}});
  const System<T> wide{dense<T>({{1, 2, 3}, {4, 5, 6}}), {1, 2}}, short_b{square, {1}, {0, 0}},
      short_x{square, {1, 2}, {0, 0, 0}};

  const auto a = message_of<DimensionError>([&] { run<Method>(this->space(), wide, {}); });
  const auto b = message_of<DimensionError>([&] { run<Method>(this->space(), short_b, {}); });
  const auto x = message_of<DimensionError>([&] { run<Method>(this->space(), short_x, {}); });

  EXPECT_NE(a.find("2 x 3"), std::string::npos) << a;
  EXPECT_NE(b.find("b has 1"), std::string::npos) << b;
  EXPECT_NE(x.find("x 3"), std::string::npos) << x;
  for (const std::string& text : {a, b, x}) EXPECT_EQ(text.find(TypeParam::Method::name), 0u) << text;
}

TYPED_TEST(Failure, NanOrInfinityInTheMatrixIsNotFinite) {
  using T = typename TypeParam::T;
  for (const T bad : {this->nan, std::numeric_limits<T>::infinity()}) {
    auto system = this->poisson();
    system.a.val[777] = bad;

    const auto [result, x] = this->solve(system);

    EXPECT_EQ(result.status, Status::not_finite);
    EXPECT_EQ(x, system.x0);
  }
}

TYPED_TEST(Failure, NanOrInfinityInTheRightHandSideIsNotFinite) {
  using T = typename TypeParam::T;
  for (const T bad : {this->nan, std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()}) {
    auto system = this->poisson();
    system.b[7] = bad;

    const auto [result, x] = this->solve(system);

    EXPECT_EQ(result.status, Status::not_finite);
    EXPECT_EQ(x, system.x0);
  }
}

TYPED_TEST(Failure, NanInTheGuessIsNotFinite) {
  auto system = this->poisson();
  system.x0[3] = this->nan;

  EXPECT_EQ(this->solve(system).result.status, Status::not_finite);
}

TYPED_TEST(Failure, KeepsTheLastFiniteIterateWhenAProductFails) {
  const auto system = this->poisson();
  const Operator op(this->space(), system.a);
  for (int bad = 1; bad < 30; ++bad) {
    SCOPED_TRACE(bad);
    const SolveOptions options{.rtol = 1e-5, .restart = 10};

    const auto solved =
        run_with<typename TypeParam::Method>(this->space(), FailingAt(op, bad), system, Identity{}, options);

    EXPECT_TRUE(all_finite(solved.x));
    if (solved.result.status == Status::converged) expect_honest(solved, system, options);
  }
}

TYPED_TEST(Failure, ZeroMatrixIsNotSolved) {
  using T = typename TypeParam::T;
  const System<T> nothing{from_triplets<T>(31, 31, {}), std::vector<T>(31, 2)};

  const auto [result, x] = this->solve(nothing);

  EXPECT_TRUE(result.status == Status::breakdown || result.status == Status::stagnated) << result.message();
  EXPECT_LE(result.iterations, 10);
  EXPECT_EQ(x, nothing.x0);
  EXPECT_EQ(result.relative_residual, 1);
  for (const double h : result.history) EXPECT_EQ(h, 1);
}

TYPED_TEST(Failure, IndefiniteMatrixBreaksCgDownAtOnceAndNoOther) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{1, 0, 0}, {0, -1, 0}, {0, 0, 3}}), {1, 3, 0}};

  const auto [result, x] = this->solve(system);

  if (this->is("cg")) {
    EXPECT_EQ(result.status, Status::breakdown);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(x, system.x0);
  } else {
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(x[1], -3, 1e-4);
  }
}

TYPED_TEST(Failure, NegativeCurvatureIsNoticedWhenItIsMet) {
  using T = typename TypeParam::T;
  auto d = std::vector<T>(50);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<T>(i + 1);
  d[10] = T(-0.5);
  const auto system = with_known_solution(diagonal_matrix(d));

  const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 1000});

  EXPECT_EQ(result.status, this->is("cg") ? Status::breakdown : Status::converged) << result.message();
  EXPECT_TRUE(all_finite(x));
}

TYPED_TEST(Failure, SingularConsistentSystemIsSolved) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 0}}), {1, 2, 3, 0}};

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(x[3], 0);
}

/// A ring of springs, fixed nowhere: the kernel is the constant vectors.
template <class T>
Csr<T> ring(Index n) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, 2});
    triplets.push_back({i, (i + 1) % n, -1});
    triplets.push_back({i, (i + n - 1) % n, -1});
  }
  return from_triplets<T>(n, n, triplets);
}

TYPED_TEST(Failure, SingularRingIsSolvedWhenTheForcesBalance) {
  using T = typename TypeParam::T;
  std::vector<T> b(64);
  b[3] = 1;
  b[40] = -1;

  const auto result = this->solve({ring<T>(64), b}, {.rtol = 1e-4}).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
}

TYPED_TEST(Failure, SingularInconsistentSystemIsNeverCalledSolved) {
  using T = typename TypeParam::T;
  const System<T> small{dense<T>({{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 0}}), {1, 2, 3, 1}};
  const System<T> springs{ring<T>(64), random_vector<T>(64, 5)};
  for (const auto& system : {small, springs}) {
    const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 5000});

    EXPECT_NE(result.status, Status::converged);
    EXPECT_NE(result.status, Status::iteration_limit) << "turned in circles";
    EXPECT_TRUE(all_finite(x));
    EXPECT_GT(result.relative_residual, 1e-3);
  }
}

TYPED_TEST(Failure, UnattainableToleranceEndsAtTheAccuracyOfTheType) {
  using T = typename TypeParam::T;
  const auto system = this->poisson();

  const auto [result, x] = this->solve(system, {.rtol = 1e-20, .max_iterations = 20000});

  EXPECT_TRUE(result.status == Status::stagnated || result.status == Status::breakdown) << result.message();
  EXPECT_LT(result.relative_residual, 300 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(Failure, ResidualThatGrowsIsDivergence) {
  using T = typename TypeParam::T;
  const System<T> spiral{dense<T>({{0.125, 1}, {-1, 0.125}}), {1, 0}};

  const auto [result, x] = this->solve(spiral, {.rtol = 1e-5, .divergence_limit = 2});

  if (this->is("gmres")) {  // whose residual never grows
    EXPECT_EQ(result.status, Status::converged);
    return;
  }
  EXPECT_EQ(result.status, Status::diverged);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_GT(result.relative_residual, 2);
}

TYPED_TEST(Failure, NormsThatUnderflowAreNotTakenForZero) {
  using T = typename TypeParam::T;
  const T tiny = std::numeric_limits<T>::min() * T(1e6);
  auto system = this->poisson(5);
  system.b.assign(25, tiny);

  const auto result = this->solve(system).result;

  EXPECT_NEAR(result.history[0], 1, 1e-6);
}

// The same result however it is looked at.

TYPED_TEST(Failure, ResultDoesNotDependOnWhenItIsLookedAt) {
  for (const char* family : {"poisson2d", "fem27", "convection-diffusion2d"}) {
    SCOPED_TRACE(family);
    const auto system =
        with_known_solution(generate<typename TypeParam::T>(family, {.n = std::string(family) == "fem27" ? 7 : 25}));
    const auto first = this->solve(system, {.rtol = 1e-5, .max_iterations = 300, .restart = 30, .check_every = 1});
    for (const int every : {3, 7, 64, 100000}) {
      const auto next = this->solve(system, {.rtol = 1e-5, .max_iterations = 300, .restart = 30, .check_every = every});

      EXPECT_EQ(next.result.status, first.result.status) << every;
      EXPECT_EQ(next.result.iterations, first.result.iterations) << every;
      EXPECT_TRUE(same_bits(next.result.history, first.result.history)) << every;
      EXPECT_TRUE(same_bits(next.x, first.x)) << every;
    }
  }
}

TYPED_TEST(Failure, BrokenEndsDoNotDependOnWhenTheyAreLookedAt) {
  using T = typename TypeParam::T;
  auto d = std::vector<T>(50);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<T>(i + 1);
  d[10] = T(-0.5);
  const auto system = with_known_solution(diagonal_matrix(d));
  const auto first = this->solve(system, {.rtol = 1e-5, .max_iterations = 200, .check_every = 1});
  for (const int every : {2, 5, 64}) {
    const auto next = this->solve(system, {.rtol = 1e-5, .max_iterations = 200, .check_every = every});

    EXPECT_EQ(next.result.status, first.result.status) << every;
    EXPECT_EQ(next.result.iterations, first.result.iterations) << every;
    EXPECT_TRUE(same_bits(next.x, first.x)) << every;
  }
}

TYPED_TEST(Failure, TheSameSolveGivesTheSameBits) {
  const auto system = this->poisson(50);
  const auto first = this->solve(system);
  for (int k = 0; k < 5; ++k) {
    const auto next = this->solve(system);

    EXPECT_TRUE(same_bits(next.x, first.x));
    EXPECT_TRUE(same_bits(next.result.history, first.result.history));
  }
}

// What users bring.

TYPED_TEST(Failure, OperatorWithoutDotAndUserPreconditionerAreEnough) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("fem27", {.n = 6}));
  const Operator op(this->space(), system.a);
  const SolveOptions options{.rtol = attainable<T>()};
  const UserDiagonal<typename TypeParam::Space, T> m(this->space(), std::vector<T>(system.b.size(), T(0.125)));

  const auto plain = run_with<typename TypeParam::Method>(this->space(), WithoutDot(op), system, Identity{}, options);
  const auto with = run_with<typename TypeParam::Method>(this->space(), WithoutDot(op), system, m, options);

  for (const auto& solved : {plain, with}) {
    expect_honest(solved, system, options);
    EXPECT_EQ(solved.result.status, Status::converged);
  }
}

TYPED_TEST(Failure, GoodGuessSavesIterations) {
  using T = typename TypeParam::T;
  auto system = with_known_solution(generate<T>("poisson2d", {.n = 20}), 9);
  const auto from_zero = this->solve(system);
  system.x0 = random_vector<T>(400, 9);
  for (T& v : system.x0) v *= T(1.0001);

  const auto from_near = this->solve(system);

  EXPECT_EQ(from_near.result.status, Status::converged);
  EXPECT_LT(from_near.result.iterations, from_zero.result.iterations);
  EXPECT_NEAR(from_near.result.history[0], 1e-4, 1e-5);
}

TYPED_TEST(Failure, SizeOfTheRightHandSideMakesNoDifference) {
  using T = typename TypeParam::T;
  const auto plain = this->poisson();
  const auto expected = this->solve(plain);
  const int limit = std::numeric_limits<T>::max_exponent - 64;
  for (const int exponent : {-limit, -limit / 2, limit / 2, limit}) {
    SCOPED_TRACE(exponent);
    auto system = plain;
    for (T& value : system.b) value = std::ldexp(value, exponent);

    const auto scaled = this->solve(system);

    EXPECT_EQ(scaled.result.status, Status::converged);
    EXPECT_EQ(scaled.result.iterations, expected.result.iterations);
    EXPECT_EQ(scaled.x[7], std::ldexp(expected.x[7], exponent));
    EXPECT_EQ(scaled.result.relative_residual, expected.result.relative_residual);
  }
}

TYPED_TEST(Failure, CallbackIsObeyedWhereTheRecurrenceClaimsToBeDone) {
  using T = typename TypeParam::T;
  const double out_of_reach = std::numeric_limits<T>::epsilon() / 8;
  int calls_after = 0;
  bool stopped = false;
  SolveOptions options{.rtol = out_of_reach, .check_every = 2};
  options.callback = [&](const Iteration& i) {
    calls_after += stopped;
    stopped = stopped || i.relative_residual <= out_of_reach;
    return !stopped;
  };

  const auto result = this->solve(this->poisson(), options).result;

  EXPECT_EQ(calls_after, 0);
  EXPECT_NE(result.status, Status::iteration_limit);
  EXPECT_TRUE(!stopped || result.status == Status::interrupted || result.status == Status::converged);
}

TYPED_TEST(Failure, LooserOfTheTwoTolerancesHolds) {
  const auto system = this->poisson();

  const auto absolute = this->solve(system, {.rtol = 0, .atol = 1e-2}).result;
  const auto relative = this->solve(system, {.rtol = 1e-2, .atol = 1e-30}).result;

  EXPECT_EQ(absolute.status, Status::converged);
  EXPECT_LE(absolute.residual, 1e-2);
  EXPECT_EQ(relative.status, Status::converged);
  EXPECT_LE(relative.relative_residual, 1e-2);
}

TYPED_TEST(Failure, ReportsItselfInOneLine) {
  const auto result = this->solve(this->poisson()).result;

  const std::string text = result.message();

  EXPECT_EQ(result.solver, TypeParam::Method::name);
  EXPECT_GT(result.workspace_bytes, 0u);
  EXPECT_NE(text.find("converged"), std::string::npos);
  EXPECT_NE(text.find(std::to_string(result.iterations)), std::string::npos);
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace ostinato::test

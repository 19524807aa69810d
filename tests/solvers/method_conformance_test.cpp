// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/solving.hpp"

// What every method must do: trivial systems, convergence, stopping, results that don't depend on how often the host
// checks, and operators and preconditioners of users.

namespace ostinato::test {
namespace {

// Trivial systems.

OSTINATO_METHOD_TEST(MethodConformance, ZeroRightHandSideGivesZeroAtOnce) {
  auto system = this->poisson();
  system.b.assign(system.b.size(), 0);
  system.x0 = random_vector<T>(400, 3);

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.residual, 0);
  EXPECT_EQ(result.relative_residual, 0);
  EXPECT_EQ(x, std::vector<T>(400));
}

OSTINATO_METHOD_TEST(MethodConformance, ExactGuessNeedsNoIteration) {
  const System<T> system{dense<T>({{4, -1, 0}, {-1, 4, -1}, {0, -1, 4}}), {2, 4, 10}, {1, 2, 3}};

  const auto [result, x] = this->solve(system, {.rtol = 0});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.residual, 0);
  EXPECT_EQ(x, system.x0);
}

OSTINATO_METHOD_TEST(MethodConformance, EmptySystemIsSolved) {
  const auto [result, x] = this->solve(System<T>{from_triplets<T>(0, 0, {}), {}});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 0);
}

OSTINATO_METHOD_TEST(MethodConformance, TinySystemsAreSolvedInAsManySteps) {
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

// Convergence.

struct Family {
  const char* name;
  Index n;
};

constexpr Family families[] = {{"poisson2d", 30},
                               {"poisson3d", 10},
                               {"variable2d", 30},
                               {"fem27", 10},
                               {"convection-diffusion2d", 30},
                               {"convection-diffusion3d", 10},
                               {"pde2d", 30},
                               {"pde3d", 10},
                               {"kgs2d", 30},
                               {"maxwell2d", 30},
                               {"banded", 900},
                               {"random", 900},
                               {"dense-row", 900},
                               {"powerlaw", 900}};

OSTINATO_METHOD_TEST(MethodConformance, SolvesEveryFamily) {
  const bool symmetric_only = find_solver(this->name())->needs_symmetry;
  int solved = 0;
  for (const Family& family : families) {
    SCOPED_TRACE(family.name);
    const auto system = with_known_solution(generate<T>(family.name, {.n = family.n}));
    if (symmetric_only && !analyse(Host(), system.a.view()).symmetric) continue;
    const Jacobi m(this->space(), system.a);

    const auto plain = this->solve(system, {.rtol = attainable<T>()});
    const auto with = this->solve(system, {.rtol = attainable<T>()}, m);

    EXPECT_EQ(plain.result.status, Status::converged) << plain.result.message();
    EXPECT_EQ(with.result.status, Status::converged) << with.result.message();
    ++solved;
  }
  EXPECT_EQ(solved, symmetric_only ? 4 : 14);
}

OSTINATO_METHOD_TEST(MethodConformance, DoesNotBelieveARecurrenceThatWasToldWrongly) {
  const auto system = this->poisson();
  const Operator op(this->space(), system.a);
  const SolveOptions options{.rtol = 1e-5};

  const auto solved = this->run_with(WrongAtFirst(op, 20), system, options);

  expect_honest(solved, system, options);
  EXPECT_EQ(solved.result.status, Status::converged) << solved.result.message();
  EXPECT_GE(restarts(solved.result), 1);
  const auto& history = solved.result.history;
  EXPECT_GE(std::count_if(history.begin(), history.end(), [](double h) { return h <= 1e-5; }), 2)
      << "the recurrence has claimed it before";
}

// Limits and interruption.

OSTINATO_METHOD_TEST(MethodConformance, StopsAtTheIterationLimit) {
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

OSTINATO_METHOD_TEST(MethodConformance, StopsAtTheIterationLimitInALaterCycle) {
  const auto system = this->poisson();

  const auto result = this->solve(system, {.rtol = 1e-6, .max_iterations = 13, .restart = 5}).result;

  EXPECT_EQ(result.status, Status::iteration_limit);
  EXPECT_EQ(result.iterations, 13);
}

OSTINATO_METHOD_TEST(MethodConformance, StopsAtTheTimeLimit) {
  const auto system = this->poisson(60);

  const auto result = this->solve(system, {.rtol = 1e-30, .time_limit = 1e-12, .check_every = 1}).result;

  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_LE(result.iterations, 10);
}

OSTINATO_METHOD_TEST(MethodConformance, StopsWhenTheCallbackSaysSo) {
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
  EXPECT_GE(seen, 6);  // on a GPU, a multiple of the method's period
  EXPECT_EQ(seen % 3, 0);
  EXPECT_GE(result.iterations, seen);
}

OSTINATO_METHOD_TEST(MethodConformance, CallbackHearsWhatTheHistoryKeeps) {
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

OSTINATO_METHOD_TEST(MethodConformance, KeepsNoHistoryWhenNotAsked) {
  const auto system = this->poisson();

  const auto with = this->solve(system), without = this->solve(system, {.rtol = 1e-5, .history = false});

  EXPECT_TRUE(without.result.history.empty());
  EXPECT_EQ(without.result.iterations, with.result.iterations);
  EXPECT_TRUE(same_bits(without.x, with.x));
}

// The same bits, whatever SolveOptions::check_every.

OSTINATO_METHOD_TEST(MethodConformance, ResultDoesNotDependOnWhenItIsLookedAt) {
  for (const char* family : {"poisson2d", "fem27", "convection-diffusion2d"}) {
    SCOPED_TRACE(family);
    const auto system = with_known_solution(generate<T>(family, {.n = std::string(family) == "fem27" ? 7 : 25}));
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

OSTINATO_METHOD_TEST(MethodConformance, BrokenEndsDoNotDependOnWhenTheyAreLookedAt) {
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

OSTINATO_METHOD_TEST(MethodConformance, TheSameSolveGivesTheSameBits) {
  const auto system = this->poisson(50);
  const auto first = this->solve(system);
  for (int k = 0; k < 5; ++k) {
    const auto next = this->solve(system);

    EXPECT_TRUE(same_bits(next.x, first.x));
    EXPECT_TRUE(same_bits(next.result.history, first.result.history));
  }
}

// Operators, preconditioners and initial guesses of users.

OSTINATO_METHOD_TEST(MethodConformance, OperatorWithoutDotAndUserPreconditionerAreEnough) {
  const auto system = with_known_solution(generate<T>("fem27", {.n = 6}));
  const Operator op(this->space(), system.a);
  const SolveOptions options{.rtol = attainable<T>()};
  const UserDiagonal<Space, T> m(this->space(), std::vector<T>(system.b.size(), T(0.125)));

  const auto plain = this->run_with(WithoutDot(op), system, options);
  const auto with = this->run_with(WithoutDot(op), system, options, m);

  for (const auto& solved : {plain, with}) {
    expect_honest(solved, system, options);
    EXPECT_EQ(solved.result.status, Status::converged);
  }
}

OSTINATO_METHOD_TEST(MethodConformance, GoodGuessSavesIterations) {
  auto system = with_known_solution(generate<T>("poisson2d", {.n = 20}), 9);
  const auto from_zero = this->solve(system);
  system.x0 = random_vector<T>(400, 9);
  for (T& v : system.x0) v *= T(1.0001);

  const auto from_near = this->solve(system);

  EXPECT_EQ(from_near.result.status, Status::converged);
  EXPECT_LT(from_near.result.iterations, from_zero.result.iterations);
  EXPECT_NEAR(from_near.result.history[0], 1e-4, 1e-5);
}

OSTINATO_METHOD_TEST(MethodConformance, SizeOfTheRightHandSideMakesNoDifference) {
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

OSTINATO_METHOD_TEST(MethodConformance, CallbackIsObeyedWhereTheRecurrenceClaimsToBeDone) {
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

OSTINATO_METHOD_TEST(MethodConformance, LooserOfTheTwoTolerancesHolds) {
  const auto system = this->poisson();

  const auto absolute = this->solve(system, {.rtol = 0, .atol = 1e-2}).result;
  const auto relative = this->solve(system, {.rtol = 1e-2, .atol = 1e-30}).result;

  EXPECT_EQ(absolute.status, Status::converged);
  EXPECT_LE(absolute.residual, 1e-2);
  EXPECT_EQ(relative.status, Status::converged);
  EXPECT_LE(relative.relative_residual, 1e-2);
}

OSTINATO_METHOD_TEST(MethodConformance, ReportsItselfInOneLine) {
  const auto result = this->solve(this->poisson()).result;

  const std::string text = result.message();

  EXPECT_EQ(result.solver, this->name());
  EXPECT_GT(result.workspace_bytes, 0u);
  EXPECT_NE(text.find("converged"), std::string::npos);
  EXPECT_NE(text.find(std::to_string(result.iterations)), std::string::npos);
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace ostinato::test

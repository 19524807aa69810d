// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/scaled_system.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>

#include "support/solving.hpp"

// Powers of two change no digit: a system times a power of two is solved in the same way, and a solution that T can't
// hold is never called one.

namespace ostinato::test {
namespace {

template <class T>
std::vector<T> times_power(std::vector<T> values, int exponent) {
  for (T& v : values) v = std::ldexp(v, exponent);
  return values;
}

template <class T>
Csr<T> times_power(Csr<T> a, int exponent) {
  for (T& v : a.val) v = std::ldexp(v, exponent);
  return a;
}

/// Exponents of A and b that keep A, b and x = b / A in the range of T.
template <class T>
std::vector<std::pair<int, int>> exponents() {
  const int most = std::numeric_limits<T>::max_exponent - 28;
  std::vector<std::pair<int, int>> all;
  for (int a = -most; a <= most; a += most / 6) {
    for (int b = -most; b <= most; b += most / 6) {
      if (std::abs(b - a) <= most) all.emplace_back(a, b);
    }
  }
  return all;
}

OSTINATO_METHOD_TEST(ScaledSystem, PowersOfTwoChangeNoIteration) {
  auto plain = with_known_solution(generate<T>("variable2d", {.n = 12}));
  plain.x0 = random_vector<T>(144, 4);
  const SolveOptions options{.rtol = 1e-5};
  const auto expected = this->solve(plain, options);
  ASSERT_EQ(expected.result.status, Status::converged);
  for (const auto& [of_a, of_b] : exponents<T>()) {
    SCOPED_TRACE(std::to_string(of_a) + " " + std::to_string(of_b));
    const System<T> system{times_power(plain.a, of_a), times_power(plain.b, of_b), times_power(plain.x0, of_b - of_a)};

    const auto scaled = this->run(system, options);

    EXPECT_EQ(scaled.result.status, Status::converged) << scaled.result.message();
    EXPECT_EQ(scaled.result.iterations, expected.result.iterations);
    EXPECT_NEAR(scaled.result.relative_residual, expected.result.relative_residual, 1e-3 * 1e-5);
  }
}

OSTINATO_METHOD_TEST(ScaledSystem, PowersOfTwoChangeNoIterationWithJacobi) {
  const auto plain = with_known_solution(generate<T>("variable2d", {.n = 12}));
  const SolveOptions options{.rtol = 1e-5};
  const auto expected = this->solve(plain, options, Jacobi(this->space(), plain.a));
  ASSERT_EQ(expected.result.status, Status::converged);
  for (const auto& [of_a, of_b] : exponents<T>()) {
    SCOPED_TRACE(std::to_string(of_a) + " " + std::to_string(of_b));
    const System<T> system{times_power(plain.a, of_a), times_power(plain.b, of_b)};

    const auto scaled = this->run(system, options, Jacobi(this->space(), system.a));

    EXPECT_EQ(scaled.result.status, Status::converged) << scaled.result.message();
    EXPECT_EQ(scaled.result.iterations, expected.result.iterations);
  }
}

OSTINATO_METHOD_TEST(ScaledSystem, SolutionThatIsTooLargeIsNotFinite) {
  const T large = std::numeric_limits<T>::max() / 16, small = std::numeric_limits<T>::min() * 16;
  const System<T> system{dense<T>({{small, 0}, {0, 2 * small}}), {large, large}};

  const auto [result, x] = this->run(system, {.rtol = 1e-5});

  EXPECT_EQ(result.status, Status::not_finite) << result.message();
  EXPECT_TRUE(all_finite(x));
  EXPECT_TRUE(mentions(result, "too large for"));
  EXPECT_GT(result.relative_residual, 0.5);
}

OSTINATO_METHOD_TEST(ScaledSystem, SolutionThatVanishesIsNotConverged) {
  const T large = std::numeric_limits<T>::max() / 16, small = std::numeric_limits<T>::min() * 16;
  const System<T> system{dense<T>({{large, 0}, {0, 2 * large}}), {small, small}};

  const auto [result, x] = this->run(system, {.rtol = 1e-5});

  EXPECT_EQ(result.status, Status::stagnated) << result.message();
  EXPECT_EQ(x, std::vector<T>(2));
  EXPECT_NEAR(result.relative_residual, 1, 1e-6);
  EXPECT_TRUE(mentions(result, "too small for"));
}

// x loses its last digits when it leaves the scale. The residual of what is left is within the goal only by its
// rounding: computed, it is 3.41e-7, truly 3.67e-7.
OSTINATO_METHOD_TEST(ScaledSystem, RoundingCountsAgainWhereXLosesDigits) {
  const System<T> one{diagonal_matrix<T>({T{std::numeric_limits<float>::max()}}), {T{0x1.65d316p-2f}}};
  if (!is_single<T>) return;  // the numbers are those of single precision

  // The operator keeps no matrix, so that the rounding can only be estimated.
  const Operator op(this->space(), one.a);
  const auto [result, x] = this->run_with(op, one, {.rtol = 3.5293389377486919e-07});

  const double b = static_cast<double>(one.b[0]), a = static_cast<double>(std::numeric_limits<float>::max());
  const double truly = std::abs(b - a * static_cast<double>(x[0])) / b;
  EXPECT_TRUE(result.status != Status::converged || truly <= 3.5293389377486919e-07) << truly << result.message();
}

OSTINATO_METHOD_TEST(ScaledSystem, SmallestNumberIsNotZero) {
  const T tiny = std::numeric_limits<T>::denorm_min();
  const System<T> one{dense<T>({{1}}), {tiny}}, two{dense<T>({{2, 0}, {0, 3}}), {8 * tiny, 27 * tiny}};

  const auto first = this->solve(one), second = this->solve(two);

  EXPECT_EQ(first.result.status, Status::converged);
  EXPECT_EQ(first.x[0], tiny);
  EXPECT_EQ(second.result.status, Status::converged) << second.result.message();
  EXPECT_EQ(second.x, (std::vector<T>{4 * tiny, 9 * tiny}));
}

OSTINATO_METHOD_TEST(ScaledSystem, GuessThatIsFarAwayIsGivenUp) {
  auto system = this->poisson();
  const T far = std::numeric_limits<T>::max() / 1024;
  system.x0.assign(system.x0.size(), far);
  system.x0[3] = -far;

  const auto result = this->solve(system).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_TRUE(mentions(result, "the guess was given up"));
}

OSTINATO_METHOD_TEST(ScaledSystem, BackwardErrorOfAZeroMatrixIsThatOfB) {
  const T tiny = is_single<T> ? T(1e-30) : T(1e-118), huge = std::numeric_limits<T>::max() / 16;
  const System<T> system{from_triplets<T>(3, 3, {}), {tiny, -tiny, tiny}, {huge, -huge, huge}};

  const auto result = this->run(system, {.atol = 1e-4}).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_NEAR(result.backward_error, 1, 1e-6);
}

OSTINATO_METHOD_TEST(ScaledSystem, MatrixAtTheEndOfTheRangeIsSolved) {
  const int most = std::numeric_limits<T>::max_exponent;
  for (const int exponent : {most - 4, 8 - most}) {
    const System<T> system{times_power(generate<T>("poisson2d", {.n = 15}), exponent),
                           times_power(random_vector<T>(225, 2), exponent)};

    const auto result = this->run(system, {.rtol = 1e-5}).result;

    EXPECT_EQ(result.status, Status::converged) << result.message();
    EXPECT_GT(result.backward_error, 0);
    EXPECT_LT(result.backward_error, 1e-5);
  }
}

}  // namespace
}  // namespace ostinato::test

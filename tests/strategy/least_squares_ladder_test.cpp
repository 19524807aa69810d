// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/least_squares_ladder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "support/least_squares.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class LeastSquaresLadderOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using On = typename Case::Space;

  static constexpr bool is_double = sizeof(Value) == sizeof(double);
  static constexpr double rtol = is_double ? 1e-8 : 1e-4;

  /// Solves with the preconditioner that is chosen, and checks that the result is true.
  Solved<Value> solve(const System<Value>& system, SolveOptions options = {.rtol = rtol}) const {
    const Analysis<On, Value> analysis(this->space(), system.a);
    const TransposableOperator<On, Value> op(analysis);
    const LeastSquaresPreconditioner<On, Value> m(analysis);
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    SolveResult result = ostinato::solve(this->space(), op, b, x, m, "lsmr", options);
    Solved<Value> solved{std::move(result), x.download()};
    expect_honest(solved, system, options);
    if (solved.result.status == Status::least_squares) {
      EXPECT_LE(reference_gradient(system.a.view(), solved.x, system.b),
                options.rtol + 20 * std::numeric_limits<Value>::epsilon());
    }
    return solved;
  }

  static System<Value> system_of(Csr<Value> a, std::vector<Value> b = {}) {
    if (b.empty()) b = random_vector<Value>(a.rows, 9);
    const auto cols = static_cast<std::size_t>(a.cols);
    return {std::move(a), std::move(b), std::vector<Value>(cols)};
  }

  /// Powers of the numbers in 0 .. 1.
  static Csr<Value> powers(Index points, Index count) {
    std::vector<Triplet<Value>> entries;
    for (Index i = 0; i < points; ++i) {
      for (Index k = 0; k < count; ++k)
        entries.push_back({i, k, static_cast<Value>(std::pow(static_cast<double>(i) / (points - 1), k))});
    }
    return from_triplets<Value>(points, count, entries);
  }

  /// Differences of neighbours on a ring, times weights: the columns add up to 0.
  static Csr<Value> differences(Index n, double weight) {
    std::vector<Triplet<Value>> entries;
    for (Index i = 0; i < 2 * n; ++i) {
      const auto w = static_cast<Value>(i < 3 ? weight : 1);
      entries.push_back({i, i % n, w});
      entries.push_back({i, (i + 1 + i / n) % n, -w});
    }
    return from_triplets<Value>(2 * n, n, entries);
  }

  static void expect_near(const std::vector<Value>& x, const std::vector<double>& want, double error) {
    double size = 0;
    for (const double v : want) size = std::max(size, std::abs(v));
    for (std::size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(x[j], want[j], error * size) << j;
  }
};

TYPED_TEST_SUITE(LeastSquaresLadderOn, EverySpace, SpaceNames);

TYPED_TEST(LeastSquaresLadderOn, ScalesColumnsAndFindsTheSmallestResidual) {
  using T = typename TypeParam::T;
  for (const Index count : {2, 5, TestFixture::is_double ? 12 : 6}) {
    auto a = TestFixture::powers(60, count);
    for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] *= static_cast<T>(std::pow(10, 3 * (a.col[k] % 5) - 6));
    const auto system = TestFixture::system_of(a);
    const double smallest = least_squares_reference(system.a.view(), system.b).residual;

    const SolveResult result = this->solve(system).result;

    EXPECT_TRUE(result || result.at_precision_limit) << count << ": " << result.message();
    EXPECT_NEAR(result.residual, smallest, (TestFixture::is_double ? 1e-7 : 1e-3) * smallest) << count;
  }
}

TYPED_TEST(LeastSquaresLadderOn, GoesOnWithFactorsWhereItIsSlow) {
  using T = typename TypeParam::T;
  // Neighbours are nearly equal: as the second derivative, with few values of x itself.
  std::vector<Triplet<T>> entries;
  constexpr Index n = 300;
  for (Index i = 0; i < n; ++i) {
    for (const Index d : {-1, 0, 1}) {
      if (i + d >= 0 && i + d < n) entries.push_back({i, i + d, static_cast<T>(d == 0 ? 2 : -1)});
    }
    if (i % 50 == 0) entries.push_back({n + i / 50, i, T(0.1)});
  }
  const auto system = TestFixture::system_of(from_triplets<T>(n + 6, n, entries));

  const SolveResult quick = this->solve(system, {.rtol = TestFixture::rtol, .effort = Effort::quick}).result,
                    normal = this->solve(system).result;

  EXPECT_GT(quick.iterations, 2 * normal.iterations);
  EXPECT_EQ(quick.preconditioner, "none");
  EXPECT_EQ(normal.preconditioner, "cholesky");
  EXPECT_EQ(normal.stages.size(), 2u);
  EXPECT_TRUE(mentions(normal, "went on with cholesky (complete factors of A^T A"));
  EXPECT_TRUE(normal || normal.at_precision_limit) << normal.message();
  const double smallest = least_squares_reference(system.a.view(), system.b).residual;
  EXPECT_NEAR(normal.residual, smallest, (TestFixture::is_double ? 1e-7 : 1e-2) * smallest);
}

/// Equations from 1.7e9 seconds on, as of Unix times: a gradient within the tolerance says nothing.
TYPED_TEST(LeastSquaresLadderOn, DoubtsASmallGradientOfColumnsThatNearlyDependOnEachOther) {
  using T = typename TypeParam::T;
  if (!TestFixture::is_double) GTEST_SKIP() << "float doesn't tell these times apart";
  std::vector<Triplet<T>> entries;
  std::vector<T> b;
  for (Index i = 0; i < 50; ++i) {
    entries.push_back({i, 0, 1});
    entries.push_back({i, 1, static_cast<T>(1.7e9 + 10 * i)});
    b.push_back(static_cast<T>(5 + 2 * i + std::sin(7 * i)));
  }
  const auto system = TestFixture::system_of(from_triplets<T>(50, 2, entries), b);
  const auto reference = least_squares_reference(system.a.view(), system.b);

  const auto [result, x] = this->solve(system, {.rtol = 1e-7});

  EXPECT_TRUE(result || result.at_precision_limit) << result.message();
  EXPECT_NEAR(result.residual, reference.residual, 1e-7 * reference.residual);
  EXPECT_NEAR(x[1], reference.x[1], 1e-5);
  EXPECT_TRUE(mentions(result, "finds an x with a smaller")) << result.message();
}

TYPED_TEST(LeastSquaresLadderOn, FindsTheXOfLeastNormWhereColumnsDependOnEachOther) {
  const auto system = TestFixture::system_of(TestFixture::differences(40, 5));
  const std::vector<double> least = least_norm_reference(system.a.view(), system.b);

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_TRUE(mentions(result, "columns of A depend on each other"));
  EXPECT_EQ(result.preconditioner, "none");
  TestFixture::expect_near(x, least, TestFixture::is_double ? 1e-5 : 2e-2);
}

TYPED_TEST(LeastSquaresLadderOn, ProportionalAndEmptyColumnsHaveTheXOfLeastNorm) {
  using T = typename TypeParam::T;
  const auto system = TestFixture::system_of(
      dense<T>({{1, 3, 0, 2}, {1, 3, 0, -1}, {2, 6, 0, 0}, {0, 0, 0, 1}, {1, 3, 0, 5}}), {1, 2, 3, 4, 6});
  const std::vector<double> least = least_norm_reference(system.a.view(), system.b);

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_EQ(x[2], 0);
  TestFixture::expect_near(x, least, TestFixture::is_double ? 1e-6 : 1e-2);
}

/// A column that is another one but for rounding takes no part in x of its own.
TYPED_TEST(LeastSquaresLadderOn, XDoesNotGrowByRounding) {
  using T = typename TypeParam::T;
  const T near = 1 + 2 * std::numeric_limits<T>::epsilon();
  const auto system =
      TestFixture::system_of(dense<T>({{1, near, 10}, {2, 2, 0}, {3, 3 * near, 0}, {4, 4, 10}, {5, 5, -10}}));

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  for (const T v : x) EXPECT_LT(std::abs(v), 10);
}

TYPED_TEST(LeastSquaresLadderOn, WideSystemsHaveTheSolutionOfLeastNorm) {
  using T = typename TypeParam::T;
  Random random(3);
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 30; ++i) {
    const double size = std::pow(10, i % 7 - 3);
    entries.push_back({i, i, static_cast<T>(4 * size)});
    for (int k = 0; k < 6; ++k) entries.push_back({i, below(random, 100), static_cast<T>(size * signed_unit(random))});
  }
  auto system = with_known_solution(from_triplets<T>(30, 100, entries));
  system.x0.assign(100, T{0});
  const std::vector<double> least = least_norm_reference(system.a.view(), system.b);

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_EQ(result.preconditioner, "jacobi");
  if (TestFixture::is_double) TestFixture::expect_near(x, least, 1e-3);
}

TYPED_TEST(LeastSquaresLadderOn, WideSystemsWithoutASolutionAreLeastSquaresProblems) {
  using T = typename TypeParam::T;
  const auto system = TestFixture::system_of(dense<T>({{1, 2, 3, 0}, {100, 200, 300, 0}, {0, 0, 1, 1}}), {1, 200, 3});
  const std::vector<double> least = least_norm_reference(system.a.view(), system.b);

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_EQ(result.preconditioner, "none");
  TestFixture::expect_near(x, least, 1e-3);
}

TYPED_TEST(LeastSquaresLadderOn, ConvergedSystemIsNotDoubted) {
  auto system = with_known_solution(TestFixture::powers(60, 4));
  system.x0.assign(4, 0);

  const SolveResult result = this->solve(system, {.rtol = 1e-4}).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_EQ(result.stages.size(), 1u);
}

TYPED_TEST(LeastSquaresLadderOn, EndsWhenItIsAsked) {
  const auto system = TestFixture::system_of(TestFixture::powers(60, TestFixture::is_double ? 12 : 7));
  struct Now {
    bool stop_requested() const { return true; }
  };
  EXPECT_EQ(this->solve(system, {.rtol = 1e-14, .stop = Now{}}).result.status, Status::interrupted);
  SolveOptions options{.rtol = 1e-14};
  options.callback = [](const Iteration& now) { return now.number < 3; };
  EXPECT_EQ(this->solve(system, options).result.status, Status::interrupted);
  EXPECT_EQ(this->solve(system, {.rtol = 1e-14, .max_iterations = 4}).result.status, Status::iteration_limit);
  EXPECT_EQ(this->solve(system, {.rtol = 1e-14, .time_limit = 1e-12, .check_every = 1}).result.status,
            Status::time_limit);
}

TYPED_TEST(LeastSquaresLadderOn, LimitOfMemoryKeepsFactorsAway) {
  const auto system = TestFixture::system_of(TestFixture::powers(60, TestFixture::is_double ? 10 : 5));
  const Analysis<typename TypeParam::Space, typename TypeParam::T> analysis(this->space(), system.a);
  const TransposableOperator op(analysis);
  const LeastSquaresPreconditioner<typename TypeParam::Space, typename TypeParam::T> m(analysis, "auto", {}, 100);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);

  const SolveResult result =
      ostinato::solve(this->space(), op, b, x, m, "lsmr", SolveOptions{.rtol = TestFixture::rtol, .mem_limit = 100});

  EXPECT_NE(result.preconditioner, "cholesky");
  EXPECT_EQ(result.stages.size(), 1u);
}

}  // namespace
}  // namespace ostinato::test

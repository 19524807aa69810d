// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/lsmr.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>

#include "support/least_squares.hpp"
#include "support/shared_matrices.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

/// A random matrix of full rank: an entry of 4 in row i and column i, and three smaller ones in each row.
template <class T>
Csr<T> full_rank(Index rows, Index cols, std::uint64_t seed = 5) {
  Random random(seed);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    triplets.push_back({i, i % cols, 4});
    for (int k = 0; k < 3; ++k) triplets.push_back({i, below(random, cols), static_cast<T>(signed_unit(random))});
  }
  return from_triplets<T>(rows, cols, triplets);
}

template <class Case>
class LsmrOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using On = typename Case::Space;

  template <class T>
  static System<T> system_of(Csr<T> a, std::vector<T> b) {
    const auto cols = static_cast<std::size_t>(a.cols);
    return {std::move(a), std::move(b), std::vector<T>(cols)};
  }
  template <class T>
  static System<T> consistent(Csr<T> a) {
    auto system = with_known_solution(std::move(a));
    system.x0.assign(static_cast<std::size_t>(system.a.cols), T{0});
    return system;
  }
  template <class T>
  static System<T> inconsistent(Csr<T> a) {
    auto b = random_vector<T>(a.rows, 9);
    return system_of(std::move(a), std::move(b));
  }

  /// With a preconditioner for least squares.
  Solved<Value> solve_with(const char* name, const System<Value>& system, const SolveOptions& options) const {
    const Analysis<On, Value> analysis(this->space(), system.a);
    const LeastSquaresPreconditioner<On, Value> m(analysis, name);
    return solve(system, options, m);
  }

  /// Solves, and checks that the result is true.
  template <class M = Identity>
  Solved<Value> solve(const System<Value>& system, const SolveOptions& options = {.rtol = 1e-5},
                      const M& m = {}) const {
    const Analysis<On, Value> analysis(this->space(), system.a);
    const TransposableOperator<On, Value> op(analysis);
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    SolveResult result = lsmr(this->space(), op, b, x, m, options);
    Solved<Value> solved{std::move(result), x.download()};
    expect_honest(solved, system, options);
    if (solved.result.status == Status::least_squares) {
      constexpr double rounding = 20 * std::numeric_limits<Value>::epsilon();
      EXPECT_LE(reference_gradient(system.a.view(), solved.x, system.b), options.rtol + rounding);
      EXPECT_LE(solved.result.gradient, options.rtol);
    }
    return solved;
  }
};

TYPED_TEST_SUITE(LsmrOn, EverySpace, SpaceNames);

TYPED_TEST(LsmrOn, FitsALineByHand) {
  using T = typename TypeParam::T;
  // The points (0, 1), (1, 0), (2, 2), (3, 5): the normal equations are [4 6; 6 14] c = (8, 19).
  const auto system = this->system_of(dense<T>({{1, 0}, {1, 1}, {1, 2}, {1, 3}}), {1, 0, 2, 5});

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_LE(result.iterations, 3);
  EXPECT_NEAR(x[0], -0.1, 1e-4);
  EXPECT_NEAR(x[1], 1.4, 1e-4);
  EXPECT_NEAR(result.residual, std::sqrt(4.2), 1e-4);
}

TYPED_TEST(LsmrOn, ConvergesWhereASolutionExistsWhateverTheShape) {
  using T = typename TypeParam::T;
  for (const auto& [rows, cols] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {31, 31}, {597, 33}, {33, 597}, {3000, 200}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
    const auto result = this->solve(this->consistent(full_rank<T>(rows, cols)), {.rtol = 1e-4}).result;

    EXPECT_EQ(result.status, Status::converged) << result.message();
  }
}

TYPED_TEST(LsmrOn, FindsTheLeastSquaresSolutionOtherwise) {
  using T = typename TypeParam::T;
  for (const double rtol : {1e-2, 1e-4}) {
    const auto system = this->inconsistent(full_rank<T>(597, 33));

    const auto [result, x] = this->solve(system, {.rtol = rtol});

    EXPECT_EQ(result.status, Status::least_squares) << result.message();
    EXPECT_GT(result.relative_residual, 0.1);
    EXPECT_NEAR(result.history.back(), result.relative_residual, 1e-3) << "the estimate of the recurrence";
  }
}

TYPED_TEST(LsmrOn, FindsTheSolutionOfANearlySingularSystem) {
  using T = typename TypeParam::T;
  const auto system = this->system_of(dense<T>({{1, 0}, {0, 1e-7}}), {static_cast<T>(1e-6), 1});

  const auto [result, x] = this->solve(system, {.rtol = 1e-5});

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_NEAR(x[1], 1e7, 1e3);
}

/// Columns of norm 1 and 1e-9, as of lengths in metres and nanometres.
TYPED_TEST(LsmrOn, SmallColumnDoesNotHide) {
  using T = typename TypeParam::T;
  const auto small = static_cast<T>(1e-9);
  const auto system =
      this->system_of(dense<T>({{1, 0}, {1, small}, {1, 2 * small}, {1, 3 * small}, {1, 4 * small}, {1, 5 * small}}),
                      {1, 3, 2, 5, 7, 12});
  const auto [reference, residual] = least_squares_reference(system.a.view(), system.b);
  for (const std::string name : {"none", "jacobi", "cholesky"}) {
    if (name == "none" && is_single<T>) continue;  // rounding hides the column
    const auto [result, x] = this->solve_with(name.c_str(), system, {.rtol = 1e-5});

    EXPECT_EQ(result.status, Status::least_squares) << name << ": " << result.message();
    EXPECT_NEAR(x[0], reference[0], 1e-3);
    EXPECT_NEAR(x[1] / reference[1], 1, 1e-3);
    EXPECT_NEAR(result.residual, residual, 1e-5 * residual);
  }
}

/// x^0 .. x^9 at 60 points: columns of about the same norm that nearly depend on each other.
template <class T>
Csr<T> powers(Index points, Index count) {
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < points; ++i) {
    const double t = static_cast<double>(i) / (points - 1);
    for (Index k = 0; k < count; ++k) entries.push_back({i, k, static_cast<T>(std::pow(t, k))});
  }
  return from_triplets<T>(points, count, entries);
}

TYPED_TEST(LsmrOn, CompleteFactorsFindTheSmallestResidual) {
  using T = typename TypeParam::T;
  const auto system = this->inconsistent(powers<T>(60, is_single<T> ? 5 : 10));
  const double smallest = least_squares_reference(system.a.view(), system.b).residual;

  const auto result = this->solve_with("cholesky", system, {.rtol = is_single<T> ? 1e-4 : 1e-8}).result;

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_LT(result.iterations, 15);
  EXPECT_NEAR(result.residual, smallest, 1e-6 * smallest);
  EXPECT_EQ(result.reason.find("for a matrix"), std::string::npos) << result.reason;
}

/// A guess whose gradient is within the tolerance, although another x has a third of the residual: the times of a
/// regression are so far from 0 that the columns nearly depend on each other.
TYPED_TEST(LsmrOn, CompleteFactorsSeeThroughASmallGradient) {
  using T = typename TypeParam::T;
  if (is_single<T>) GTEST_SKIP() << "float doesn't tell these times apart";
  std::vector<Triplet<T>> entries;
  std::vector<T> b;
  Random random(3);
  for (Index i = 0; i < 40; ++i) {
    entries.push_back({i, 0, 1});
    entries.push_back({i, 1, static_cast<T>(1.7e9 + i)});
    b.push_back(static_cast<T>(3 + i + 0.1 * signed_unit(random)));
  }
  auto system = this->system_of(from_triplets<T>(40, 2, entries), b);
  const auto [reference, smallest] = least_squares_reference(system.a.view(), system.b);
  const auto blind = this->solve_with("jacobi", system, {.rtol = 1e-7});
  EXPECT_EQ(blind.result.status, Status::least_squares) << blind.result.message();
  EXPECT_NE(blind.result.reason.find("for a matrix whose columns are within rtol"), std::string::npos);
  EXPECT_GT(blind.result.residual, 2 * smallest);
  system.x0 = blind.x;

  const auto [result, x] = this->solve_with("cholesky", system, {.rtol = 1e-7});

  EXPECT_TRUE(result || result.at_precision_limit) << result.message();
  EXPECT_NEAR(result.residual, smallest, 1e-7 * smallest);
  EXPECT_NEAR(x[1], reference[1], 1e-5);
}

TYPED_TEST(LsmrOn, TellsTheLimitOfThePrecision) {
  using T = typename TypeParam::T;
  constexpr bool is_double = !is_single<T>;
  const auto system = this->inconsistent(powers<T>(60, is_double ? 13 : 7));
  for (const char* const name : {"jacobi", "cholesky"}) {
    const auto [result, x] = this->solve_with(name, system, {.rtol = is_double ? 1e-13 : 1e-7});

    EXPECT_EQ(result.status, Status::stagnated) << result.message();
    EXPECT_TRUE(result.at_precision_limit);
    EXPECT_NE(result.reason.find(is_double ? "at the limit of double precision" : "at the limit of single precision"),
              std::string::npos)
        << result.reason;
    const double gradient = reference_gradient(system.a.view(), x, system.b);
    EXPECT_NEAR(result.gradient, gradient, 0.1 * gradient + 10 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(LsmrOn, FactorsOfRowsFindTheSmallestOfManySolutions) {
  using T = typename TypeParam::T;
  auto a = full_rank<T>(20, 90);
  for (std::size_t i = 0; i < 20; ++i) {  // rows of very different size
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      a.val[k] *= static_cast<T>(std::pow(10, static_cast<double>(i % 5) - 2));
  }
  const auto system = this->consistent(a);
  const std::vector<double> least = least_norm_reference(system.a.view(), system.b);
  for (const char* const name : {"jacobi", "ic0", "ict", "cholesky"}) {
    const auto [result, x] = this->solve_with(name, system, {.rtol = 1e-6});

    EXPECT_EQ(result.status, Status::converged) << name << ": " << result.message();
    EXPECT_LT(result.iterations, 40);
    for (std::size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(x[j], least[j], 2e-2) << name << ", " << j;
  }
}

TYPED_TEST(LsmrOn, FactorsOfRowsClaimNoLeastSquaresSolution) {
  using T = typename TypeParam::T;
  // Two of the rows contradict each other. With scaled rows, both would count the same.
  const auto system = this->system_of(dense<T>({{1, 2, 3}, {100, 200, 300}}), {1, 2});
  for (const char* const name : {"jacobi", "cholesky"}) {
    const auto result =
        this->solve_with(name, system, {.rtol = 1e-4, .max_iterations = 100}).result;  // checks the claim
    EXPECT_NE(result.status, Status::converged);
  }
}

TYPED_TEST(LsmrOn, SingularSquareSystemEndsWithAnyPreconditioner) {
  using T = typename TypeParam::T;
  const auto system = this->system_of(ring<T>(64), random_vector<T>(64, 5)), solvable = this->consistent(ring<T>(64));
  for (const char* const name : {"none", "jacobi", "ict", "cholesky"}) {
    const auto not_fitting = this->solve_with(name, system, {.rtol = 1e-4}),
               fitting = this->solve_with(name, solvable, {.rtol = 1e-4});

    EXPECT_EQ(not_fitting.result.status, Status::least_squares) << name << ": " << not_fitting.result.message();
    EXPECT_EQ(fitting.result.status, Status::converged) << name << ": " << fitting.result.message();
    for (const T v : not_fitting.x) EXPECT_LT(std::abs(v), 1e4) << name;
  }
}

TYPED_TEST(LsmrOn, TellsAPreconditionerThatIsNotPositiveDefinite) {
  using T = typename TypeParam::T;
  const auto system = this->consistent(dense<T>({{1, 2}, {3, -4}}));
  const Jacobi m(this->space(), system.a);

  const auto result = this->solve(system, {.rtol = 1e-4}, m).result;

  EXPECT_EQ(result.status, Status::breakdown) << result.message();
  EXPECT_NE(result.reason.find("isn't positive definite"), std::string::npos) << result.reason;
}

TYPED_TEST(LsmrOn, FindsTheSmallestOfManySolutions) {
  using T = typename TypeParam::T;
  // x + y + z = 3 and x = y have the solutions (1, 1, 1) + t (1, 1, -2); t = 0 is the smallest.
  const auto system = this->system_of(dense<T>({{1, 1, 1}, {1, -1, 0}}), {3, 0});

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::converged);
  for (const T v : x) EXPECT_NEAR(v, 1, 1e-4);
}

TYPED_TEST(LsmrOn, SolvesASingularSystemInTheLeastSquaresSense) {
  using T = typename TypeParam::T;
  const auto [result, x] = this->solve(this->system_of(ring<T>(64), random_vector<T>(64, 5)), {.rtol = 1e-4});

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
}

TYPED_TEST(LsmrOn, ReportsARightHandSideThatIsNotFinite) {
  using T = typename TypeParam::T;
  for (const T bad : {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
    auto system = this->system_of(full_rank<T>(20, 7), std::vector<T>(20, T{1}));
    system.b[3] = bad;

    const SolveResult result = this->solve(system).result;

    EXPECT_EQ(result.status, Status::not_finite) << result.message();
    EXPECT_EQ(result.reason,
              std::isnan(bad) ? "b holds NaN in row 3 (counted from 0)" : "b holds infinity in row 3 (counted from 0)");
  }
}

TYPED_TEST(LsmrOn, ZeroRightHandSideGivesZeroAtOnce) {
  using T = typename TypeParam::T;
  auto system = this->system_of(full_rank<T>(20, 7), std::vector<T>(20));
  system.x0 = random_vector<T>(7, 1);

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x, std::vector<T>(7));
}

TYPED_TEST(LsmrOn, ZeroMatrixLeavesTheGuess) {
  using T = typename TypeParam::T;
  const auto [result, x] = this->solve(this->system_of(from_triplets<T>(31, 7, {}), std::vector<T>(31, 2)));

  EXPECT_EQ(result.status, Status::least_squares) << "every x is as good";
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x, std::vector<T>(7));
}

TYPED_TEST(LsmrOn, EmptySystemsEnd) {
  using T = typename TypeParam::T;
  EXPECT_EQ(this->solve(this->system_of(from_triplets<T>(0, 0, {}), {})).result.status, Status::converged);
  EXPECT_EQ(this->solve(this->system_of(from_triplets<T>(0, 5, {}), {})).result.status, Status::converged);
  EXPECT_EQ(this->solve(this->system_of(from_triplets<T>(5, 0, {}), std::vector<T>(5, 1))).result.status,
            Status::least_squares);
}

TYPED_TEST(LsmrOn, NanIsNotFiniteAndLeavesTheGuess) {
  using T = typename TypeParam::T;
  auto in_b = this->inconsistent(full_rank<T>(597, 33));
  auto in_a = in_b;
  in_b.b[7] = std::numeric_limits<T>::quiet_NaN();
  in_a.a.val[7] = std::numeric_limits<T>::infinity();
  for (const auto& system : {in_b, in_a}) {
    const auto [result, x] = this->solve(system);

    EXPECT_EQ(result.status, Status::not_finite) << result.message();
    EXPECT_EQ(x, system.x0);
  }
}

TYPED_TEST(LsmrOn, StopsAtItsLimits) {
  using T = typename TypeParam::T;
  const auto system = this->consistent(generate<T>("poisson2d", {.n = 40}));
  for (const int limit : {0, 1, 5}) {
    for (const int every : {0, 1, 3}) {
      const auto result = this->solve(system, {.rtol = 1e-5, .max_iterations = limit, .check_every = every}).result;

      EXPECT_EQ(result.status, Status::iteration_limit);
      EXPECT_EQ(result.iterations, limit);
    }
  }
  SolveOptions stop{.rtol = 1e-5};
  stop.callback = [](const Iteration& now) { return now.number < 4; };
  EXPECT_EQ(this->solve(system, stop).result.status, Status::interrupted);
  EXPECT_EQ(this->solve(system, {.rtol = 1e-30, .time_limit = 1e-12, .check_every = 1}).result.status,
            Status::time_limit);
}

TYPED_TEST(LsmrOn, ResultDoesNotDependOnWhenItIsLookedAt) {
  using T = typename TypeParam::T;
  const auto tall = this->inconsistent(full_rank<T>(5000, 3000)), wide = this->consistent(full_rank<T>(3000, 5000));
  for (const auto& [name, system] : {std::pair("none", tall), std::pair("jacobi", tall), std::pair("jacobi", wide)}) {
    const auto first = this->solve_with(name, system, {.rtol = 1e-4, .check_every = 1});
    for (const int every : {3, 7, 64, 1}) {
      const auto next = this->solve_with(name, system, {.rtol = 1e-4, .check_every = every});

      EXPECT_EQ(next.result.status, first.result.status);
      EXPECT_TRUE(same_bits(next.x, first.x));
      EXPECT_TRUE(same_bits(next.result.history, first.result.history));
    }
  }
}

TYPED_TEST(LsmrOn, ToleranceOutOfReachStagnates) {
  using T = typename TypeParam::T;
  const auto [result, x] = this->solve(this->inconsistent(full_rank<T>(597, 33)), {.rtol = 1e-20});

  EXPECT_TRUE(result.status == Status::stagnated || result.status == Status::breakdown) << result.message();
  EXPECT_LT(result.gradient, 100 * std::numeric_limits<T>::epsilon());
}

/// r is so much smaller than b that its rounding hides the gradient; solve() recomputes that in long double.
TYPED_TEST(LsmrOn, SeesTheGradientBehindTheRounding) {
  using T = typename TypeParam::T;
  constexpr bool is_double = !is_single<T>;
  Random random(11);
  for (int trial = 0; trial < 60; ++trial) {
    const Index cols = 2 + below(random, 5), rows = cols + 1 + below(random, 5);
    const double apart = std::pow(10, -1 - (is_double ? 8 : 3) * std::abs(signed_unit(random)));
    const double size = std::pow(10, (is_double ? 6 : 2) * std::abs(signed_unit(random)));
    const double rtol = std::pow(10, (is_double ? -6 : -2) - 4 * std::abs(signed_unit(random)));
    std::vector<Triplet<T>> entries;
    std::vector<T> b(static_cast<std::size_t>(rows));
    std::vector<double> x(static_cast<std::size_t>(cols));
    for (double& v : x) v = size * signed_unit(random);
    for (Index i = 0; i < rows; ++i) {
      const double row = signed_unit(random);
      double total = 1e-3 * signed_unit(random);
      for (Index j = 0; j < cols; ++j) {
        entries.push_back({i, j, static_cast<T>(row + apart * signed_unit(random))});
        total += static_cast<double>(entries.back().val) * x[static_cast<std::size_t>(j)];
      }
      b[static_cast<std::size_t>(i)] = static_cast<T>(total);
    }

    this->solve(this->system_of(from_triplets<T>(rows, cols, entries), b), {.rtol = rtol, .max_iterations = 5000});
  }
}

/// Without the analysis of A no residual can be computed with more digits.
TYPED_TEST(LsmrOn, FindsLeastSquaresSolutionsWithoutAnAnalysis) {
  using T = typename TypeParam::T;
  const double rtol = is_single<T> ? 1e-6 : 1e-10;
  for (const auto& [rows, cols] : std::vector<std::pair<Index, Index>>{{4, 1}, {40, 5}, {597, 33}, {1000, 200}}) {
    const auto system = this->inconsistent(full_rank<T>(rows, cols));
    const TransposableOperator op(this->space(), system.a);
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);

    const SolveResult result = lsmr(this->space(), op, b.span(), x.span(), {.rtol = rtol});

    EXPECT_EQ(result.status, Status::least_squares) << rows << " x " << cols << ": " << result.message();
    EXPECT_LE(reference_gradient(system.a.view(), x.download(), system.b),
              rtol + 20 * std::numeric_limits<T>::epsilon());
  }
}

/// D A D over many decades, where the rounding of a few rows decides, without the digits that an analysis gives.
TYPED_TEST(LsmrOn, CountsTheRoundingAgainstTheGradientWithoutAnAnalysis) {
  using T = typename TypeParam::T;
  constexpr bool is_double = !is_single<T>;
  int claims = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Random random(trial + 1);
    const Index cols = 1 + below(random, 12), rows = cols + below(random, 12);
    const double decades = (is_double ? 20 : 6) * std::abs(signed_unit(random));
    const double rtol = std::pow(10, (is_double ? -6 : -3) * (1 + std::abs(signed_unit(random))));
    std::vector<double> size(static_cast<std::size_t>(rows));
    for (double& s : size) s = std::pow(10, decades * signed_unit(random));
    auto a = full_rank<T>(rows, cols, trial);
    for (std::size_t i = 0; i < size.size(); ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        a.val[k] = static_cast<T>(a.val[k] * size[i] * size[static_cast<std::size_t>(a.col[k])]);
    }
    const auto system = this->inconsistent(a);
    const TransposableOperator op(this->space(), system.a);
    const LeastSquaresPreconditioner<typename TypeParam::Space, T> m(
        Analysis<typename TypeParam::Space, T>(this->space(), system.a), "jacobi");
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);

    const SolveResult result = lsmr(this->space(), op, b.span(), x.span(), m, {.rtol = rtol, .max_iterations = 2000});

    if (result.status != Status::least_squares) continue;
    ++claims;
    EXPECT_LE(reference_gradient(system.a.view(), x.download(), system.b),
              rtol + 20 * std::numeric_limits<T>::epsilon())
        << trial << ": " << result.message();
  }
  EXPECT_GT(claims, 20);
}

TYPED_TEST(LsmrOn, TakesZeroForTheSolutionWhereItIs) {
  using T = typename TypeParam::T;
  const auto tiny = static_cast<T>(is_single<T> ? 1e-25 : 1e-200);
  const auto x_of = [&](const Csr<T>& a, const std::vector<T>& b, Status status) {
    const TransposableOperator op(this->space(), a);
    const auto rhs = this->put(b);
    auto x = this->put(std::vector<T>(static_cast<std::size_t>(a.cols)));
    const SolveResult result = lsmr(this->space(), op, rhs.span(), x.span(), {.rtol = 1e-5});
    EXPECT_EQ(result.status, status) << result.message();
    EXPECT_FALSE(std::isnan(result.gradient));
    return x.download()[0];
  };

  EXPECT_EQ(x_of(dense<T>({{1}, {1}, {0}}), {1, -1, 2}, Status::least_squares), 0);
  EXPECT_EQ(x_of(dense<T>({{1}, {0}}), {1, tiny}, Status::converged), 1);
}

TYPED_TEST(LsmrOn, ToleranceOutOfReachOfAConsistentSystemStagnates) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{static_cast<T>(0.29225075), static_cast<T>(0.0040538245), 0, 0}});
  const TransposableOperator op(this->space(), a);
  for (const double value : {0.26897445, 0.3, 0.7, -1.1}) {
    const auto b = this->put(std::vector<T>{static_cast<T>(value)});
    auto x = this->put(std::vector<T>(4));

    const SolveResult result =
        lsmr(this->space(), op, b.span(), x.span(), {.rtol = std::numeric_limits<T>::epsilon() / 8});

    EXPECT_TRUE(result.status == Status::stagnated || result.status == Status::converged) << result.message();
    EXPECT_LT(result.relative_residual, 20 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(LsmrOn, AnXThatUnderflowsIsNoLeastSquaresSolution) {
  using T = typename TypeParam::T;
  const bool is_double = !is_single<T>;
  const auto large = static_cast<T>(is_double ? 1e200 : 1e20), small = static_cast<T>(is_double ? 1e-150 : 1e-26);

  for (const auto& a : {dense<T>({{large}, {large}}), dense<T>({{large}, {0}})}) {
    const auto [result, x] = this->solve(this->system_of(a, {small, 3 * small}));

    EXPECT_EQ(result.status, Status::stagnated) << result.message();
    EXPECT_NE(result.reason.find("too small"), std::string::npos) << result.reason;
  }
}

/// diag(s, 2 s), without a structure that would tell its size.
struct Scaling {
  using value_type = double;
  double s;

  std::size_t rows() const { return 2; }
  std::size_t cols() const { return 2; }
  void apply(double alpha, std::span<const double> x, double beta, std::span<double> y) const {
    for (std::size_t i = 0; i < 2; ++i)
      y[i] = (beta == 0 ? 0 : beta * y[i]) + alpha * s * static_cast<double>(i + 1) * x[i];
  }
  void apply_transposed(double alpha, std::span<const double> x, double beta, std::span<double> y) const {
    apply(alpha, x, beta, y);
  }
};

TEST(Lsmr, TakesTinyMatricesOfUnknownSizeForWhatTheyAre) {
  for (const double s : {1e-130, 1e-150, 1.0, 1e130}) {
    const std::vector<double> b = {1, 1};
    std::vector<double> x(2);

    const SolveResult result = lsmr(Host(), Scaling{s}, b, x);

    EXPECT_EQ(result.status, Status::converged) << s << ": " << result.message();
    EXPECT_NEAR(x[0] * s, 1, 1e-6);
    EXPECT_NEAR(x[1] * s, 0.5, 1e-6);
  }
  const std::vector<double> b = {1, 1};
  std::vector<double> x(2);  // squares of the vectors underflow
  EXPECT_FALSE(static_cast<bool>(lsmr(Host(), Scaling{1e-170}, b, x)));
}

/// A tall matrix of the user's own, which tells no norms of its columns.
struct Tall {
  using value_type = double;
  Csr<double> a;

  std::size_t rows() const { return static_cast<std::size_t>(a.rows); }
  std::size_t cols() const { return static_cast<std::size_t>(a.cols); }
  void apply(double alpha, std::span<const double> x, double beta, std::span<double> y) const {
    multiply(a, alpha, x, beta, y);
  }
  void apply_transposed(double alpha, std::span<const double> x, double beta, std::span<double> y) const {
    multiply(transpose(a.view()), alpha, x, beta, y);
  }

 private:
  static void multiply(const Csr<double>& m, double alpha, std::span<const double> x, double beta,
                       std::span<double> y) {
    const std::vector<double> in(x.begin(), x.end()), before(y.begin(), y.end());
    const auto rows = reference_product(m.view(), alpha, in, beta, before);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(rows[i].value);
  }
};

TEST(Lsmr, EstimatesTheNormsOfColumnsThatAnOperatorDoesNotTell) {
  for (const Index rows : {30, 300}) {
    auto a = full_rank<double>(rows, 10);
    for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] *= std::pow(10, -a.col[k]);
    const auto b = random_vector<double>(rows, 4);
    std::vector<double> x(10);

    const SolveResult result = lsmr(Host(), Tall{a}, b, x, {.rtol = 1e-6, .max_iterations = 3});

    const double gradient = reference_gradient(a.view(), x, b);
    EXPECT_GT(result.gradient, gradient / 2) << rows;
    EXPECT_LT(result.gradient, gradient * 2) << rows;
    const SolveResult solved = lsmr(Host(), Tall{a}, b, x, {.rtol = 1e-6});
    EXPECT_EQ(solved.status, Status::least_squares) << solved.message();
    EXPECT_LE(reference_gradient(a.view(), x, b), 2e-6);
  }
}

TYPED_TEST(LsmrOn, SizesOfMatrixAndRightHandSideMakeNoDifference) {
  using T = typename TypeParam::T;
  const auto plain = this->inconsistent(full_rank<T>(100, 20));
  const auto expected = this->solve(plain, {.rtol = 1e-4});
  const int limit = std::numeric_limits<T>::max_exponent / 2 - 8;
  for (const int exponent : {-limit, limit}) {
    SCOPED_TRACE(exponent);
    auto system = plain;
    for (T& value : system.a.val) value = std::ldexp(value, exponent);
    for (T& value : system.b) value = std::ldexp(value, exponent);

    const auto scaled = this->solve(system, {.rtol = 1e-4});

    EXPECT_EQ(scaled.result.status, Status::least_squares);
    EXPECT_EQ(scaled.result.iterations, expected.result.iterations);
  }
}

TYPED_TEST(LsmrOn, TakesASymmetricPreconditionerAndNoOther) {
  using T = typename TypeParam::T;
  auto a = full_rank<T>(200, 200);
  for (std::size_t i = 0; i < 200; ++i) {  // rows of very different size: M = diag(A) makes up for them
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      if (a.col[k] == static_cast<Index>(i)) a.val[k] *= T(1 + i);
  }
  const auto system = this->consistent(a);
  const Jacobi m(this->space(), system.a);
  const AnyPreconditioner any(this->space(), system.a, "jacobi");

  const auto plain = this->solve(system, {.rtol = 1e-4}).result, with = this->solve(system, {.rtol = 1e-4}, m).result,
             with_any = this->solve(system, {.rtol = 1e-4}, any).result;
  const UserDiagonal<typename TypeParam::Space, T> unknown(this->space(), std::vector<T>(200, T{1}));
  const auto text = message_of<ArgumentError>([&] { this->solve(system, {}, unknown); });

  EXPECT_EQ(with.status, Status::converged) << with.message();
  EXPECT_LT(with.iterations, plain.iterations);
  EXPECT_EQ(with_any.iterations, with.iterations);
  EXPECT_NE(text.find("needs a symmetric preconditioner of A^T A"), std::string::npos) << text;
}

TYPED_TEST(LsmrOn, SaysWhatAnOperatorLacks) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 2, 3}, {4, 5, 6}});
  const Operator plain(this->space(), a);
  const TransposableOperator op(this->space(), a);
  const auto b = this->put(std::vector<T>{1, 2});
  auto x = this->put(std::vector<T>(3)), short_x = this->put(std::vector<T>(2));

  const auto no_transpose = message_of<ArgumentError>([&] { lsmr(this->space(), plain, b.span(), x.span()); });
  const auto shapes = message_of<DimensionError>([&] { lsmr(this->space(), op, b.span(), short_x.span()); });

  EXPECT_NE(no_transpose.find("transpose of A"), std::string::npos) << no_transpose;
  EXPECT_NE(shapes.find("2 x 3"), std::string::npos) << shapes;
}

TYPED_TEST(LsmrOn, AutoTakesItForAMatrixThatIsNotSquare) {
  using T = typename TypeParam::T;
  const auto system = this->inconsistent(full_rank<T>(100, 20));
  const TransposableOperator op(this->space(), system.a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);

  const auto result = solve(this->space(), op, std::span<const T>(b), x.span(), Identity{}, "auto", {.rtol = 1e-4});

  EXPECT_EQ(result.solver, "lsmr");
  EXPECT_EQ(result.status, Status::least_squares);
  EXPECT_TRUE(mentions(result, "the matrix isn't square"));
}

// The rectangular matrices outside the repository.
TYPED_TEST(LsmrOn, SharedMatricesThatAreNotSquareAreSolved) {
  using T = typename TypeParam::T;
  if (const std::string reason = why_no_shared_matrices(); !reason.empty()) GTEST_SKIP() << reason;
  if (is_single<T>) GTEST_SKIP() << "in double precision alone";
  int seen = 0;
  for (const auto& entry : shared_matrices()) {
    if (entry.square()) continue;
    SCOPED_TRACE(entry.name);
    const auto a = read<T>(entry);
    const auto fits = this->solve(this->consistent(a), {.rtol = 1e-6}).result,
               not_fitting = this->solve(this->inconsistent(a), {.rtol = 1e-6}).result;

    EXPECT_TRUE(static_cast<bool>(fits)) << fits.message();
    EXPECT_TRUE(static_cast<bool>(not_fitting)) << not_fitting.message();
    ++seen;
  }
  EXPECT_GE(seen, 3);
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/residual_judge.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/solvers/methods/lsmr.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/transposable_operator.hpp>

#include "support/exact_residual.hpp"
#include "support/solving.hpp"

// No residual that rounding hides is called converged, whether the solver may look at the matrix or only at products.

namespace ostinato::test {
namespace {

/// A random system of 1 to 7 rows with elements of 10^-range .. 10^range.
template <class T>
System<T> small_system(Random& random, double range) {
  const Index n = 1 + below(random, 7);
  const auto value = [&] { return static_cast<T>(signed_unit(random) * std::pow(10.0, range * signed_unit(random))); };
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (i == j || below(random, 3) > 0) triplets.push_back({i, j, value()});
    }
  }
  System<T> system{from_triplets<T>(n, n, triplets), std::vector<T>(static_cast<std::size_t>(n))};
  for (T& b : system.b) b = value();
  return system;
}

OSTINATO_METHOD_TEST(ResidualJudge, NeverCallsConvergedWhatIsNot) {
  Random random(20261122);
  int converged = 0, wrong = 0;
  for (int k = 0; k < (Space::has_streams ? 200 : 3000); ++k) {
    const auto system = small_system<T>(random, k % 3 == 0 ? 0 : k % 3 == 1 ? 3 : is_single<T> ? 12 : 40);
    const SolveOptions options{.rtol = std::pow(10.0, -5 - below(random, is_single<T> ? 4 : 11)),
                               .max_iterations = 300};
    const Analysis analysis(this->space(), system.a);
    const Operator<Space, T> with_matrix(analysis), without(this->space(), system.a);
    for (const Operator<Space, T>* op : {&with_matrix, &without}) {
      const auto [result, x] = this->run_with(*op, system, options);
      if (result.status != Status::converged) continue;
      ++converged;
      const double true_norm = exact_residual(system.a.view(), x, system.b).relative;
      if (true_norm <= options.rtol * (1 + 1e-12)) continue;
      ++wrong;
      ADD_FAILURE() << result.message() << "; system " << k << ", truly " << true_norm << ", asked for "
                    << options.rtol;
    }
    if (wrong > 5) return;
  }
  EXPECT_GT(converged, 20);
}

OSTINATO_METHOD_TEST(ResidualJudge, OneEquationIsNotSolvedBeyondThePrecision) {
  Random random(7);
  const double unreachable = std::numeric_limits<T>::epsilon() / 1000;
  for (int k = 0; k < 12; ++k) {
    const System<T> system{dense<T>({{static_cast<T>(1.5 + signed_unit(random) / 2)}}),
                           {static_cast<T>(1.5 + signed_unit(random) / 2)}};
    const Analysis analysis(this->space(), system.a);

    const auto [result, x] = this->run_with(Operator<Space, T>(analysis), system, {.rtol = unreachable});

    const double relative = exact_residual(system.a.view(), x, system.b).relative;
    EXPECT_EQ(result.status == Status::converged, relative <= unreachable) << result.message();
    EXPECT_NEAR(result.relative_residual, relative, 1e-6 * relative);
    if (result.status == Status::converged) continue;
    EXPECT_TRUE(result.at_precision_limit);
    EXPECT_TRUE(mentions(result, "below the rounding of b"));
    EXPECT_TRUE(mentions(result, "at the limit of"));
  }
}

OSTINATO_METHOD_TEST(ResidualJudge, ExactSolutionIsConvergedForAnyTolerance) {
  const System<T> system{dense<T>({{4, -1, 0}, {-1, 4, -1}, {0, -1, 4}}), {2, 4, 10}, {1, 2, 3}};
  const Analysis analysis(this->space(), system.a);

  const auto result = this->run_with(Operator<Space, T>(analysis), system, {.rtol = 0}).result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.backward_error, 0);
}

OSTINATO_METHOD_TEST(ResidualJudge, BackwardErrorIsThatOfTheReturnedX) {
  for (const char* family : {"poisson2d", "variable2d"}) {
    const auto system = with_known_solution(generate<T>(family, {.n = 20}));

    const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 20});

    double a_norm = 0, xx = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double row = 0;
      for (auto k = static_cast<std::size_t>(system.a.row_ptr[i]);
           k < static_cast<std::size_t>(system.a.row_ptr[i + 1]); ++k)
        row += std::abs(static_cast<double>(system.a.val[k]));
      a_norm = std::max(a_norm, row);
      xx += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    const double b_norm = result.residual / result.relative_residual;
    const double expected = result.residual / (a_norm * std::sqrt(xx) + b_norm);
    EXPECT_NEAR(result.backward_error, expected, 1e-10 * expected);
  }
}

// The terms of the first row are so large that their squares overflow, and cancel.
OSTINATO_METHOD_TEST(ResidualJudge, RoundingOutOfRangeIsNotOverlooked) {
  if (is_single<T>) GTEST_SKIP() << "the numbers are out of the range of float";
  const System<T> system{
      dense<T>(
          {{3.1972973216077725e+242, 0, 0, -6.850309198065781e+57, 4.6897042943258846e+158},
           {-16.614736754882646, -2.1939124833202109e-138, -5.2020202333217437e-77, 1.95767041229776e+25, 0},
           {0, 3.1782297168767107e-214, -2.2625408873939705e-201, 1.0633113035377799e-227, 0},
           {1.5324122627850039e-265, -3.4869553668467693e-285, 0, 8.6630591338983556e-137, 4.7247146644118151e-117},
           {5.2906872606412617e+76, -9.2557248974383079e+63, -1.1310673728520076e+176, -4.1720300788553811e+60,
            1.704673202216043e-194}}),
      {T(1), T(-2.8802197253481514e+79), T(1.9699287169021156e+41), T(-1.0023806882768421e-80),
       T(-2.6607050900066817e+268)}};

  const auto [result, x] = this->run_with(Operator<Space, T>(this->space(), system.a), system, {.rtol = 3.83e-5});

  const double truth = exact_residual(system.a.view(), x, system.b).relative;
  EXPECT_TRUE(result.status != Status::converged || truth <= 3.83e-5) << result.message() << "; truly " << truth;
  EXPECT_FALSE(std::isinf(result.backward_error)) << result.message();
}

/// A random system of 1 to 8 rows that are nearly equal, so that x grows and rounding hides the residual.
template <class T>
System<T> nearly_singular(Random& random) {
  const Index n = 1 + below(random, 8);
  const auto value = [&] { return signed_unit(random) * std::pow(10.0, 3 * signed_unit(random)); };
  const double difference = below(random, 3) == 0 ? 0 : std::pow(10.0, -4 * (1 + below(random, 4)));
  std::vector<double> first(static_cast<std::size_t>(n));
  for (double& v : first) v = value();
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j)
      triplets.push_back({i, j, static_cast<T>(first[static_cast<std::size_t>(j)] * (1 + difference * value()))});
  }
  System<T> system{from_triplets<T>(n, n, triplets), std::vector<T>(static_cast<std::size_t>(n))};
  for (T& b : system.b) b = static_cast<T>(value());
  return system;
}

/// The largest sum of |a_ij x_j| in a row.
template <class T>
double largest_terms(const Csr<T>& a, const std::vector<T>& x) {
  double largest = 0;
  for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) {
    double terms = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      terms += std::abs(double{a.val[k]} * double{x[static_cast<std::size_t>(a.col[k])]});
    largest = std::max(largest, terms);
  }
  return largest;
}

OSTINATO_METHOD_TEST(ResidualJudge, ResidualIsThatOfTheReturnedXAtEveryEnd) {
  Random random(20261130);
  int wrong = 0;
  for (int k = 0; k < (Space::has_streams ? 100 : 1500) && wrong < 5; ++k) {
    const auto system = nearly_singular<T>(random);
    const SolveOptions options{.rtol = 1e-12, .max_iterations = below(random, 60), .restart = 1 + below(random, 5)};
    const auto [result, x] = this->run(system, options);

    const ExactResidual exact = exact_residual(system.a.view(), x, system.b);
    const auto norm = static_cast<double>(exact.norm);
    if (result.status == Status::converged) continue;                      // judged by a bound, where that is enough
    const double room = 1e-6 * norm + 1e-28 * largest_terms(system.a, x);  // twice the digits of double precision
    const auto size = norm > 0 ? exact.backward / norm : 0;
    wrong += !(std::abs(result.residual - norm) <= room) ||
             !(std::abs(result.backward_error - exact.backward) <= room * size);
    EXPECT_NEAR(result.residual, norm, room) << "system " << k << ": " << result.message();
    EXPECT_NEAR(result.backward_error, exact.backward, room * size) << "system " << k << ": " << result.message();
  }
}

OSTINATO_METHOD_TEST(ResidualJudge, ResidualIsNotMuchSmallerThanTheTruthWithoutTheMatrix) {
  Random random(20261130);
  int wrong = 0;
  for (int k = 0; k < (Space::has_streams ? 100 : 1500) && wrong < 5; ++k) {
    const auto system = nearly_singular<T>(random);
    const SolveOptions options{.rtol = 1e-12, .max_iterations = below(random, 60), .restart = 1 + below(random, 5)};
    const auto [result, x] = this->run_with(Operator<Space, T>(this->space(), system.a), system, options);

    const auto truth = static_cast<double>(exact_residual(system.a.view(), x, system.b).norm);
    const bool right = result.status == Status::converged || result.residual >= 0.1 * truth;
    wrong += !right;
    EXPECT_TRUE(right) << "system " << k << ": " << result.message() << "; truly " << truth;
  }
}

OSTINATO_METHOD_TEST(ResidualJudge, NormOfAMatrixThatOverflowsLeavesABackwardError) {
  constexpr T largest = std::numeric_limits<T>::max();
  const System<T> system{dense<T>({{largest, largest}, {0, largest}}), {1, 1}};
  const Analysis analysis(this->space(), system.a);

  const auto result = this->run_with(Operator<Space, T>(analysis), system, {.rtol = 0, .atol = 2}).result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_NEAR(result.backward_error, 1, 1e-6) << "x = 0";
}

OSTINATO_METHOD_TEST(ResidualJudge, ResidualWithSquaresOfZeroIsNotZero) {
  const T tiny = static_cast<T>(is_single<T> ? 1e-30 : 1e-200);
  const System<T> system{dense<T>({{1, 0}, {0, 1}}), {1, tiny}, {1, 0}};
  const Analysis analysis(this->space(), system.a);

  const auto result = this->run_with(Operator<Space, T>(analysis), system, {.rtol = 0, .max_iterations = 0}).result;

  EXPECT_EQ(result.status, Status::iteration_limit);
  EXPECT_NEAR(result.relative_residual / static_cast<double>(tiny), 1, 1e-6);
}

OSTINATO_METHOD_TEST(ResidualJudge, OperatorWithoutStructureHasNoBackwardError) {
  const auto system = this->poisson();
  const Operator<Space, T> op(this->space(), system.a);

  const auto result = this->run_with(WithoutDot(op), system, {.rtol = 1e-4}).result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_TRUE(std::isnan(result.backward_error));
}

template <class Case>
class Rounding : public SpaceTest<Case> {};
TYPED_TEST_SUITE(Rounding, EverySpace, SpaceNames);

TYPED_TEST(Rounding, EstimateFitsTheTermsAndLeavesX) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  for (const Index n : {2, 5, 40}) {
    SCOPED_TRACE(n);
    const auto system = with_known_solution(generate<T>("variable2d", {.n = n}));
    const Operator<Space, T> op(this->space(), system.a);
    const auto b = this->put(system.b);
    const auto guess = random_vector<T>(static_cast<Index>(system.b.size()), 3);
    auto x = this->put(guess), r = this->put(guess);
    Workspace<Space> workspace(this->space());
    const ScaledSystem<Space, T> scaled("test", this->space(), op, b, x, {}, workspace);
    const ResidualJudge<Space, T> judge(scaled, workspace);

    const auto rounding = judge.rounding(x, r);

    double squares = 0;
    for (std::size_t i = 0; i < guess.size(); ++i) {
      for (auto k = static_cast<std::size_t>(system.a.row_ptr[i]);
           k < static_cast<std::size_t>(system.a.row_ptr[i + 1]); ++k)
        squares += std::pow(static_cast<double>(system.a.val[k]) *
                                static_cast<double>(guess[static_cast<std::size_t>(system.a.col[k])]),
                            2);
      squares += std::pow(static_cast<double>(system.b[i]), 2);
    }
    const double terms = std::sqrt(squares) * std::numeric_limits<T>::epsilon();
    EXPECT_GT(rounding.norm, 0.3 * terms);
    EXPECT_LT(rounding.norm, 4 * terms);
    EXPECT_EQ(x.download(), guess);
    EXPECT_EQ(rounding.share == 1, n <= 5);
  }
}

// Rounding that lies in a few rows of many may be in line with the residual.
TYPED_TEST(Rounding, CountsTheRowsWithLargeTermsOnly) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  constexpr Index n = 400;
  for (const Index heavy : {1, 4, 400}) {
    SCOPED_TRACE(heavy);
    std::vector<Triplet<T>> triplets;
    for (Index i = 0; i < n; ++i) {
      for (const Index j : {i, (i + 1) % n, (i + 7) % n})
        triplets.push_back({i, j, static_cast<T>(i % (n / heavy) == 0 ? 1e6 : 1)});
    }
    const Operator<Space, T> op(this->space(), from_triplets<T>(n, n, triplets));
    const auto b = this->put(std::vector<T>(n, T{1}));
    auto x = this->put(random_vector<T>(n, 3)), r = this->put(std::vector<T>(n));
    Workspace<Space> workspace(this->space());
    const ScaledSystem<Space, T> scaled("test", this->space(), op, b, x, {}, workspace);

    const double share = ResidualJudge<Space, T>(scaled, workspace).rounding(x, r).share;

    EXPECT_EQ(share == 1, heavy < n) << share;
  }
}

// The products with x0 are so large that a sum with twice the digits shows a residual of 1e-17 ||b||. It is truly
// 1e7 ||b||.
template <class T>
System<T> graded_system() {
  return {
      dense<T>({{0.36400265400950116, 1.1183671400805494e-41, 1.286719618971869e-81, 3.809103212945992e-122},
                {0, 9.650804541885618e-82, 1.0863459235348734e-122, 1.6022526797584986e-162},
                {9.689653652619923e-82, 0, 1.9824400859327605e-163, 0},
                {2.2879412075219166e-122, 7.86665642194941e-163, 0, 1.4234899203809152e-243}}),
      {T(0.5416402586914209), T(0.1098521529364267), 0, 0},
      {T(-1.779997283297569e+39), T(1.6698177171148885e+80), T(3.010289108215639e+104), T(-3.2016604993813927e+160)}};
}

TYPED_TEST(Rounding, OfASumWithTwiceTheDigitsIsAddedToTheResidual) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  if (is_single<T>) GTEST_SKIP() << "the numbers are out of the range of float";
  const System<T> system = graded_system<T>();
  const Analysis analysis(this->space(), system.a);
  const Operator<Space, T> op(analysis);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0), r = this->put(system.b);
  Workspace<Space> workspace(this->space());
  const ScaledSystem<Space, T> scaled("test", this->space(), op, b, x, {}, workspace);
  const ResidualJudge<Space, T> judge(scaled, workspace);

  const double best = judge.best(x, r, judge.compute(x, r));

  const auto truth = static_cast<double>(exact_residual(system.a.view(), system.x0, system.b).norm);
  EXPECT_GE(best, truth);
  EXPECT_LE(best, 20 * truth) << "and isn't much larger";
}

TYPED_TEST(Rounding, LeavesNoFalseEndOfAGradedSystem) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  if (is_single<T>) GTEST_SKIP() << "the numbers are out of the range of float";
  const System<T> system = graded_system<T>();
  const Analysis analysis(this->space(), system.a);
  const Operator<Space, T> op(analysis);
  const Jacobi<Space, T> jacobi(analysis);
  const auto b = this->put(system.b);
  for (const char* solver : {"auto", "cg", "minres", "gmres", "bicgstab"}) {
    auto x = this->put(std::vector<T>(4));

    const SolveResult result = solve(this->space(), op, b, x, jacobi, solver, {.rtol = 3.56e-15});

    const double truth = exact_residual(system.a.view(), x.download(), system.b).relative;
    EXPECT_TRUE(result.status != Status::converged || truth <= 3.56e-15) << result.message() << "; truly " << truth;
  }
}

TYPED_TEST(Rounding, SaysSoWhereItKeepsTheResidualFromFalling) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 20}));

  const auto result = run<Cg>(this->space(), system, {.rtol = 1e-30});

  EXPECT_EQ(result.result.status, Status::stagnated);
  EXPECT_TRUE(result.result.at_precision_limit) << result.result.message();
  EXPECT_TRUE(mentions(result.result, "at the limit of"));
}

TYPED_TEST(Rounding, IsNotBlamedForAnXThatHasGrown) {
  using T = typename TypeParam::T;
  const System<T> inconsistent{dense<T>({{1, 1}, {1, 1}}), {1, 2}};

  const auto result = run<Gmres>(this->space(), inconsistent, {.rtol = 1e-5}).result;

  EXPECT_NE(result.status, Status::converged);
  EXPECT_GT(result.relative_residual, 0.3);
  EXPECT_LT(result.relative_residual, 0.5);
  EXPECT_FALSE(result.at_precision_limit);
  EXPECT_FALSE(mentions(result, "at the limit of"));
}

TYPED_TEST(Rounding, IsNotBlamedForAResidualThatCannotFall) {
  using T = typename TypeParam::T;
  const System<T> inconsistent{dense<T>({{1, 0, 0}, {0, 2, 0}, {0, 0, 0}}), {1, 1, 1}};

  const auto result = run<Gmres>(this->space(), inconsistent, {.rtol = 1e-5});

  EXPECT_NE(result.result.status, Status::converged);
  EXPECT_FALSE(result.result.at_precision_limit);
}

// No entry of A reads x[3]; b[3] alone is within the goal.
template <class T>
Csr<T> with_unread_column() {
  return from_triplets(5, 5, std::vector<Triplet<T>>{{0, 0, 1}, {1, 1, 2}, {1, 2, 1}, {2, 1, 1}, {2, 2, 3}, {4, 4, 4}});
}

TYPED_TEST(Rounding, LeavesElementsThatNoEntryReadsFinite) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const Csr<T> a = with_unread_column<T>();
  const std::vector<T> b_values{1, 2, 3, T(1e-4), 4};
  const Analysis analysis(this->space(), a);
  const Operator<Space, T> op(analysis, {.format = "csr"});
  const auto b = this->put(b_values);
  const T far = is_single<T> ? T(1e25) : T(1e40);
  for (const char* solver : {"auto", "cg", "minres", "bicgstab", "bicgstab2", "gmres", "gcrodr", "idr"}) {
    for (const T written : {T{1}, inf, -inf, nan}) {  // by the preconditioner
      for (const std::vector<T>& guess :
           {std::vector<T>(5), {0, 0, 0, nan, 0}, {0, 0, 0, inf, 0}, {far, 0, 0, nan, 0}}) {
        SCOPED_TRACE(std::string(solver) + ", " + std::to_string(written) + ", guess " + std::to_string(guess[0]) +
                     " " + std::to_string(guess[3]));
        const UserDiagonal<Space, T> m(this->space(), {1, 1, 1, written, 1});
        auto x = this->put(guess);

        const SolveResult result = solve(this->space(), op, b, x, m, solver, {.rtol = 1e-3});

        const std::vector<T> found = x.download();
        const bool is_plain = written == 1 && all_finite(guess);
        if (is_plain || std::string(solver) == "gmres") {
          EXPECT_EQ(result.status, Status::converged) << result.message();
        }
        if (result.status != Status::converged) continue;
        EXPECT_TRUE(all_finite(found)) << result.message();
        EXPECT_LT(std::abs(found[3]), 1) << result.message();
        EXPECT_LE(exact_residual(a.view(), found, b_values).relative, 1e-3);
        EXPECT_GT(result.backward_error, 1e-9);
      }
    }
  }
}

TYPED_TEST(Rounding, LeavesLeastSquaresWithAnEmptyColumnFinite) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const Csr<T> a = from_triplets(4, 3, std::vector<Triplet<T>>{{0, 0, 1}, {1, 0, 1}, {2, 1, 2}, {3, 1, 1}});
  const TransposableOperator<Space, T> op(this->space(), a);
  const auto b = this->put(std::vector<T>{1, 2, 3, 3});
  for (const T unread : {T{0}, nan, inf}) {
    auto x = this->put(std::vector<T>{0, 0, unread});

    const SolveResult result = lsmr(this->space(), op, b, x, {.rtol = 1e-5});

    EXPECT_EQ(result.status, Status::least_squares) << result.message();
    const std::vector<T> found = x.download();
    EXPECT_NEAR(found[0], 1.5, 1e-4);
    EXPECT_NEAR(found[1], 1.8, 1e-4);
    EXPECT_EQ(found[2], 0);
  }
}

}  // namespace
}  // namespace ostinato::test

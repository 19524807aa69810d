// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

#include "support/solving.hpp"

// What every method must do with a system that it can't solve.

namespace ostinato::test {
namespace {

OSTINATO_METHOD_TEST(Failure, NamesTheShapesThatDoNotFit) {
  const auto square = dense<T>({{2, 1}, {1, 3}});
  const System<T> wide{dense<T>({{1, 2, 3}, {4, 5, 6}}), {1, 2}}, short_b{square, {1}, {0, 0}},
      short_x{square, {1, 2}, {0, 0, 0}};

  const auto a = message_of<DimensionError>([&] { this->run(wide, {}); });
  const auto b = message_of<DimensionError>([&] { this->run(short_b, {}); });
  const auto x = message_of<DimensionError>([&] { this->run(short_x, {}); });

  EXPECT_NE(a.find("2 x 3"), std::string::npos) << a;
  EXPECT_NE(b.find("b has 1"), std::string::npos) << b;
  EXPECT_NE(x.find("x 3"), std::string::npos) << x;
  for (const std::string& text : {a, b, x}) EXPECT_EQ(text.find(this->name()), 0u) << text;
}

OSTINATO_METHOD_TEST(Failure, RefusesToOverwriteTheRightHandSide) {
  const auto system = this->poisson(4);
  const Operator<Space, T> op(this->space(), system.a);
  auto both = this->put(system.b);

  const std::string refusal = message_of<ArgumentError>(
      [&] { this->method().run(this->space(), op, both, both, PreconditionerRef<Space, T>(), SolveOptions()); });

  EXPECT_EQ(refusal.find(this->name() + ": b and x share memory"), 0u) << refusal;
  EXPECT_EQ(both.download(), system.b);
}

OSTINATO_METHOD_TEST(Failure, NanOrInfinityInTheMatrixIsNotFinite) {
  for (const T bad : {this->nan, std::numeric_limits<T>::infinity()}) {
    auto system = this->poisson();
    system.a.val[777] = bad;

    const auto [result, x] = this->solve(system);

    EXPECT_EQ(result.status, Status::not_finite);
    EXPECT_EQ(x, system.x0);
  }
}

OSTINATO_METHOD_TEST(Failure, NanOrInfinityInTheRightHandSideIsNotFinite) {
  for (const T bad : {this->nan, std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()}) {
    auto system = this->poisson();
    system.b[7] = bad;

    const auto [result, x] = this->solve(system);

    EXPECT_EQ(result.status, Status::not_finite);
    EXPECT_EQ(x, system.x0);
  }
}

OSTINATO_METHOD_TEST(Failure, NanInTheGuessIsNotFinite) {
  auto system = this->poisson();
  system.x0[3] = this->nan;

  EXPECT_EQ(this->solve(system).result.status, Status::not_finite);
}

OSTINATO_METHOD_TEST(Failure, KeepsTheLastFiniteIterateWhenAProductFails) {
  const auto system = this->poisson();
  const Operator op(this->space(), system.a);
  for (int bad = 1; bad < 30; ++bad) {
    SCOPED_TRACE(bad);
    const SolveOptions options{.rtol = 1e-5, .restart = 10};

    const auto solved = this->run_with(FailingAt(op, bad), system, options);

    EXPECT_TRUE(all_finite(solved.x));
    if (solved.result.status == Status::converged) expect_honest(solved, system, options);
  }
}

OSTINATO_METHOD_TEST(Failure, MethodThatNeedsSymmetrySaysSo) {
  const System<T> rotation{dense<T>({{0, 1}, {-1, 0}}), {1, 0}}, symmetric{dense<T>({{2, 1}, {1, 3}}), {1, 0}};
  const SolveOptions one_step{.rtol = 0, .max_iterations = 1};
  const std::string note = "A isn't symmetric; " + this->name() + " needs that";
  const bool needs = this->is("cg") || this->is("minres");

  EXPECT_EQ(mentions(this->run(rotation, one_step).result, note), needs);
  EXPECT_FALSE(mentions(this->run(symmetric, one_step).result, note));
}

OSTINATO_METHOD_TEST(Failure, MethodThatNeedsSymmetryDoesNotBeginWithoutIt) {
  if (!this->is("cg") && !this->is("minres")) GTEST_SKIP() << "takes any matrix";
  for (const char* family : {"convection-diffusion2d", "convection-diffusion3d"}) {
    const auto system = with_known_solution(generate<T>(family, {.n = 12}));

    const auto [result, x] = this->solve(system);

    EXPECT_EQ(result.status, Status::breakdown);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.reason, "A isn't symmetric; " + this->name() + " needs that");
    EXPECT_EQ(x, system.x0);
  }
}

// Rounding may make a matrix unsymmetric, and so may rows of fixed values, which the residual leaves alone.
OSTINATO_METHOD_TEST(Failure, MethodThatNeedsSymmetryGoesOnWhereItsVectorsSeeNoneMissing) {
  if (!this->is("cg") && !this->is("minres")) GTEST_SKIP() << "takes any matrix";
  auto rounded = with_known_solution(generate<T>("variable2d", {.n = 20}));
  for (std::size_t k = 0; k < rounded.a.val.size(); k += 3)
    rounded.a.val[k] = std::nextafter(rounded.a.val[k], T{1000});
  System<T> fixed = with_known_solution(generate<T>("poisson2d", {.n = 20}));
  for (Index i = 0; i < 20; ++i) {  // the first points have given values, which the guess holds
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(fixed.a.row_ptr[row]);
         k < static_cast<std::size_t>(fixed.a.row_ptr[row + 1]); ++k)
      fixed.a.val[k] = fixed.a.col[k] == i ? 1 : 0;
    fixed.b[row] = fixed.x0[row] = T(0.5);
  }
  for (const System<T>& system : {rounded, fixed}) {
    const SolveOptions options{.rtol = 1e-5};

    const auto solved = this->solve(system, options);

    EXPECT_EQ(solved.result.status, Status::converged) << solved.result.message();
    expect_honest(solved, system, options);
  }
}

OSTINATO_METHOD_TEST(Failure, ZeroMatrixHasNoSolution) {
  const System<T> nothing{from_triplets<T>(31, 31, {}), std::vector<T>(31, 2)};

  const auto [result, x] = this->solve(nothing);

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_LE(result.iterations, 10);
  EXPECT_EQ(x, nothing.x0);
  EXPECT_EQ(result.relative_residual, 1);
  for (const double h : result.history) EXPECT_EQ(h, 1);
}

OSTINATO_METHOD_TEST(Failure, IndefiniteMatrixBreaksCgDownAtOnceAndNoOther) {
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

OSTINATO_METHOD_TEST(Failure, NegativeCurvatureIsNoticedWhenItIsMet) {
  auto d = std::vector<T>(50);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<T>(i + 1);
  d[10] = T(-0.5);
  const auto system = with_known_solution(diagonal_matrix(d));

  const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 1000});

  EXPECT_EQ(result.status, this->is("cg") ? Status::breakdown : Status::converged) << result.message();
  EXPECT_TRUE(all_finite(x));
}

OSTINATO_METHOD_TEST(Failure, SingularConsistentSystemIsSolved) {
  const System<T> system{dense<T>({{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 0}}), {1, 2, 3, 0}};

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(x[3], 0);
}

OSTINATO_METHOD_TEST(Failure, SingularRingIsSolvedWhenTheForcesBalance) {
  std::vector<T> b(64);
  b[3] = 1;
  b[40] = -1;

  const auto result = this->solve({ring<T>(64), b}, {.rtol = 1e-4}).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
}

OSTINATO_METHOD_TEST(Failure, SingularInconsistentSystemIsNeverCalledSolved) {
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

OSTINATO_METHOD_TEST(Failure, UnattainableToleranceEndsAtTheAccuracyOfTheType) {
  const auto system = this->poisson();

  const auto [result, x] = this->solve(system, {.rtol = 1e-20, .max_iterations = 20000});

  EXPECT_TRUE(result.status == Status::stagnated || result.status == Status::breakdown) << result.message();
  EXPECT_LT(result.relative_residual, 300 * std::numeric_limits<T>::epsilon());
}

/// A skew-symmetric ring with a small multiple of the identity, and a random right-hand side.
template <class T>
System<T> shifted_cycle(Index n, double shift) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, static_cast<T>(shift)});
    triplets.push_back({i, (i + 1) % n, 1});
    triplets.push_back({(i + 1) % n, i, -1});
  }
  return with_known_solution(from_triplets<T>(n, n, triplets));
}

OSTINATO_METHOD_TEST(Failure, ResidualThatGrowsIsDivergence) {
  const SolveOptions options{.rtol = 1e-5, .divergence_limit = 2};
  const System<T> spiral{dense<T>({{0.125, 1}, {-1, 0.125}}), {1, 0}};
  // MINRES minimises the residual in the norm of M^-1. Here its first step lowers this norm, while the second element
  // of the residual grows to 27. The first step of CG leaves the residual (0, -30).
  const System<T> coupled{dense<T>({{1, 30}, {30, 1}}), {1, 0}};
  const UserDiagonal<Space, T> hides_the_second(this->space(), {1, T(1e-4)});
  // IDR makes its first residual orthogonal to a random vector.
  const auto cycle = shifted_cycle<T>(40, 0.125);

  const System<T> for_two_steps{
      dense<T>({{-2, 2, 0, -1, -1}, {-2, 0, 0, -2, 0}, {2, 2, 1, -2, -2}, {-1, -2, 2, 2, 2}, {2, -2, 1, 1, 1}}),
      {1, 0, 0, 0, 0}};

  const auto [result, x] = this->is("minres")      ? this->solve(coupled, options, hides_the_second)
                           : this->is("cg")        ? this->solve(coupled, options)
                           : this->is("idr")       ? this->solve(cycle, options)
                           : this->is("bicgstab2") ? this->solve(for_two_steps, options)
                                                   : this->solve(spiral, options);

  if (this->is("gmres") || this->is("gcrodr")) {  // the residual never grows
    EXPECT_EQ(result.status, Status::converged);
    return;
  }
  EXPECT_EQ(result.status, Status::diverged);
  EXPECT_LE(result.iterations, this->is("idr") ? 40 : 1);
  EXPECT_LE(result.relative_residual, 1) << "x is the best that there was";
}

OSTINATO_METHOD_TEST(Failure, NormsThatUnderflowAreNotTakenForZero) {
  const T tiny = std::numeric_limits<T>::min() * T(1e6);
  auto system = this->poisson(5);
  system.b.assign(25, tiny);

  const auto result = this->solve(system).result;

  EXPECT_NEAR(result.history[0], 1, 1e-6);
}

}  // namespace
}  // namespace ostinato::test

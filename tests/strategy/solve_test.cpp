// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/solve.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/dense/least_squares.hpp>
#include <ostinato/spmv/function_operator.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/dense_reference.hpp"
#include "support/exact_residual.hpp"
#include "support/shared_matrices.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

/// A bar of n equal springs: the stiffness matrix of a body that nothing holds.
template <class T>
std::vector<Triplet<T>> free_bar(Index n, double stiffness = 1) {
  const auto k = static_cast<T>(stiffness);
  std::vector<Triplet<T>> entries;
  for (Index i = 1; i < n; ++i)
    entries.insert(entries.end(), {{i, i, k}, {i - 1, i - 1, k}, {i, i - 1, -k}, {i - 1, i, -k}});
  return entries;
}

template <class T>
std::vector<T> product(const Csr<T>& a, const std::vector<T>& x) {
  std::vector<T> b;
  for (const ReferenceRow& row : reference_product(a.view(), T{1}, x, T{0}, {})) b.push_back(static_cast<T>(row.value));
  return b;
}

template <class Case>
class SolveSystems : public SpaceTest<Case> {
 protected:
  using Real = typename Case::T;
  static constexpr double rtol = sizeof(Real) == 4 ? 1e-4 : 1e-8;

  /// Solves by solve() without a preconditioner, and checks the residual that the result tells.
  Solved<Real> solve(const System<Real>& system, SolveOptions options = {.rtol = rtol}) const {
    const Operator<typename Case::Space, Real> a(this->space(), system.a);
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    Solved<Real> solved{ostinato::solve(this->space(), a, b.span(), x.span(), options), x.download()};
    const ExactResidual exact = exact_residual(system.a.view(), solved.x, system.b);
    EXPECT_NEAR(solved.result.relative_residual, exact.relative,
                1e-6 * exact.relative + std::numeric_limits<Real>::epsilon());
    if (solved.result.status == Status::converged) {
      EXPECT_LE(exact.relative, options.rtol * (1 + 1e-9));
    }
    return solved;
  }

  Solved<Real> solve(const Csr<Real>& a, const std::vector<Real>& x) const {
    return solve(System<Real>{a, product(a, x)});
  }

  static void expect_near(const std::vector<Real>& x, const std::vector<Real>& expected, double tolerance) {
    ASSERT_EQ(x.size(), expected.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(x[i], expected[i], tolerance * std::max<double>(1, std::abs(expected[i]))) << "element " << i;
  }
};
TYPED_TEST_SUITE(SolveSystems, EverySpace, SpaceNames);

// Each unknown of a grid is there twice, and only their sum matters.
TYPED_TEST(SolveSystems, WithEqualRowsAreCalledSingularAndSolved) {
  using T = typename TypeParam::T;
  const Csr<T> grid = generate<T>("poisson2d", {.n = 15});
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < grid.rows; ++i) {
    for (auto k = static_cast<std::size_t>(grid.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(grid.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
      for (const Index row : {2 * i, 2 * i + 1})
        for (const Index col : {2 * grid.col[k], 2 * grid.col[k] + 1}) entries.push_back({row, col, grid.val[k]});
    }
  }
  const Csr<T> a = from_triplets<T>(2 * grid.rows, 2 * grid.rows, entries);
  const auto [result, x] = this->solve(a, random_vector<T>(a.rows, 3));

  EXPECT_EQ(result.status, Status::converged) << result.message();
  const std::string said = result.reason + " " + (result.notes.empty() ? "" : result.notes.back());
  EXPECT_NE(said.find("225 rows equal others"), std::string::npos) << said;
}

// Columns of very different norms, which factors of A^T A take in few iterations.
TYPED_TEST(SolveSystems, ThatAreNotSquareHaveColumnsScaled) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 60; ++i) {
    for (const Index j : {i / 2, (i * 7 + 3) % 30})
      entries.push_back({i, j, static_cast<T>((1 + (i * 5 + j) % 7) * (j % 3 == 0 ? 1e3 : 1))});
  }
  const System<T> system{from_triplets<T>(60, 30, entries), random_vector<T>(60, 5)};
  const Operator<typename TypeParam::Space, T> op(this->space(), system.a);
  const auto b = this->put(system.b);
  auto x = this->put(std::vector<T>(30));

  const SolveResult result = ostinato::solve(this->space(), op, b.span(), x.span(), {.rtol = this->rtol});

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_NE(result.preconditioner, "none");
  const DenseReference reference(system.a.view(), system.b, false, 1e-12);
  EXPECT_NEAR(result.residual, static_cast<double>(reference.residual()), 1e-4 * result.residual);
}

TYPED_TEST(SolveSystems, TakeAPreconditioner) {
  using T = typename TypeParam::T;
  const auto solved = this->solve(with_known_solution(generate<T>("variable2d", {.n = 30})));

  EXPECT_EQ(solved.result.status, Status::converged);
  EXPECT_NE(solved.result.preconditioner, "none");
}

TYPED_TEST(SolveSystems, AreSolvedWithTheMatrixOfAnOperatorThatHasNewValues) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("variable2d", {.n = 20});
  Operator<typename TypeParam::Space, T> op(this->space(), a);
  for (T& v : a.val) v *= 2;
  op.update_values(a);
  const auto system = with_known_solution(a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);

  const SolveResult result = ostinato::solve(this->space(), op, b.span(), x.span(), {.rtol = this->rtol});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_NE(result.preconditioner, "none");
  EXPECT_LE(exact_residual(a.view(), x.download(), system.b).relative, this->rtol * (1 + 1e-9));
}

// Nothing keeps the matrix of an operator that was made from an analysis.
TYPED_TEST(SolveSystems, SayThatTheOperatorKeepsNoMatrix) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 10}));
  const Operator<Space, T> op(Analysis<Space, T>(this->space(), system.a));
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);

  const SolveResult result = ostinato::solve(this->space(), op, b.span(), x.span(), {.rtol = 1e-4});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_FALSE(result.notes.empty());
}

TYPED_TEST(SolveSystems, TakeMultigridForAStencil) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const StencilOperator<Space, T> a(this->space(), generate_stencil("poisson2d", {.n = 64}).value());
  const Vector<Space, T> b(this->space(), 64 * 64, T{1});
  Vector<Space, T> x(this->space(), 64 * 64, T{0});

  const SolveResult result = ostinato::solve(this->space(), a, b.span(), x.span(), {.rtol = 1e-4});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.preconditioner, "multigrid");
}

TYPED_TEST(SolveSystems, RefuseVectorsThatDoNotFit) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Operator<Space, T> a(this->space(), dense<T>({{1, 0, 0}, {-1, 2, -1}, {0, -1, 2}}));  // would be prepared
  const auto b = this->put(std::vector<T>(2));
  auto x = this->put(std::vector<T>(3));

  EXPECT_THROW(ostinato::solve(this->space(), a, b.span(), x.span()), DimensionError);
}

// Singular systems.

TYPED_TEST(SolveSystems, WithBalancedForcesOnAFreeBodyConverge) {
  using T = typename TypeParam::T;
  const Csr<T> a = from_triplets<T>(6, 6, free_bar<T>(6));

  const auto [result, x] = this->solve(a, {1, -2, T(0.5), 3, -1, T(-1.5)});

  EXPECT_EQ(result.status, Status::converged) << result.message();
}

TYPED_TEST(SolveSystems, WithForcesThatHardlyBalanceEndAtTheSmallestResidual) {
  using T = typename TypeParam::T;
  const double excess = is_single<T> ? 1e-2 : 1e-6;
  for (const Index n : {6, 300}) {
    System<T> system{from_triplets<T>(n, n, free_bar<T>(n)), {}};
    std::vector<T> true_x = random_vector<T>(n, 3);
    system.b = product(system.a, true_x);
    for (T& v : system.b) v += static_cast<T>(excess);
    system.x0.resize(system.b.size());

    const auto [result, x] = this->solve(system);

    EXPECT_EQ(result.status, Status::least_squares) << result.message();
    const double least = excess * std::sqrt(n) / std::sqrt(dot_of(system.b, system.b));
    EXPECT_NEAR(result.relative_residual, least, 1e-2 * least);
    const double shift = x[0] - true_x[0];
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i] - true_x[i], shift, (is_single<T> ? 5 : 1e-3));
  }
}

TYPED_TEST(SolveSystems, OfPartsThatAreEachFreeEndAtTheSmallestResidual) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> entries = free_bar<T>(5);
  for (const Triplet<T>& t : free_bar<T>(4, 2)) entries.push_back({t.row + 5, t.col + 5, t.val});
  const System<T> system{from_triplets<T>(9, 9, entries), {1, 0, 0, 0, 0, -1, 0, 0, 0}};

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_NEAR(result.relative_residual, std::sqrt((1.0 / 5 + 1.0 / 4) / 2), 1e-3);
}

TYPED_TEST(SolveSystems, ThatAreSingularAndNotSymmetricConverge) {
  using T = typename TypeParam::T;
  if (!has_dense_least_squares()) GTEST_SKIP() << "built without LAPACK";
  const Csr<T> digraph =
      dense<T>({{0, 1, 0, 1, 0}, {1, 1, 0, 0, 1}, {0, 0, 0, 0, 0}, {1, 0, 0, 0, 1}, {1, 1, 1, 1, 1}});

  const auto [result, x] = this->solve(System<T>{digraph, {4, 7, 0, 6, 13}});

  EXPECT_EQ(result.status, Status::converged) << result.message();
  for (const T v : x) EXPECT_LE(std::abs(v), 100);
}

TYPED_TEST(SolveSystems, WithARedundantConstraintConverge) {
  using T = typename TypeParam::T;
  const Index n = 400;
  std::vector<Triplet<T>> entries = free_bar<T>(n);
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, 1});
  for (Index k = 0; k < 3; ++k) {  // the third constraint is the first once more
    for (Index j = k % 2; j < n; j += 7) entries.insert(entries.end(), {{n + k, j, 1}, {j, n + k, 1}});
  }
  const Csr<T> a = from_triplets<T>(n + 3, n + 3, entries);

  const auto [result, x] = this->solve(a, random_vector<T>(n + 3, 7));

  EXPECT_EQ(result.status, Status::converged) << result.message();
  for (const T v : x) EXPECT_LE(std::abs(v), 100);
}

TYPED_TEST(SolveSystems, WithARowOfZerosAndSomethingOnTheRightAreNamedAtOnce) {
  using T = typename TypeParam::T;
  System<T> system{generate<T>("poisson2d", {.n = 10}), std::vector<T>(100, 1)};
  for (auto k = static_cast<std::size_t>(system.a.row_ptr[7]); k < static_cast<std::size_t>(system.a.row_ptr[8]); ++k)
    system.a.val[k] = 0;

  const auto [result, x] = this->solve(system);

  EXPECT_EQ(result.status, Status::breakdown);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_NE(result.reason.find("row 7 (counted from 0)"), std::string::npos) << result.reason;
  EXPECT_EQ(x, system.x0);
}

// Rows that stand alone.

TYPED_TEST(SolveSystems, WithANodeAloneTakeTheIterationsOfTheRest) {
  using T = typename TypeParam::T;
  const Csr<T> rest = generate<T>("poisson2d", {.n = 20});
  Csr<T> a = rest;
  a.rows = a.cols = rest.rows + 1;
  a.row_ptr.push_back(a.row_ptr.back());
  const std::vector<T> b = product(rest, random_vector<T>(rest.rows, 1));
  System<T> system{a, b};
  system.b.push_back(0);
  system.x0.push_back(0);

  const SolveOptions options{.rtol = this->rtol, .effort = Effort::quick};  // no ladder, which goes by the clock
  const auto whole = this->solve(system, options), alone = this->solve(System<T>{rest, b}, options);

  EXPECT_EQ(whole.result.status, Status::converged);
  EXPECT_EQ(whole.result.solver, "cg");
  EXPECT_LE(std::abs(whole.result.iterations - alone.result.iterations), 2);
}

TYPED_TEST(SolveSystems, WithRowsForBoundaryValuesAreSolvedAsSymmetric) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("poisson2d", {.n = 20});
  for (Index i = 0; i < a.rows; ++i) {
    const bool on_boundary = i % 20 == 0 || i < 20;
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
      if (on_boundary) a.val[k] = a.col[k] == i ? T{1} : T{0};
    }
  }
  const std::vector<T> true_x = random_vector<T>(a.rows, 1);

  const auto [result, x] = this->solve(a, true_x);

  EXPECT_EQ(result.solver, "cg");
  this->expect_near(x, true_x, is_single<T> ? 1e-2 : 1e-5);
}

// Sizes.

TYPED_TEST(SolveSystems, WithRowsOfOtherSizeAreSolvedInAllRows) {
  using T = typename TypeParam::T;
  const double small = is_single<T> ? 1e-6 : 1e-9;
  std::vector<Triplet<T>> entries = {{0, 0, 1}, {10, 10, 1}};
  for (Index i = 1; i < 10; ++i) {
    const auto k = static_cast<T>(small);
    entries.insert(entries.end(), {{i, i - 1, -k}, {i, i, 2 * k}, {i, i + 1, -k}});
  }
  System<T> system{from_triplets<T>(11, 11, entries), std::vector<T>(11)};
  system.b.front() = 300;
  system.b.back() = 400;

  const auto [result, x] = this->solve(system);

  std::vector<T> expected;
  for (int i = 0; i <= 10; ++i) expected.push_back(static_cast<T>(300 + 10 * i));
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.unsolved_rows, 0);
  this->expect_near(x, expected, is_single<T> ? 1e-4 : 1e-8);
}

TYPED_TEST(SolveSystems, WithPenaltiesOfAnySizeAreSolvedInAllRows) {
  using T = typename TypeParam::T;
  const std::vector<double> powers =
      is_single<T> ? std::vector<double>{4, 6, 9, 15} : std::vector<double>{6, 9, 15, 30};
  for (const double power : powers) {
    std::vector<Triplet<T>> entries = free_bar<T>(40);
    const auto penalty = static_cast<T>(std::pow(10, power));
    entries.insert(entries.end(), {{0, 0, penalty}, {39, 39, penalty}});
    System<T> system{from_triplets<T>(40, 40, entries), std::vector<T>(40)};
    system.b.front() = penalty * 2;
    system.b.back() = penalty * 5;

    const auto [result, x] = this->solve(system, {.rtol = is_single<T> ? 1e-6 : this->rtol});

    EXPECT_EQ(result.status, Status::converged) << "1e" << power << ' ' << result.message();
    EXPECT_EQ(result.unsolved_rows, 0);
    std::vector<T> expected;
    for (int i = 0; i < 40; ++i) expected.push_back(static_cast<T>(2 + 3 * i / 39.0));
    this->expect_near(x, expected, (is_single<T> ? 2e-2 : 1e-4) + 100 * std::pow(10, -power));
  }
}

TYPED_TEST(SolveSystems, OfTwoFieldsInOtherUnitsAreSolvedInBoth) {
  using T = typename TypeParam::T;
  const double unit = is_single<T> ? 1e4 : 1e6;
  std::vector<Triplet<T>> entries;
  for (const Triplet<T>& t : free_bar<T>(30)) {
    entries.push_back({t.row, t.col, static_cast<T>(unit) * t.val});
    entries.push_back({t.row + 30, t.col + 30, t.val / static_cast<T>(unit)});
  }
  entries.insert(entries.end(), {{0, 0, static_cast<T>(unit)}, {30, 30, 1 / static_cast<T>(unit)}});
  const Csr<T> a = from_triplets<T>(60, 60, entries);
  const std::vector<T> true_x = random_vector<T>(60, 4);

  const auto [result, x] = this->solve(a, true_x);

  EXPECT_EQ(result.status, Status::converged);
  this->expect_near(x, true_x, is_single<T> ? 0.1 : 1e-4);
}

TYPED_TEST(SolveSystems, WithRowsAndColumnsOfAnySizeAreAsAccurateAsTheirScaledOnes) {
  using T = typename TypeParam::T;
  const double most = is_single<T> ? 6 : 15;
  Random random(5);
  const Index n = 120;
  std::vector<double> row(n), column(n);
  for (double& v : row) v = std::pow(10, most * signed_unit(random));
  for (double& v : column) v = std::pow(10, most * signed_unit(random));
  std::vector<Triplet<T>> entries;
  const auto add = [&](Index i, Index j, double v) {
    entries.push_back(
        {i, j, static_cast<T>(v * row[static_cast<std::size_t>(i)] * column[static_cast<std::size_t>(j)])});
  };
  for (Index i = 0; i < n; ++i) {
    add(i, i, 4);
    for (int k = 0; k < 3; ++k) add(i, below(random, n), signed_unit(random));
  }
  const Csr<T> a = from_triplets<T>(n, n, entries);
  std::vector<T> true_x;
  for (std::size_t j = 0; j < column.size(); ++j) true_x.push_back(static_cast<T>(signed_unit(random) / column[j]));

  const auto [result, x] = this->solve(a, true_x);

  EXPECT_EQ(result.status, Status::converged);
  for (std::size_t j = 0; j < x.size(); ++j)
    EXPECT_NEAR(x[j] * column[j], true_x[j] * column[j], is_single<T> ? 1e-2 : 1e-5) << j;
}

// Symmetry.

TYPED_TEST(SolveSystems, ThatAreSymmetricButForRoundingAreSolvedAsSymmetric) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("variable2d", {.n = 40});
  Random random(3);
  for (T& v : a.val) v *= 1 + 4 * std::numeric_limits<T>::epsilon() * static_cast<T>(signed_unit(random));

  const auto [result, x] = this->solve(with_known_solution(a));

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.solver, "cg");
}

TYPED_TEST(SolveSystems, ReachATightGoalOfTheGivenMatrixNotOfItsSymmetricPart) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("poisson2d", {.n = 12});
  Random random(3);
  for (T& v : a.val) v *= 1 + 16 * std::numeric_limits<T>::epsilon() * static_cast<T>(signed_unit(random));

  const auto [result, x] = this->solve(with_known_solution(a), {.rtol = 4 * std::numeric_limits<T>::epsilon()});

  EXPECT_TRUE(result.status == Status::converged || result.at_precision_limit) << result.message();
}

// Ends.

// Row 2 is empty, and row 0 needs x(2): x = 0 there leaves no solution.
TYPED_TEST(SolveSystems, WithEmptyRowsWhoseUnknownsAreNeededAreSolved) {
  using T = typename TypeParam::T;
  const auto [result, x] =
      this->solve(System<T>{dense<T>({{0, 0, 2, 0}, {1, 3, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 4}}), {6, 4, 0, 5}});

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_NEAR(x[2], 3, 1e-3);
}

TYPED_TEST(SolveSystems, OfNumbersAtTheEndsOfTheRangeArePrepared) {
  using T = typename TypeParam::T;
  const T huge = std::numeric_limits<T>::max() / 2, tiny = std::numeric_limits<T>::denorm_min();
  const T more = huge * (1 + std::numeric_limits<T>::epsilon());
  const auto symmetric = this->solve(System<T>{dense<T>({{huge, more / 2}, {huge / 2, huge}}), {huge / 2, huge / 4}});
  EXPECT_EQ(symmetric.result.status, Status::converged) << symmetric.result.message();
  EXPECT_NEAR(symmetric.x[0], 0.5, 1e-3);

  const auto rows = this->solve(System<T>{dense<T>({{tiny, tiny, 0}, {1, 2, 1}, {0, 1, 1}}), {2 * tiny, 4, 2}});
  EXPECT_EQ(rows.result.status, Status::converged) << rows.result.message();
}

// A chain that is held by 100 roundings of its entries isn't free.
TYPED_TEST(SolveSystems, ThatAreHardlyHeldAreNotCalledSingular) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> entries = free_bar<T>(20);
  for (Index i = 0; i < 20; ++i) entries.push_back({i, i, 100 * std::numeric_limits<T>::epsilon()});
  const System<T> system{from_triplets<T>(20, 20, entries), std::vector<T>(20, T{1})};

  const auto [result, x] = this->solve(system);

  EXPECT_NE(result.status, Status::least_squares) << result.message();
}

// The callback ends a solve that has gone on with another method.
TYPED_TEST(SolveSystems, StopInEveryStage) {
  using T = typename TypeParam::T;
  Csr<T> a = ring<T>(300);  // and D A D is as singular
  for (std::size_t i = 0; i < 300; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      a.val[k] *= static_cast<T>((1 + static_cast<int>(i) % 3) * (1 + a.col[k] % 3));
  }
  const System<T> system{a, random_vector<T>(300, 4)};
  for (const int at : {20, 300, 700}) {
    int calls = 0;
    const auto [result, x] =
        this->solve(system, {.rtol = this->rtol, .check_every = 1, .callback = [&](const Iteration& now) {
                               calls += now.number >= at;
                               return now.number < at;
                             }});
    EXPECT_LE(calls, 1);
    EXPECT_EQ(result.status == Status::interrupted, calls == 1) << result.message();
  }
}

TYPED_TEST(SolveSystems, StopWhenAskedTo) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 40});
  std::vector<Triplet<T>> entries = {{a.rows, a.rows, 1}, {0, a.rows, -1}};  // a row that is solved alone
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      entries.push_back({i, a.col[k], a.val[k]});
  }
  const System<T> system = with_known_solution(from_triplets<T>(a.rows + 1, a.rows + 1, entries));

  const SolveResult result =
      this->solve(system, {.rtol = this->rtol, .check_every = 1, .callback = [](const Iteration&) { return false; }})
          .result;
  EXPECT_EQ(result.status, Status::interrupted) << result.message();
  EXPECT_LE(result.iterations, 8) << "a block of iterations on a GPU";
}

TYPED_TEST(SolveSystems, KeepToTheLimitOfIterationsWhateverIsPrepared) {
  using T = typename TypeParam::T;
  Csr<T> a = from_triplets<T>(400, 400, free_bar<T>(400));
  a.val.front() += 1;
  for (T& v : a.val) v *= v < 2 ? T{1} : T(1.5);  // not symmetric
  for (const int most : {0, 3}) {
    const auto [result, x] = this->solve(with_known_solution(a), {.rtol = 1e-7, .max_iterations = most});

    EXPECT_LE(result.iterations, most);
    EXPECT_EQ(result.status, Status::iteration_limit) << result.message();
  }
}

TYPED_TEST(SolveSystems, NeverReturnAnXThatIsFartherThanTheGuess) {
  using T = typename TypeParam::T;
  Random random(11);
  for (int k = 0; k < 40; ++k) {
    std::vector<Triplet<T>> entries;
    for (int e = 0; e < 30; ++e)
      entries.push_back({below(random, 12), below(random, 12), static_cast<T>(std::pow(10, 8 * signed_unit(random)))});
    System<T> system{from_triplets<T>(12, 12, entries), random_vector<T>(12, static_cast<std::uint64_t>(k))};
    system.x0 = random_vector<T>(12, static_cast<std::uint64_t>(100 + k));

    const auto solved = this->solve(system);

    EXPECT_LE(exact_residual(system.a.view(), solved.x, system.b).relative,
              exact_residual(system.a.view(), system.x0, system.b).relative * (1 + 1e-6) + 1e-30);
  }
}

// A matrix that is prepared is solved in several passes.
TYPED_TEST(SolveSystems, NoteASynonymOnce) {
  using T = typename TypeParam::T;
  const auto notes = [this](const System<T>& system, const char* solver, const std::string& meaning) {
    const Operator<typename TypeParam::Space, T> op(this->space(), system.a);
    const auto b = this->put(system.b);
    auto x = this->put(std::vector<T>(static_cast<std::size_t>(system.a.cols)));
    const SolveResult result = ostinato::solve(this->space(), op, b.span(), x.span(), solver, {.rtol = this->rtol});
    EXPECT_TRUE(result) << result.message();
    EXPECT_EQ(result.solver, meaning);
    return std::count_if(result.notes.begin(), result.notes.end(), [&](const std::string& note) {
      return note.find(" is " + meaning + " here") != std::string::npos;
    });
  };
  std::vector<Triplet<T>> entries = {{0, 0, 3}, {1, 0, 2}, {1, 1, 1}, {1, 2, T{0.25}}, {2, 1, T{0.5}}, {2, 2, 2}};
  const System<T> square{from_triplets<T>(3, 3, entries), {1, 2, 3}},
      tall{from_triplets<T>(4, 3, entries), {1, 2, 3, 0}};

  EXPECT_EQ(notes(square, "BCGS", "bicgstab"), 1);
  EXPECT_EQ(notes(square, "bicgstab", "bicgstab"), 0);
  EXPECT_EQ(notes(square, "cgls", "lsmr"), 1);
  EXPECT_EQ(notes(tall, "lsqr", "lsmr"), 1);
}

TEST(SolveSharedMatrices, AreSolvedByWhatTheDocumentsShow) {
  if (const std::string reason = why_no_shared_matrices(); !reason.empty()) GTEST_SKIP() << reason;
  const Host space;
  const std::vector<std::string> names = {"gemat11", "lnsp3937", "bcsstk18", "sherman5", "memplus"};
  for (const SharedMatrixEntry& entry : shared_matrices(
           [&](const SharedMatrixEntry& e) { return std::find(names.begin(), names.end(), e.name) != names.end(); })) {
    const Csr<double> a = read<double>(entry);
    const std::string& name = entry.name;
    const auto system = with_known_solution(a);
    const Operator<Host, double> op(space, a);
    std::vector<double> x(system.b.size());

    const SolveResult result = ostinato::solve(space, op, std::span<const double>(system.b), std::span<double>(x));

    EXPECT_EQ(result.status, Status::converged) << name << ": " << result.message();
    EXPECT_LE(exact_residual(a.view(), x, system.b).relative, 1e-8 * (1 + 1e-9)) << name;
  }
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/linear_solver.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/block_jacobi.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/spmv/function_operator.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/exact_residual.hpp"
#include "support/hard_matrix.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

/// The grid's rows in a scattered order.
template <class T>
Csr<T> scattered(const Csr<T>& a) {
  std::vector<Index> place(static_cast<std::size_t>(a.rows));
  std::iota(place.begin(), place.end(), 0);
  Random random(5);
  for (std::size_t i = place.size(); i > 1; --i)
    std::swap(place[i - 1], place[static_cast<std::size_t>(below(random, static_cast<Index>(i)))]);
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      entries.push_back({place[static_cast<std::size_t>(i)], place[static_cast<std::size_t>(a.col[k])], a.val[k]});
  }
  return from_triplets<T>(a.rows, a.cols, entries);
}

/// A tall matrix of full rank.
template <class T>
Csr<T> tall(Index rows, Index cols) {
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < rows; ++i) {
    entries.push_back({i, i % cols, static_cast<T>(3 + i % 4)});
    entries.push_back({i, (i * 7 + 3) % cols, static_cast<T>(1 + i % 2)});
  }
  return from_triplets<T>(rows, cols, entries);
}

/// A grid by a class of a user.
template <class T>
struct Grid1d {
  using value_type = T;
  Index n;

  std::size_t rows() const { return static_cast<std::size_t>(n); }
  std::size_t cols() const { return rows(); }
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T sum = T(2.5) * x[i] - (i > 0 ? x[i - 1] : T{0}) - (i + 1 < x.size() ? x[i + 1] : T{0});
      y[i] = alpha * sum + (beta == T{0} ? T{0} : beta * y[i]);
    }
  }
};

template <class T>
Csr<T> stored(const Grid1d<T>& a) {
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < a.n; ++i) {
    entries.push_back({i, i, T(2.5)});
    if (i > 0) entries.push_back({i, i - 1, -1});
    if (i + 1 < a.n) entries.push_back({i, i + 1, -1});
  }
  return from_triplets<T>(a.n, a.n, entries);
}

template <class Case>
class LinearSolvers : public SpaceTest<Case> {
 protected:
  using Real = typename Case::T;
  using Solver = LinearSolver<typename Case::Space, Real>;
  static constexpr double rtol = is_single<Real> ? 1e-4 : 1e-8;
  static constexpr double little = 1 + 1e-6;

  /// Solves, and checks the residual that the result tells, to a share of it.
  SolveResult solve(Solver& solver, const Csr<Real>& a, const std::vector<Real>& right, std::vector<Real>& x,
                    double share = 1e-6) const {
    const auto b = this->put(right);
    auto on_space = this->put(x);
    const SolveResult result = solver.solve(b, on_space, {.rtol = rtol});
    x = on_space.download();
    const ExactResidual exact = exact_residual(a.view(), x, right);
    EXPECT_NEAR(result.relative_residual, exact.relative,
                share * exact.relative + std::numeric_limits<Real>::epsilon());
    return result;
  }

  void expect_converged(Solver& solver, const Csr<Real>& a, std::uint64_t seed = 1, double share = 1e-6) const {
    const std::vector<Real> b = with_known_solution(a, seed).b;
    std::vector<Real> x(static_cast<std::size_t>(a.cols));
    const SolveResult result = solve(solver, a, b, x, share);
    EXPECT_EQ(result.status, Status::converged) << result.message();
    EXPECT_LE(exact_residual(a.view(), x, b).relative, rtol * little);
  }
};
TYPED_TEST_SUITE(LinearSolvers, EverySpace, SpaceNames);

TYPED_TEST(LinearSolvers, SolveForEachRightHandSide) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("variable2d", {.n = 30});
  LinearSolver solver(this->space(), a);

  for (const std::uint64_t seed : {1, 2, 3}) this->expect_converged(solver, a, seed);
}

TYPED_TEST(LinearSolvers, CopyAMatrixOrTakeItOver) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("variable2d", {.n = 20});
  std::optional<Csr<T>> copied(a), moved(a);
  LinearSolver from_copy(this->space(), *copied), from_moved(this->space(), std::move(*moved));
  std::fill(copied->val.begin(), copied->val.end(), T{0});
  copied.reset();
  moved.reset();

  this->expect_converged(from_copy, a);
  this->expect_converged(from_moved, a);
}

TYPED_TEST(LinearSolvers, TakeViewsAnalysesAndOperators) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Csr<T> a = generate<T>("variable2d", {.n = 20});
  LinearSolver from_view(this->space(), a.view());
  LinearSolver from_analysis(Analysis<Space, T>(this->space(), Csr<T>(a)));
  const Operator<Space, T> op(this->space(), a, {.format = "csr"});
  LinearSolver from_operator(this->space(), op);

  this->expect_converged(from_view, a);
  this->expect_converged(from_analysis, a);
  this->expect_converged(from_operator, a);
  EXPECT_EQ(from_operator.set_up().choice.format, "csr");
}

TYPED_TEST(LinearSolvers, TakeMultigridForAStencil) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Csr<T> a = generate<T>("poisson2d", {.n = 64});
  LinearSolver solver(this->space(),
                      StencilOperator<Space, T>(this->space(), *generate_stencil("poisson2d", {.n = 64})));

  this->expect_converged(solver, a);
  EXPECT_EQ(solver.set_up().preconditioner.name, "multigrid");
  EXPECT_FALSE(solver.set_up().levels.empty());
  EXPECT_EQ(solver.set_up().choice.format, "stencil");
}

TYPED_TEST(LinearSolvers, RefuseForAStencilWhatNeedsAMatrix) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const StencilOperator<Space, T> a(this->space(), *generate_stencil("poisson2d", {.n = 8}));

  EXPECT_THROW(LinearSolver(this->space(), a, {.preconditioner = {"ilut"}}), ArgumentError);
  EXPECT_THROW(LinearSolver(this->space(), a, {.renumber = Renumber::on}), ArgumentError);
  EXPECT_THROW(LinearSolver(this->space(), a, {.format = {.format = "csr"}}), ArgumentError);
  LinearSolver solver(this->space(), a, {.preconditioner = {"none"}});
  EXPECT_THROW(solver.update_values(generate<T>("poisson2d", {.n = 8})), ArgumentError);
}

TYPED_TEST(LinearSolvers, TakeAnOperatorOfAUser) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  if constexpr (Space::has_host_memory) {
    constexpr double rounding = 0.05;  // of the residual, in T
    const Grid1d<T> op{300};
    const Csr<T> a = stored(op);
    LinearSolver lent(this->space(), op), moved(this->space(), Grid1d<T>{300}),
        symmetric(this->space(), op, {.solve = {.symmetric = true}});

    this->expect_converged(lent, a, 1, rounding);
    this->expect_converged(moved, a, 1, rounding);
    this->expect_converged(symmetric, a, 1, rounding);
    EXPECT_EQ(lent.set_up().preconditioner.name, "none");
    EXPECT_FALSE(lent.set_up().structure.symmetric);
    EXPECT_TRUE(symmetric.set_up().structure.symmetric);
    EXPECT_EQ(symmetric.set_up().solver.name, name_in_auto<RoleInAuto::symmetric>);
    EXPECT_THROW(LinearSolver(this->space(), op, {.preconditioner = {"jacobi"}}), ArgumentError);
    EXPECT_THROW(moved.update_values(a), ArgumentError);
  }
}

TYPED_TEST(LinearSolvers, MakeANoteOfAnOperatorWithoutItsMatrix) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Csr<T> a = generate<T>("poisson2d", {.n = 10});
  const Operator<Space, T> op(Analysis<Space, T>(this->space(), a));
  LinearSolver solver(this->space(), op);
  const auto system = with_known_solution(a);
  std::vector<T> x = system.x0;

  const SolveResult result = this->solve(solver, a, system.b, x);

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_FALSE(result.notes.empty());
  EXPECT_EQ(solver.set_up().preconditioner.name, "none");
}

TYPED_TEST(LinearSolvers, SolveForAColumnOfABlockEach) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("variable2d", {.n = 12});
  const std::size_t n = static_cast<std::size_t>(a.rows), stride = n + 5;
  constexpr int columns = 3;
  std::vector<T> right(columns * stride);
  for (int k = 0; k < columns; ++k) {
    const std::vector<T> b = with_known_solution(a, static_cast<std::uint64_t>(k) + 1).b;
    std::copy(b.begin(), b.end(), right.begin() + k * static_cast<std::ptrdiff_t>(stride));
  }
  const auto b = this->put(right);
  auto x = this->put(std::vector<T>(columns * stride, T{7}));
  LinearSolver solver(this->space(), a);

  const std::vector<SolveResult> results = solver.solve_columns(
      Block<const T>(b.data(), n, columns, stride), Block<T>(x.data(), n, columns, stride), {.rtol = this->rtol});

  ASSERT_EQ(results.size(), 3U);
  const std::vector<T> all = x.download();
  for (std::size_t k = 0; k < columns; ++k) {
    const auto column = [&](const std::vector<T>& v) {
      const auto first = v.begin() + static_cast<std::ptrdiff_t>(k * stride);
      return std::vector<T>(first, first + static_cast<std::ptrdiff_t>(n));
    };
    EXPECT_EQ(results[k].status, Status::converged);
    EXPECT_LE(exact_residual(a.view(), column(all), column(right)).relative, this->rtol * this->little);
    EXPECT_EQ(all[k * stride + n], T{7}) << "what is between columns stays";
  }
  EXPECT_THROW(solver.solve_columns(Block<const T>(b.data(), n, 2, stride), Block<T>(x.data(), n, 3, stride)),
               DimensionError);
}

TYPED_TEST(LinearSolvers, BeginWithWhatWorkedBefore) {
  using T = typename TypeParam::T;
  const System<T> system = with_known_solution(hard_matrix<T>(2000));
  LinearSolver<typename TypeParam::Space, T> solver(this->space(), system.a);
  const SolveOptions options{.rtol = is_single<T> ? 1e-4 : 1e-8};
  const auto solve = [&](T factor) {
    System<T> scaled = system;
    for (T& v : scaled.b) v *= factor;
    const auto b = this->put(scaled.b);
    auto x = this->put(scaled.x0);
    Solved<T> solved{solver.solve(b.span(), x.span(), options), {}};
    solved.x = x.download();
    expect_honest(solved, scaled, options);
    return solved.result;
  };

  const SolveResult first = solve(1), second = solve(-3);

  EXPECT_TRUE(first) << first.message();
  ASSERT_GT(first.stages.size(), 1u) << "nothing was tested";
  EXPECT_TRUE(second) << second.message();
  EXPECT_EQ(second.stages.size(), 1u) << second.message();
  EXPECT_EQ(second.preconditioner, first.preconditioner);
  EXPECT_LT(second.iterations, first.iterations);
  EXPECT_EQ(second.setup_seconds, 0);
  solver.update_values(system.a);
  const SolveResult anew = solve(1);
  EXPECT_GT(anew.stages.size(), 1u) << "what worked was of the old values";
  EXPECT_EQ(anew.preconditioner, first.preconditioner);
}

TEST(LinearSolver, TakesADearerPreconditionerForManyRightHandSides) {
  const Host space;
  const Csr<double> a = generate<double>("variable2d", {.n = 40});
  const auto n = static_cast<std::size_t>(a.rows);
  constexpr int columns = 16;
  std::vector<double> b, x(columns * n), single(n), again(n);
  for (int k = 0; k < columns; ++k) {
    const System<double> system = with_known_solution(a, static_cast<std::uint64_t>(k) + 1);
    b.insert(b.end(), system.b.begin(), system.b.end());
  }
  const std::vector<double> first(b.begin(), b.begin() + a.rows);
  LinearSolver alone(space, a), many(space, a), expecting(space, a, {.right_sides = columns});

  const SolveResult cheap = alone.solve(first, single);
  const std::vector<SolveResult> results =
      many.solve_columns(Block<const double>(b.data(), n, columns, n), Block<double>(x.data(), n, columns, n));
  const SolveResult expected = expecting.solve(first, again);

  EXPECT_EQ(cheap.preconditioner, "jacobi") << "nothing was tested";
  for (int k = 0; k < columns; ++k) {
    const auto at = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * n);
    const auto column = [&](const std::vector<double>& v) {
      return std::vector<double>(v.begin() + at, v.begin() + at + a.rows);
    };
    EXPECT_EQ(results[static_cast<std::size_t>(k)].status, Status::converged);
    EXPECT_NE(results[static_cast<std::size_t>(k)].preconditioner, "jacobi") << k;
    EXPECT_LE(exact_residual(a.view(), column(x), column(b)).relative, 1e-8 * (1 + 1e-6));
  }
  EXPECT_EQ(expected.preconditioner, results.front().preconditioner);
  EXPECT_EQ(expected.iterations, results.front().iterations);
  EXPECT_THROW(LinearSolver(space, a, {.right_sides = 0}), ArgumentError);
}

TYPED_TEST(LinearSolvers, TakeNewValues) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("variable2d", {.n = 20});
  for (const char* const name : {"auto", "jacobi", "ilu0"}) {
    LinearSolver solver(this->space(), a, {.preconditioner = {name}});
    Csr<T> other = a;
    for (std::size_t k = 0; k < other.val.size(); ++k) other.val[k] *= static_cast<T>(1 + k % 3);
    solver.update_values(other);
    this->expect_converged(solver, other);
    solver.update_values(other.view());
    this->expect_converged(solver, other, 2);
    solver.update_values(Csr<T>(a));
    this->expect_converged(solver, a, 3);
  }
}

TYPED_TEST(LinearSolvers, KeepTheOldValuesWhereNewOnesAreRefused) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("variable2d", {.n = 12});
  LinearSolver solver(this->space(), a, {.preconditioner = {"jacobi"}, .solve = {.prepare = false}});
  Csr<T> holes = a;
  std::fill(holes.val.begin(), holes.val.end(), T{0});

  EXPECT_THROW(solver.update_values(holes), ArgumentError);
  EXPECT_THROW(solver.update_values(generate<T>("variable2d", {.n = 11})), ArgumentError);
  Csr<T> elsewhere = a;  // as many entries in other places
  std::swap(elsewhere.col[0], elsewhere.col[1]);
  elsewhere.col[1] = a.cols - 1;
  EXPECT_THROW(solver.update_values(elsewhere), ArgumentError);
  this->expect_converged(solver, a);
}

TYPED_TEST(LinearSolvers, GiveXInTheNumbersOfTheCaller) {
  using T = typename TypeParam::T;
  Csr<T> a = scattered(generate<T>("variable2d", {.n = 30}));
  LinearSolver solver(this->space(), a, {.renumber = Renumber::on});

  ASSERT_EQ(solver.set_up().renumbering.order.size(), static_cast<std::size_t>(a.rows));
  EXPECT_LT(solver.set_up().renumbering.places, solver.set_up().renumbering.places_before);
  this->expect_converged(solver, a);
  for (T& v : a.val) v *= 2;
  solver.update_values(a);
  this->expect_converged(solver, a, 2);
}

TYPED_TEST(LinearSolvers, NumberNothingAnewThatIsReferredToByNumbers) {
  using T = typename TypeParam::T;
  const Csr<T> a = scattered(generate<T>("poisson2d", {.n = 300}));
  const LinearSolverOptions many{.preconditioner = {"none"}, .format = {.expected_products = 1e6}};
  const LinearSolver solver(this->space(), a, many);
  if (solver.set_up().renumbering.order.empty()) GTEST_SKIP() << "new numbers don't pay on this machine";
  const auto is_renumbered = [&](auto change) {
    LinearSolverOptions options = many;
    change(options);
    return !LinearSolver(this->space(), a, options).set_up().renumbering.order.empty();
  };

  EXPECT_FALSE(is_renumbered([](auto& o) { o.renumber = Renumber::off; }));
  EXPECT_FALSE(is_renumbered([](auto& o) { o.format.format = "csr"; }));
  EXPECT_FALSE(is_renumbered([](auto& o) { o.preconditioner = parse_preconditioner("ssor:order=natural"); }));
  EXPECT_FALSE(is_renumbered([](auto& o) { o.preconditioner = {"sor:order=natural"}; }));
  EXPECT_FALSE(is_renumbered([](auto& o) { o.preconditioner = {"bjacobi", BlockJacobiOptions{.block = 4}}; }));
}

// A product of the matrix in the caller's numbers, against one by the entries.
TYPED_TEST(LinearSolvers, HaveTheGivenMatrixAsALinearMap) {
  using T = typename TypeParam::T;
  const Csr<T> a = scattered(generate<T>("variable2d", {.n = 9}));
  const std::vector<T> x = random_vector<T>(a.cols, 1), y0 = random_vector<T>(a.rows, 2);
  for (const Renumber renumber : {Renumber::off, Renumber::on}) {
    const LinearSolver solver(this->space(), a, {.renumber = renumber});
    for (const T beta : {T{0}, T(0.5)}) {
      auto y = this->put(beta == T{0} ? std::vector<T>(y0.size(), std::numeric_limits<T>::quiet_NaN()) : y0);
      solver.matrix().apply(T{-2}, this->put(x), beta, y.span());
      const std::vector<T> found = y.download();
      const auto expected = reference_product(a.view(), T{-2}, x, beta, y0);
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_LE(std::abs(found[i] - expected[i].value), expected[i].template bound<T>()) << i;
    }
  }
}

TYPED_TEST(LinearSolvers, NameInTheCallersNumbersWhatIsNotFinite) {
  using T = typename TypeParam::T;
  const Csr<T> a = scattered(generate<T>("poisson2d", {.n = 9}));
  LinearSolver solver(this->space(), a, {.renumber = Renumber::on});
  std::vector<T> right(static_cast<std::size_t>(a.rows), T{1});
  right[17] = std::numeric_limits<T>::quiet_NaN();
  const auto b = this->put(right);
  auto x = this->put(std::vector<T>(right.size()));

  const SolveResult result = solver.solve(b, x);

  EXPECT_EQ(result.status, Status::not_finite);
  EXPECT_TRUE(result.bad_input);
  EXPECT_NE(result.reason.find(" 17 "), std::string::npos) << result.reason;
}

TYPED_TEST(LinearSolvers, NameInTheCallersNumbersTheRowsThatAPreconditionerRefuses) {
  using T = typename TypeParam::T;
  Csr<T> a = scattered(generate<T>("poisson2d", {.n = 9}));
  for (auto k = static_cast<std::size_t>(a.row_ptr[17]); k < static_cast<std::size_t>(a.row_ptr[18]); ++k)
    if (a.col[k] == 17) a.val[k] = 0;
  for (const char* const name : {"jacobi", "ssor", "spai0"}) {
    const std::string why = message_of<ArgumentError>([&] {
      LinearSolver(this->space(), a, {.preconditioner = {name}, .renumber = Renumber::on, .solve = {.prepare = false}});
    });
    EXPECT_NE(why.find("row 17 (counted from 0)"), std::string::npos) << why;
  }
}

TYPED_TEST(LinearSolvers, KeepAGuessThatNothingIsNearerThan) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 12});
  const std::vector<T> guess = random_vector<T>(a.cols, 4);
  for (const Renumber renumber : {Renumber::off, Renumber::on}) {
    LinearSolver solver(this->space(), a, {.renumber = renumber});
    const auto b = this->put(std::vector<T>(static_cast<std::size_t>(a.rows), T{1}));
    auto x = this->put(guess);

    const SolveResult result = solver.solve(b, x, {.max_iterations = 0});

    EXPECT_EQ(result.status, Status::iteration_limit);
    EXPECT_EQ(x.download(), guess);
  }
}

TYPED_TEST(LinearSolvers, SolveLeastSquaresWhereAIsNotSquare) {
  using T = typename TypeParam::T;
  const Csr<T> a = tall<T>(60, 30);
  const std::vector<T> right = random_vector<T>(60, 3);
  for (const char* const name : {"auto", "jacobi", "cholesky"}) {
    LinearSolver solver(this->space(), a, {.preconditioner = {name}});
    std::vector<T> x(30);

    const SolveResult result = this->solve(solver, a, right, x);

    EXPECT_EQ(result.status, Status::least_squares) << result.message();
    // A^T r = 0 but for the tolerance
    std::vector<double> residual(right.begin(), right.end()), gradient(30, 0.0);
    double norm = 0, size = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        residual[i] -= static_cast<double>(a.val[k]) * static_cast<double>(x[static_cast<std::size_t>(a.col[k])]);
      norm += residual[i] * residual[i];
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        gradient[static_cast<std::size_t>(a.col[k])] += static_cast<double>(a.val[k]) * residual[i];
    }
    for (const double g : gradient) size = std::max(size, std::abs(g));
    EXPECT_LE(size, 100 * (is_single<T> ? 1e-4 : 1e-8) * std::sqrt(norm)) << name;
  }
}

TYPED_TEST(LinearSolvers, TakeNewValuesForLeastSquares) {
  using T = typename TypeParam::T;
  Csr<T> a = tall<T>(60, 30);
  LinearSolver solver(this->space(), a);
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] *= static_cast<T>(1 + k % 2);
  solver.update_values(a);
  this->expect_converged(solver, a);  // b is in the range of A
}

TYPED_TEST(LinearSolvers, SolveLeastSquaresOfASquareMatrixByName) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("convection-diffusion2d", {.n = 8});
  LinearSolver solver(this->space(), a, {.solver = "lsmr", .preconditioner = {"cholesky"}, .renumber = Renumber::on});

  EXPECT_EQ(solver.set_up().preconditioner.name, "cholesky");
  this->expect_converged(solver, a);
}

TYPED_TEST(LinearSolvers, RefuseForLeastSquaresWhatIsForSquareMatrices) {
  using T = typename TypeParam::T;
  const Csr<T> a = tall<T>(60, 30);
  EXPECT_THROW(LinearSolver(this->space(), a, {.preconditioner = {"ilut"}}), ArgumentError);
  EXPECT_THROW(LinearSolver(this->space(), a, {.renumber = Renumber::on}), ArgumentError);
}

TYPED_TEST(LinearSolvers, EndSingularSystemsAtTheSmallestResidual) {
  using T = typename TypeParam::T;
  const Csr<T> a = ring<T>(200);
  LinearSolver solver(this->space(), a);
  std::vector<T> right = random_vector<T>(200, 3), x(200);
  const T mean = std::accumulate(right.begin(), right.end(), T{0}) / 200;

  const SolveResult result = this->solve(solver, a, right, x);

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_NEAR(result.residual, std::abs(static_cast<double>(mean)) * std::sqrt(200.0), 1e-3 * result.residual);
  EXPECT_TRUE(solver.set_up().preparation.has_constants);
}

TYPED_TEST(LinearSolvers, EndWithinALimitOfTimeThatTheSetUpHasTaken) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("elasticity3d", {.n = 6});
  LinearSolver solver(this->space(), a,
                      {.preconditioner = parse_preconditioner("multigrid:kind=aggregation"),
                       .solve = {.rtol = this->rtol, .time_limit = 1e-9}});
  ASSERT_EQ(solver.set_up().unfinished, Status::time_limit);
  const auto system = with_known_solution(a);
  auto x = this->put(system.x0);

  const SolveResult result = solver.solve(this->put(system.b), x, {.rtol = this->rtol});

  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x.download(), system.x0);
  EXPECT_NEAR(result.relative_residual, exact_residual(a.view(), system.x0, system.b).relative, 1e-6);
  EXPECT_TRUE(result.set_up_stopped);
  EXPECT_EQ(result.preconditioner, "multigrid");
  EXPECT_EQ(solver.set_up().preconditioner.name, "multigrid");
  EXPECT_NE(result.message().find("in the set-up: the limit of 1e-09 s"), std::string::npos) << result.message();
}

TYPED_TEST(LinearSolvers, EndWhenAStopWasRequestedInTheSetUp) {
  using T = typename TypeParam::T;
  struct Always {
    bool stop_requested() const { return true; }
  };
  const Csr<T> a = generate<T>("elasticity3d", {.n = 6});
  LinearSolver solver(
      this->space(), a,
      {.preconditioner = parse_preconditioner("multigrid:kind=aggregation"), .solve = {.stop = Always{}}});
  const auto system = with_known_solution(a);
  auto x = this->put(system.x0);

  const SolveResult result = solver.solve(this->put(system.b), x, {});

  EXPECT_EQ(result.status, Status::interrupted);
  EXPECT_TRUE(result.set_up_stopped);
  EXPECT_NE(result.reason.find(" s while multigrid was made"), std::string::npos) << result.reason;
}

TYPED_TEST(LinearSolvers, EndWhenAStopWasRequestedWhileTheyTakeNewValues) {
  using T = typename TypeParam::T;
  struct Flag {
    bool* raised;
    bool stop_requested() const { return *raised; }
  };
  bool raised = false;
  const Csr<T> a = generate<T>("elasticity3d", {.n = 6});
  for (const char* const name : {"ilut", "multigrid:kind=aggregation"}) {
    raised = false;
    LinearSolver solver(this->space(), a,
                        {.preconditioner = parse_preconditioner(name), .solve = {.stop = Flag{&raised}}});
    this->expect_converged(solver, a);
    raised = true;
    solver.update_values(a);
    ASSERT_EQ(solver.set_up().unfinished, Status::interrupted) << name;
    EXPECT_EQ(solver.set_up().preconditioner_bytes, 0u) << name;
    EXPECT_TRUE(solver.set_up().levels.empty() && solver.set_up().preconditioner_remarks.empty()) << name;
    const auto system = with_known_solution(a);
    auto x = this->put(system.x0);
    EXPECT_EQ(solver.solve(this->put(system.b), x, {.rtol = this->rtol}).status, Status::interrupted) << name;
    EXPECT_EQ(x.download(), system.x0) << name;
    raised = false;
    solver.update_values(a);
    EXPECT_FALSE(solver.set_up().unfinished) << name;
    this->expect_converged(solver, a, 2);
  }
}

TYPED_TEST(LinearSolvers, TakeNoMoreMemoryThanTheLimit) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 40});
  EXPECT_THROW(LinearSolver(this->space(), a, {.preconditioner = {"lu"}, .solve = {.mem_limit = 1000}}),
               MemoryLimitError);
  LinearSolver solver(this->space(), a, {.preconditioner = {"jacobi"}, .solve = {.mem_limit = 1 << 20}});
  EXPECT_GT(solver.set_up().preconditioner_bytes, 0U);
  EXPECT_LE(solver.set_up().preconditioner_bytes, 1U << 20);
  ASSERT_TRUE(solver.set_up().predicted.has_value());
}

TYPED_TEST(LinearSolvers, ServeAsAPreconditionerThatVaries) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Csr<T> a = generate<T>("convection-diffusion2d", {.n = 30});
  const Operator<Space, T> op(this->space(), a);
  const auto system = with_known_solution(a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);
  std::optional<LinearSolver<Space, T>> inner(std::in_place, this->space(), a);
  const auto m = inner->as_preconditioner({.rtol = 1e-2});
  inner.reset();  // which m shares the system with

  const SolveResult result = gmres(this->space(), op, b, x, m, {.rtol = this->rtol, .flexible = true});

  EXPECT_TRUE(m.varies());
  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_LE(result.iterations, 10);
  EXPECT_LE(exact_residual(a.view(), x.download(), system.b).relative, this->rtol * this->little);
}

TYPED_TEST(LinearSolvers, TakeATextInPlaceOfTheNameOfAPreconditioner) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("variable2d", {.n = 20});
  LinearSolver solver(this->space(), a, {.preconditioner = {"icc:drop=1e-2"}});

  this->expect_converged(solver, a);
  EXPECT_EQ(solver.set_up().preconditioner.name, "ict");
}

TYPED_TEST(LinearSolvers, TakePreconditionersWithTheirOptions) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("convection-diffusion2d", {.n = 20});
  IlutKind::Options few;
  few.factors.drop = 0.1;
  LinearSolver coarse(this->space(), a, {.preconditioner = {"ilut", few}}),
      fine(this->space(), a, {.preconditioner = {"ilut"}});

  EXPECT_LT(coarse.set_up().preconditioner_bytes, fine.set_up().preconditioner_bytes);
  EXPECT_THROW(LinearSolver(this->space(), a, {.preconditioner = {"ssor", few}}), ArgumentError);
  this->expect_converged(coarse, a);
}

TYPED_TEST(LinearSolvers, TellWhatTheyHaveSetUp) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("variable2d", {.n = 70});
  std::vector<SetUpStage> stages;
  const LinearSolver solver(this->space(), a, {.progress = [&](const SetUp& now) { stages.push_back(now.stage); }});
  const SetUp& s = solver.set_up();

  EXPECT_EQ(stages.front(), SetUpStage::analyse);
  EXPECT_EQ(stages.back(), SetUpStage::ready);
  EXPECT_EQ(s.structure.rows, a.rows);
  EXPECT_TRUE(s.structure.symmetric);
  EXPECT_FALSE(s.choice.candidates.empty());
  EXPECT_EQ(s.solver.name, name_in_auto<RoleInAuto::definite>);
  EXPECT_FALSE(s.preconditioner.reason.empty());
  EXPECT_GT(s.matrix_bytes, 0U);
  EXPECT_GT(s.seconds.analyse, 0);
  EXPECT_GT(s.seconds.precondition, 0);
}

TYPED_TEST(LinearSolvers, RefuseWhatCannotBe) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 5});
  EXPECT_THROW(LinearSolver(this->space(), a, {.solver = "newton"}), ArgumentError);
  EXPECT_THROW(LinearSolver(this->space(), a, {.preconditioner = {"magic"}}), ArgumentError);
  EXPECT_THROW(LinearSolver(this->space(), a, {.format = {.format = "magic"}}), ArgumentError);
  EXPECT_THROW(LinearSolver(this->space(), a, {.solve = {.rtol = -1}}), ArgumentError);
  EXPECT_THROW(LinearSolver(this->space(), a, {.device = "cpu"}), ArgumentError);
  Csr<T> wrong = a;
  wrong.col[0] = 99;
  EXPECT_THROW(LinearSolver(this->space(), wrong), ArgumentError);

  for (const Renumber renumber : {Renumber::off, Renumber::on}) {
    LinearSolver solver(this->space(), a, {.renumber = renumber});
    const auto b = this->put(std::vector<T>(24));
    auto x = this->put(std::vector<T>(25));
    EXPECT_THROW(solver.solve(b, x), DimensionError);
  }
  LinearSolver solver(this->space(), a);
  const LinearSolver other = std::move(solver);
  EXPECT_THROW(solver.set_up(), ArgumentError);
  EXPECT_EQ(other.set_up().structure.rows, 25);
}

// x so far is the caller's when a callback throws.
TYPED_TEST(LinearSolvers, KeepXSoFarWhenACallbackThrows) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("variable2d", {.n = 30});
  LinearSolver solver(this->space(), a, {.solver = "cg", .preconditioner = {"none"}, .renumber = Renumber::on});
  const auto system = with_known_solution(a);
  auto x = this->put(system.x0);
  SolveOptions options;
  options.check_every = 1;
  options.callback = [](const Iteration& now) -> bool { return now.number < 20 ? true : throw std::string("enough"); };

  EXPECT_THROW(solver.solve(this->put(system.b), x, options), std::string);
  EXPECT_LT(exact_residual(a.view(), x.download(), system.b).relative, 1);
}

}  // namespace
}  // namespace ostinato::test

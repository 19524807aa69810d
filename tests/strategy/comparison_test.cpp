// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/comparison.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "support/exact_residual.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

/// A request to stop that is made once the value is true.
struct StopLater {
  std::shared_ptr<bool> made;
  bool stop_requested() const { return *made; }
};

template <class Case>
class Comparisons : public SpaceTest<Case> {
 protected:
  using Place = typename Case::Space;
  using Real = typename Case::T;
  static constexpr double rtol = is_single<Real> ? 1e-4 : 1e-8;

  Comparison compare(const System<Real>& system, ComparisonOptions options = {}) const {
    options.solve.rtol = rtol;
    const Analysis<Place, Real> analysis(this->space(), system.a);
    const auto b = this->put(system.b);
    return ostinato::compare<Place, Real>(analysis, b, options);
  }

  /// The x of a pair of a square system, by the names in the table.
  std::vector<Real> solved_by(const SolverPair& pair, const System<Real>& system) const {
    const Analysis<Place, Real> analysis(this->space(), system.a);
    const Operator<Place, Real> a(analysis);
    const AnyPreconditioner<Place, Real> m(analysis, pair.preconditioner);
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    ostinato::solve(this->space(), a, b.span(), x.span(), m, pair.solver, {.rtol = rtol});
    return x.download();
  }

  static void expect_order(const Comparison& c) {
    for (std::size_t k = 1; k < c.rows.size(); ++k) {
      const ComparisonRow &before = c.rows[k - 1], &row = c.rows[k];
      EXPECT_GE(before.is_solved(), row.is_solved());
      if (row.is_solved()) {
        EXPECT_LE(before.seconds(), row.seconds());
      }
    }
    std::set<std::pair<std::string, std::string>> pairs;
    for (const ComparisonRow& row : c.rows)
      EXPECT_TRUE(pairs.insert({row.pair.solver, row.pair.preconditioner}).second) << row.pair.solver;
  }

  static const ComparisonRow* row_of(const Comparison& c, const SolverPair& pair) {
    const auto at = std::find_if(c.rows.begin(), c.rows.end(), [&](const auto& row) { return row.pair == pair; });
    return at == c.rows.end() ? nullptr : &*at;
  }

  static const LeftOutPair* left_out(const Comparison& c, const std::string& preconditioner) {
    const auto at = std::find_if(c.left_out.begin(), c.left_out.end(),
                                 [&](const auto& p) { return p.pair.preconditioner == preconditioner; });
    return at == c.left_out.end() ? nullptr : &*at;
  }
};
TYPED_TEST_SUITE(Comparisons, EverySpace, SpaceNames);

TYPED_TEST(Comparisons, FindAPairThatSolvesTheSystem) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("variable2d", {.n = 20}));

  const Comparison c = this->compare(system);

  ASSERT_NE(c.best(), nullptr);
  this->expect_order(c);
  for (const ComparisonRow& row : c.rows) {
    if (row.is_solved()) {
      EXPECT_LE(row.relative_residual, this->rtol) << row.pair.solver << " " << row.pair.preconditioner;
    }
  }
  const auto x = this->solved_by(c.best()->pair, system);
  EXPECT_LE(exact_residual(system.a.view(), x, system.b).relative, this->rtol * (1 + 1e-6));
  ASSERT_NE(this->row_of(c, {"auto", "auto"}), nullptr);
  EXPECT_NE(find_solver(this->row_of(c, {"auto", "auto"})->ended_with.solver), nullptr);
  EXPECT_FALSE(c.interrupted);
  EXPECT_GE(c.seconds, c.common_seconds);
}

// A solver for any matrix only runs with factors that aren't symmetric.
TYPED_TEST(Comparisons, OfDefiniteMatricesTakeSolversForThem) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("variable2d", {.n = 12}));

  const Comparison c = this->compare(system);

  EXPECT_NE(this->row_of(c, {"cg", "jacobi"}), nullptr);
  EXPECT_NE(this->row_of(c, {"minres", "jacobi"}), nullptr);
  const std::set<std::string> unsymmetric = {"ilu0", "iluk", "ilut", "lu"};
  for (const ComparisonRow& row : c.rows) {
    if (row.pair.solver == "auto") continue;
    EXPECT_EQ(find_solver(row.pair.solver)->needs_symmetry, !unsymmetric.contains(row.pair.preconditioner))
        << row.pair.solver << " " << row.pair.preconditioner;
  }
}

TYPED_TEST(Comparisons, OfUnsymmetricMatricesTakeNoSolverForSymmetricOnes) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("convection-diffusion2d", {.n = 12}));

  const Comparison c = this->compare(system);

  ASSERT_NE(c.best(), nullptr);
  std::set<std::string> solvers;
  for (const ComparisonRow& row : c.rows) solvers.insert(row.pair.solver);
  EXPECT_EQ(solvers, (std::set<std::string>{"auto", "bicgstab", "bicgstab2", "gcrodr", "gmres", "idr"}));
  ASSERT_NE(this->left_out(c, "cholesky"), nullptr);
  EXPECT_EQ(this->left_out(c, "cholesky")->why, LeftOut::unsuitable);
  EXPECT_NE(this->left_out(c, "cholesky")->reason, "");
}

// CG breaks down, and then others have their turn.
TYPED_TEST(Comparisons, OfIndefiniteMatricesGoOnToOtherSolvers) {
  using T = typename TypeParam::T;
  const std::vector<Triplet<T>> entries = {{0, 0, 1}, {0, 1, 3}, {1, 0, 3}, {1, 1, 1}, {2, 2, 2}};
  const System<T> system{from_triplets<T>(3, 3, entries), {1, T{-1}, T{0.5}}};

  const Comparison c = this->compare(system);

  ASSERT_NE(c.best(), nullptr);
  EXPECT_TRUE(std::any_of(c.rows.begin(), c.rows.end(), [](const ComparisonRow& row) {
    return row.pair.solver == "cg" && row.status == Status::breakdown;
  }));
  EXPECT_TRUE(std::any_of(c.rows.begin(), c.rows.end(), [](const ComparisonRow& row) {
    return row.pair.solver == "gmres" && row.pair.preconditioner == "none" && row.is_solved();
  }));
}

TYPED_TEST(Comparisons, OfMatricesThatAreNotSquareTakeLsmr) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 40; ++i)
    for (const Index j : {i % 20, (i * 7 + 3) % 20}) entries.push_back({i, j, static_cast<T>(1 + (i * 5 + j) % 7)});
  const System<T> system{from_triplets<T>(40, 20, entries), random_vector<T>(40, 5), std::vector<T>(20)};

  const Comparison c = this->compare(system);

  ASSERT_NE(c.best(), nullptr);
  this->expect_order(c);
  for (const ComparisonRow& row : c.rows) EXPECT_EQ(row.ended_with.solver, "lsmr");
  for (const std::string_view name : least_squares_preconditioner_names())
    EXPECT_NE(this->row_of(c, {"lsmr", std::string(name)}), nullptr) << name;
  const Analysis<Space, T> analysis(this->space(), system.a);
  const TransposableOperator<Space, T> a(analysis);
  const LeastSquaresPreconditioner<Space, T> m(analysis, c.best()->pair.preconditioner);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);
  const SolveResult again = solve(this->space(), a, b.span(), x.span(), m, "auto", {.rtol = this->rtol});
  EXPECT_EQ(again.status, Status::least_squares);
  EXPECT_NEAR(again.relative_residual, c.best()->relative_residual, 1e-3 * again.relative_residual);
}

TYPED_TEST(Comparisons, NameWhatThereWasNoTimeFor) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("poisson2d", {.n = 8}));

  const Comparison c = this->compare(system, {.budget = 0});

  EXPECT_TRUE(c.rows.empty());
  EXPECT_EQ(c.best(), nullptr);
  ASSERT_NE(this->left_out(c, "auto"), nullptr);
  EXPECT_EQ(this->left_out(c, "auto")->why, LeftOut::out_of_budget);
  EXPECT_EQ(this->left_out(c, "jacobi")->why, LeftOut::unsuitable) << "the diagonal is constant";
}

TYPED_TEST(Comparisons, NameWhatThereIsNoMemoryFor) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("variable2d", {.n = 16}));
  ComparisonOptions options;
  options.solve.mem_limit = 4096;

  const Comparison c = this->compare(system, options);

  ASSERT_NE(this->left_out(c, "lu"), nullptr);
  EXPECT_EQ(this->left_out(c, "lu")->why, LeftOut::no_memory);
  EXPECT_NE(this->row_of(c, {"cg", "jacobi"}), nullptr);
}

TYPED_TEST(Comparisons, EndWithWhatTheyHaveWhenStopped) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("variable2d", {.n = 12}));
  auto stop = std::make_shared<bool>(false);
  ComparisonOptions options;
  options.solve.stop = StopLater{stop};
  std::size_t rows = 0;
  options.on_run = [&](const SolverPair&, const Comparison& so_far) {
    rows = so_far.rows.size();
    *stop = rows >= 2;
  };

  const Comparison c = this->compare(system, options);

  EXPECT_TRUE(c.interrupted);
  EXPECT_EQ(c.rows.size(), 2u);
  EXPECT_EQ(rows, 2u);
}

TYPED_TEST(Comparisons, EndWhenTheCallbackWantsAnEnd) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("variable2d", {.n = 12}));
  ComparisonOptions options;
  options.solve.callback = [](const Iteration& now) { return now.number == 0; };

  const Comparison c = this->compare(system, options);

  EXPECT_TRUE(c.interrupted);
  EXPECT_LE(c.rows.size(), 1u) << "a run that was over by then";
}

TYPED_TEST(Comparisons, SayThatNoneConverged) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("variable2d", {.n = 12}));
  ComparisonOptions options{.budget = 2};
  options.solve.max_iterations = 0;

  const Comparison c = this->compare(system, options);

  EXPECT_FALSE(c.rows.empty());
  EXPECT_EQ(c.best(), nullptr);
}

TYPED_TEST(Comparisons, RefuseWhatCannotBe) {
  using T = typename TypeParam::T;
  const System<T> system{generate<T>("poisson2d", {.n = 4}), std::vector<T>(15)};

  EXPECT_THROW(this->compare(system), DimensionError);
  const auto right = with_known_solution(system.a);
  EXPECT_THROW(this->compare(right, {.budget = -1}), ArgumentError);
  EXPECT_THROW(this->compare(right, {.patience = 0.5}), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test

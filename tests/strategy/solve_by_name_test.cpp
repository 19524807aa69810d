// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/solve.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/function_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/exact_residual.hpp"
#include "support/failing_operator.hpp"
#include "support/run_self.hpp"
#include "support/solving.hpp"

// Solvers chosen by name, and what `auto` does when its first solver fails.

namespace ostinato::test {
namespace {

template <class Case>
class SolveOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  Solved<Value> solve(const System<Value>& system, std::string_view solver = "auto",
                      const SolveOptions& options = {.rtol = 1e-5}, std::string_view precond = "auto") const {
    const Analysis analysis(this->space(), system.a);
    const Operator op(analysis);
    const AnyPreconditioner m(analysis, precond);
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    SolveResult result = ostinato::solve(this->space(), op, b, x, m, solver, options);
    Solved<Value> solved{std::move(result), x.download()};
    expect_honest(solved, system, options);
    return solved;
  }

  /// An indefinite matrix that is symmetric with a positive diagonal, so that `auto` begins with CG.
  static System<Value> disguised() {
    return {dense<Value>({{1, 2, 0, 0}, {2, 1, 0, 0}, {0, 0, 3, 1}, {0, 0, 1, 5}}), {3, -1, 2, 1}};
  }
};

TYPED_TEST_SUITE(SolveOn, EverySpace, SpaceNames);

TYPED_TEST(SolveOn, TakesTheSolverThatIsNamed) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("poisson2d", {.n = 15}));
  for (const SolverInfo& info : solver_infos) {
    if (info.needs_transpose) continue;
    const auto result = this->solve(system, info.name).result;

    EXPECT_EQ(result.status, Status::converged);
    EXPECT_EQ(result.solver, info.name);
  }
}

TYPED_TEST(SolveOn, TakesNamesInAnyCase) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("poisson2d", {.n = 15}));

  EXPECT_EQ(this->solve(system, "BiCGStab").result.solver, "bicgstab");
  EXPECT_EQ(this->solve(system, "AUTO").result.solver, "cg");
  EXPECT_EQ(message_of<ArgumentError>([&] { this->solve(system, "cga"); }).substr(0, 63),
            "unknown solver 'cga'; did you mean cg? known: auto, cg, bicgsta");
}

TYPED_TEST(SolveOn, TakesEveryPreconditionerWithEverySolver) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("variable2d", {.n = 15}));
  for (const SolverInfo& solver : solver_infos) {
    if (solver.needs_transpose) continue;
    for (const PreconditionerInfo& precond : preconditioner_infos()) {
      const auto result = this->solve(system, solver.name, {.rtol = 1e-5}, precond.name).result;

      EXPECT_EQ(result.status, Status::converged) << solver.name << " " << precond.name;
    }
  }
}

TYPED_TEST(SolveOn, ListsTheSolversForAnUnknownOne) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("poisson2d", {.n = 5}));

  const auto text = message_of<ArgumentError>([&] { this->solve(system, "cga"); });

  EXPECT_NE(text.find("'cga'"), std::string::npos);
  for (const SolverInfo& info : solver_infos) EXPECT_NE(text.find(info.name), std::string::npos) << text;
}

TYPED_TEST(SolveOn, BeginsWithTheSolverForTheMatrix) {
  using T = typename TypeParam::T;
  const SolveOptions first{.rtol = 1e-4, .effort = Effort::quick};

  const auto definite = this->solve(with_known_solution(generate<T>("poisson2d", {.n = 15})), "auto", first).result;
  const auto indefinite = this->solve(with_known_solution(shifted_laplacian<T>(15, 4.3)), "auto", first).result;
  const auto saddle = this->solve(with_known_solution(saddle_point<T>(20, 7)), "auto", first).result;
  const auto general = this->solve(with_known_solution(generate<T>("pde2d", {.n = 15})), "auto", first).result;

  EXPECT_EQ(definite.solver, "cg");
  EXPECT_EQ(indefinite.solver, "minres");
  EXPECT_EQ(saddle.solver, "minres");
  EXPECT_EQ(general.solver, "bicgstab2");
  for (const auto& result : {definite, indefinite, saddle, general}) EXPECT_EQ(result.status, Status::converged);
  EXPECT_TRUE(mentions(definite, "cg chosen: the matrix is symmetric"));
  EXPECT_TRUE(mentions(indefinite, "cg chosen: the matrix is symmetric with a negative diagonal"));
  EXPECT_TRUE(mentions(indefinite, "A isn't negative definite); went on with minres"));
  EXPECT_TRUE(mentions(saddle, "minres chosen: the matrix is symmetric, but its diagonal isn't positive"));
  EXPECT_TRUE(mentions(general, "bicgstab2 chosen: the matrix isn't symmetric"));
}

TYPED_TEST(SolveOn, GoesOnWithMinresWhenCgMeetsNegativeCurvature) {
  const auto result = this->solve(this->disguised()).result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.solver, "minres");
  EXPECT_TRUE(mentions(result, "isn't positive definite"));
  EXPECT_TRUE(mentions(result, "went on with minres"));
  EXPECT_FALSE(mentions(result, "gmres"));
}

TYPED_TEST(SolveOn, AReasonCountsTheIterationsOfAllMethods) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> entries{{10, 10, 1}, {11, 11, 1}, {10, 11, 3}, {11, 10, 3}};  // indefinite, diagonal positive
  for (Index i = 0; i < 10; ++i) entries.push_back({i, i, static_cast<T>(10 + i)});
  System<T> system{from_triplets<T>(12, 12, entries), std::vector<T>(12, T{1})};
  system.b[10] = T(0.1);
  system.b[11] = T(-0.1);
  SolveOptions options{.rtol = 1e-5, .check_every = 1, .effort = Effort::quick};
  const SolveResult whole = this->solve(system, "auto", options, "none").result;
  ASSERT_GT(whole.stages.size(), 1u) << whole.message();
  const int before = whole.stages[0].iterations;
  ASSERT_GT(before, 0);
  options.callback = [=](const Iteration& i) { return i.number <= before + 1; };

  const SolveResult result = this->solve(system, "auto", options, "none").result;

  EXPECT_EQ(result.status, Status::interrupted) << result.message();
  EXPECT_EQ(result.reason, "the callback ended the solve at iteration " + std::to_string(result.iterations));
}

TYPED_TEST(SolveOn, GoesOnWithGmresWhenThePreconditionerIsNotForMinres) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const System<T> system{dense<T>({{1, 2, 0}, {2, -3, 1}, {0, 1, 5}}), {0, 1, 0}};
  const UserDiagonal<Space, T> indefinite(this->space(), {T{1}, T(-0.5), T(0.25)});
  const Operator<Space, T> op(this->space(), system.a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);

  SolveResult result = ostinato::solve(this->space(), op, b, x, indefinite, "auto", {.rtol = 1e-5});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.solver, "gmres");
  EXPECT_TRUE(mentions(result, "minres chosen"));
  EXPECT_TRUE(mentions(result, "minres ended as breakdown at iteration 0 (r . M^-1 r isn't positive at iteration 0"));
  EXPECT_TRUE(mentions(result, "went on with gmres"));
  expect_honest(Solved<T>{std::move(result), x.download()}, system, {.rtol = 1e-5});
}

TYPED_TEST(SolveOn, TakesMinresWithTheSizesOfTheDiagonal) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{1, 2, 0}, {2, -3, 1}, {0, 1, 5}}), {0, 1, 0}};

  const auto result = this->solve(system, "auto", {.rtol = 1e-5}, "jacobi").result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.solver, "minres");
}

TYPED_TEST(SolveOn, TakesNoMethodTwice) {
  using T = typename TypeParam::T;
  const System<T> inconsistent{dense<T>({{1, 0, 0}, {0, -2, 0}, {0, 0, 0}}), {1, 1, 1}};

  const auto result = this->solve(inconsistent).result;

  EXPECT_NE(result.status, Status::converged);
  EXPECT_TRUE(mentions(result, "minres chosen"));
  EXPECT_FALSE(mentions(result, "went on with minres"));
  EXPECT_EQ(result.status, Status::least_squares);
  EXPECT_NEAR(result.relative_residual, std::sqrt(1 / 3.0), 1e-4) << "the least there is";
}

TYPED_TEST(SolveOn, GoesOnFromTheBestX) {
  using T = typename TypeParam::T;
  const System<T> inconsistent{dense<T>({{1, 1}, {1, 1}}), {1, 2}};

  const auto result = this->solve(inconsistent).result;

  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  EXPECT_NEAR(result.relative_residual, std::sqrt(0.1), 1e-4) << "the least there is, which minres finds";
}

TYPED_TEST(SolveOn, DoesNotBlameAMethodThatDidNothing) {
  using T = typename TypeParam::T;
  const System<T> system = with_known_solution(generate<T>("poisson2d", {.n = 8}));
  const auto result = this->solve(system, "auto", {.rtol = 1e-5, .max_iterations = 0}).result;
  EXPECT_EQ(result.status, Status::iteration_limit);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_FALSE(mentions(result, "came no nearer")) << result.message();
}

TYPED_TEST(SolveOn, NeverEndsFartherThanTheGuess) {
  using T = typename TypeParam::T;
  Random random(12);
  int not_converged = 0;
  for (int k = 0; k < (TypeParam::Space::has_streams ? 60 : 600); ++k) {
    const Index n = 1 + below(random, 5);
    System<T> system{{}, std::vector<T>(static_cast<std::size_t>(n))};
    std::vector<Triplet<T>> triplets;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) triplets.push_back({i, j, static_cast<T>(below(random, 5) - 2)});
      system.b[static_cast<std::size_t>(i)] = static_cast<T>(below(random, 9) - 4);
      system.x0[static_cast<std::size_t>(i)] = static_cast<T>(below(random, 3) - 1);
    }
    system.a = from_triplets<T>(n, n, triplets);
    const double before = reference_residual(system.a.view(), system.x0, system.b).norm;

    const auto [result, x] = this->solve(system, "auto", {.rtol = 1e-5, .max_iterations = below(random, 40)});

    EXPECT_LE(reference_residual(system.a.view(), x, system.b).norm, before * (1 + 1e-6)) << result.message();
    not_converged += result.status != Status::converged;
  }
  EXPECT_GT(not_converged, 10);
}

TYPED_TEST(SolveOn, ComparesResidualsWhoseNormIsOutOfRange) {
  using T = typename TypeParam::T;
  if (is_single<T>) GTEST_SKIP() << "the numbers are out of the range of float";
  const System<T> system{
      dense<T>({{-1.2220340610563375e+274, -6.8027860270030629e+251, -1.2438517841979201e+275, -1.1287258929988761e+236,
                 -2.5421679216632494e+230, -2.9038177891243172e+267},
                {3.1870613970095537e+246, -8.1516616434538302e+238, -1.1800737999987055e+234, 2.8150221941313993e+202,
                 -4.1329238625319446e+272, 6.6062751992838313e+221},
                {0, 0, 3.1124695831866917e+201, -1.7293924207217346e+276, 0, 0},
                {0, -5.7827086206130189e+236, 2.5764105932463001e+281, -7.0567355648558333e+284,
                 -4.725492954397716e+253, -2.2934671128369925e+262},
                {0, 0, 0, 0, 2.7969273901210489e+256, -1.0111769244207093e+239},
                {0, 0, 0, 4.6709534111455832e+214, -3.129381798638902e+281, 2.829047468843334e+203}}),
      {T(1), T(1.7279374866859915e+276), T(3.4189520163670482e+271), T(3.6384766886918798e+306),
       T(1.6041841834378182e+283), T(-2.8865137321723275e+259)},
      {T(8.1808555080062847e-05), T(-7.1448161546568932e+29), T(141856509974008.34), T(-5.4061289356768967e-08),
       T(-4.049737281215941e+38), T(4.0237757068470146e-29)}};
  const auto op = Analysis(this->space(), system.a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);

  ostinato::solve(this->space(), Operator(op), b, x, Identity{}, "auto", {.rtol = 1e-8, .max_iterations = 300});

  const double before = exact_residual(system.a.view(), system.x0, system.b).relative;
  EXPECT_LE(exact_residual(system.a.view(), x.download(), system.b).relative, before * (1 + 1e-6));
}

TYPED_TEST(SolveOn, CountsOnOverTheWholeLadder) {
  std::vector<int> heard;
  SolveOptions options{.rtol = 1e-5, .check_every = 1};
  options.callback = [&](const Iteration& i) {
    heard.push_back(i.number);
    return true;
  };

  const auto result = this->solve(this->disguised(), "auto", options).result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
  ASSERT_FALSE(heard.empty());
  EXPECT_TRUE(std::is_sorted(heard.begin(), heard.end()));
  EXPECT_EQ(heard.back(), result.iterations);
}

TYPED_TEST(SolveOn, KeepsToTheLimitOverTheWholeLadder) {
  for (int limit = 0; limit < 4; ++limit) {
    const auto result = this->solve(this->disguised(), "auto", {.rtol = 1e-12, .max_iterations = limit}).result;

    EXPECT_LE(result.iterations, limit);
    EXPECT_NE(result.status, Status::converged);
  }
}

TYPED_TEST(SolveOn, TriesThemAllBeforeItGivesUp) {
  using T = typename TypeParam::T;
  const System<T> inconsistent{dense<T>({{1, 1}, {2, 2}}), {1, -1}};

  const auto result = this->solve(inconsistent).result;

  EXPECT_NE(result.status, Status::converged);
  EXPECT_TRUE(mentions(result, "gmres chosen"));
  EXPECT_TRUE(mentions(result, "went on with bicgstab"));
}

TYPED_TEST(SolveOn, DoesNotGoOnWhenToldToStop) {
  SolveOptions options{.rtol = 1e-12, .check_every = 1};
  int calls = 0;
  options.callback = [&](const Iteration&) {
    ++calls;
    return false;
  };

  const auto result =
      this->solve(with_known_solution(generate<typename TypeParam::T>("poisson2d", {.n = 30})), "auto", options).result;

  EXPECT_EQ(result.status, Status::interrupted);
  EXPECT_EQ(result.solver, "cg");
  EXPECT_EQ(calls, 1);
}

TYPED_TEST(SolveOn, SaysThatItWasStoppedWhereverThatWas) {
  using T = typename TypeParam::T;
  // 2 x 2 rotations on the diagonal: GMRES(1) hardly moves. BiCGSTAB needs many more iterations than a GPU runs between
  // two checks by the host.
  std::vector<Triplet<T>> rotations;
  for (Index k = 1; k <= 100; ++k) {
    const Index i = 2 * (k - 1);
    const T turn = static_cast<T>(k), shrink = static_cast<T>(0.01);
    rotations.insert(rotations.end(), {{i, i, shrink}, {i, i + 1, turn}, {i + 1, i, -turn}, {i + 1, i + 1, shrink}});
  }
  const System<T> system{from_triplets<T>(200, 200, rotations), std::vector<T>(200, T{1})};
  SolveOptions options{.rtol = 1e-6, .restart = 1, .flexible = true, .check_every = 1, .effort = Effort::quick};
  const int before = this->solve(system, "gmres", options).result.iterations;
  options.callback = [before](const Iteration& i) { return i.number <= before; };

  const auto result = this->solve(system, "auto", options).result;

  EXPECT_TRUE(mentions(result, "went on with bicgstab"));
  EXPECT_EQ(result.status, Status::interrupted);
}

TYPED_TEST(SolveOn, LeavesNanToItself) {
  auto system = with_known_solution(generate<typename TypeParam::T>("poisson2d", {.n = 10}));
  system.b[5] = std::numeric_limits<typename TypeParam::T>::quiet_NaN();

  const auto result = this->solve(system).result;

  EXPECT_EQ(result.status, Status::not_finite);
  EXPECT_EQ(result.notes.size(), 1u);
}

/// A singular system whose b isn't along ones, which auto knows.
template <class T>
System<T> inconsistent() {
  return {dense<T>({{1, 1}, {2, 2}}), {1, -1}};
}

TYPED_TEST(SolveOn, KeepsTheResultWhenTheNextMethodHasNoMemory) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const System<T> system = inconsistent<T>();
  const Operator<Space, T> op(this->space(), system.a);
  const auto b = this->put(system.b);
  const auto count_noted = [&](const auto& failure, const std::string& note) {
    int noted = 0;
    for (int at = 3; at < 200; ++at) {
      auto x = this->put(system.x0);
      try {
        const auto result = ostinato::solve(this->space(), FailsAt(op, at, failure), b, x, Identity{}, "auto",
                                            {.rtol = 1e-5, .flexible = true});

        EXPECT_NE(result.status, Status::converged);
        EXPECT_TRUE(all_finite(x.download()));
        noted += mentions(result, "wasn't tried: " + note);
      } catch (const std::exception&) {
        EXPECT_EQ(noted, 0) << "only the first method may end in an exception";
      }
    }
    return noted;
  };

  EXPECT_GT(count_noted(std::bad_alloc(), "not enough memory"), 0);
  EXPECT_GT(count_noted(DeviceMemoryError("GPU memory ran out"), "GPU memory ran out"), 0);
}

TYPED_TEST(SolveOn, PassesOnThatTheDeviceIsLost) {
  using T = typename TypeParam::T;
  const auto expect_passed_on = [&](const System<T>& system, int least) {
    const Operator op(this->space(), system.a);
    const auto b = this->put(system.b);
    EXPECT_GE(count_passed_on(op,
                              [&](const auto& lost) {
                                auto x = this->put(system.x0);
                                ostinato::solve(this->space(), lost, b, x, Identity{}, "auto", {.rtol = 1e-5});
                              }),
              least);
  };

  expect_passed_on(inconsistent<T>(), 10);
  expect_passed_on(this->disguised(), 5);
  expect_passed_on(with_known_solution(generate<T>("convection-diffusion2d", {.n = 12})), 5);
}

/// An operator of a user, with what the user knows of it.
template <class Op>
class Described {
 public:
  using value_type = typename Op::value_type;
  Described(const Op& op, const Facts& facts) : op_(op), facts_(facts) {}
  auto rows() const { return op_.rows(); }
  auto cols() const { return op_.cols(); }
  const Facts& facts() const { return facts_; }
  void apply(value_type alpha, std::span<const value_type> x, value_type beta, std::span<value_type> y) const {
    op_.apply(alpha, x, beta, y);
  }

 private:
  const Op& op_;
  Facts facts_;
};

/// An operator of a user that says nothing of itself.
template <class Op>
class Undescribed {
 public:
  using value_type = typename Op::value_type;
  explicit Undescribed(const Op& op) : op_(op) {}
  auto rows() const { return op_.rows(); }
  auto cols() const { return op_.cols(); }
  void apply(value_type alpha, std::span<const value_type> x, value_type beta, std::span<value_type> y) const {
    op_.apply(alpha, x, beta, y);
  }

 private:
  const Op& op_;
};

TYPED_TEST(SolveOn, SaysThatTheSymmetryOfAnOperatorIsUnknown) {
  const auto system = with_known_solution(generate<typename TypeParam::T>("poisson2d", {.n = 10}));
  const Operator op(this->space(), system.a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);

  const auto result = ostinato::solve(this->space(), Undescribed(op), b, x, Identity{}, "auto", {.rtol = 1e-5});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.solver, "gmres");
  EXPECT_TRUE(mentions(result, "A doesn't say whether it is symmetric (facts()); name \"cg\""));
  EXPECT_FALSE(mentions(result, "isn't symmetric"));
}

TYPED_TEST(SolveOn, StopsWhereNoXSolvesTheSystem) {
  using T = typename TypeParam::T;
  constexpr int n = 50;
  std::vector<Triplet<T>> entries;  // a line without boundary values: A * ones = 0
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, T(i == 0 || i == n - 1 ? 1 : 2)});
    if (i > 0) entries.push_back({i, i - 1, T(-1)});
    if (i + 1 < n) entries.push_back({i, i + 1, T(-1)});
  }
  System<T> system{from_triplets<T>(n, n, entries), std::vector<T>(n)};
  system.b[0] = 2;

  const auto outside = this->solve(system).result;
  system.b[n - 1] = -2;
  const auto inside = this->solve(system).result;

  EXPECT_NE(outside.status, Status::converged);
  EXPECT_NE(outside.reason.find("so b would have to add up to 0, but adds up to 2"), std::string::npos)
      << outside.reason;
  EXPECT_FALSE(mentions(outside, "went on with"));
  EXPECT_EQ(inside.status, Status::converged);
}

TYPED_TEST(SolveOn, TrustsTheStructureOfAnOperatorOfTheUser) {
  using T = typename TypeParam::T;
  const double tiny = is_single<T> ? 1e-30 : 1e-200;
  auto system = with_known_solution(generate<T>("poisson2d", {.n = 20}));
  for (T& v : system.a.val) v *= static_cast<T>(tiny);
  const Operator op(this->space(), system.a);
  const auto b = this->put(system.b);
  Structure known;
  known.rows = 400;
  known.longest_row = 5;
  known.mean_row = 4.8;
  known.norm_inf = 9 * tiny;  // a little more than it is
  const double b_norm = reference_residual(system.a.view(), system.x0, system.b).b_norm;
  const auto solver_of = [&](const Structure& s) {
    auto x = this->put(system.x0);
    const auto result = ostinato::solve(this->space(), Described(op, s), b, x, Identity{}, "auto", {.rtol = 1e-5});
    EXPECT_EQ(result.status, Status::converged) << result.message();
    EXPECT_GT(result.backward_error, 0);
    EXPECT_LT(result.backward_error, 1e-5);
    EXPECT_LT(reference_residual(system.a.view(), x.download(), system.b).norm, 1e-5 * (1 + 1e-9) * b_norm);
    return result.solver;
  };

  EXPECT_EQ(solver_of(known), "gmres");
  known.symmetric = true;
  EXPECT_EQ(solver_of(known), "minres");
  known.positive_diagonal = true;
  EXPECT_EQ(solver_of(known), "cg");
}

TYPED_TEST(SolveOn, TakesBicgstabWhenTheBasisOfGmresFindsNoMemory) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = with_known_solution(generate<T>("convection-diffusion2d", {.n = 12}));
  const Operator<Space, T> op(this->space(), system.a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);

  const auto result = ostinato::solve(this->space(), FailsAt(op, 2, std::bad_alloc()), b, x, Identity{}, "auto",
                                      {.rtol = 1e-5, .flexible = true});

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_EQ(result.solver, "bicgstab");
  EXPECT_TRUE(mentions(result, "gmres gave way to bicgstab: not enough memory"));
}

TYPED_TEST(SolveOn, LeavesOutABasisThatIsTooLarge) {
  using T = typename TypeParam::T;
  Csr<T> a = ring<T>(25000);
  for (T& value : a.val) value = std::abs(value);
  for (auto k = static_cast<std::size_t>(a.row_ptr[0]); k < static_cast<std::size_t>(a.row_ptr[1]); ++k)
    a.val[k] *= 2;  // not symmetric
  auto system = with_known_solution(std::move(a));
  // b isn't in the range, so no method can solve the system.
  for (std::size_t i = 0; i < system.b.size(); ++i) system.b[i] = i % 2 == 0 ? 1 : -1;

  const SolveOptions options{.rtol = 1e-5, .max_iterations = 100, .restart = 25000};
  const auto result = this->solve(system, "auto", options, "none").result;

  EXPECT_NE(result.status, Status::converged);
  EXPECT_TRUE(mentions(result, "gmres wasn't tried: its basis would take over 2.00 GB"));
  EXPECT_LT(result.workspace_bytes, std::size_t{1} << 30);
}

TEST(SolverChoice, GoesBySymmetryDiagonalAndMemory) {
  Structure spd;
  spd.rows = spd.cols = 1000;
  spd.symmetric = spd.positive_diagonal = true;
  Structure negative = spd, general = spd, huge = spd;
  negative.positive_diagonal = false;
  general.symmetric = false;
  huge.symmetric = false;
  huge.rows = huge.cols = 100'000'000;

  EXPECT_EQ(choose_solver(spd, 8, 50).name, "cg");
  EXPECT_EQ(choose_solver(negative, 8, 50).name, "minres");
  EXPECT_EQ(choose_solver(general, 8, 50).name, "gmres");
  EXPECT_EQ(choose_solver(huge, 8, 50).name, "bicgstab");
  EXPECT_EQ(choose_solver(huge, 8, 2).name, "gmres");
  EXPECT_EQ(choose_solver(general, 8, 50, {.rate = 0.3}).name, "bicgstab");
  EXPECT_EQ(choose_solver(general, 8, 50, {.varies = true, .rate = 0.3}).name, "gmres");
  EXPECT_EQ(choose_solver(general, 8, 50, {.rate = 0.8}).name, "gmres");
  EXPECT_EQ(choose_solver(spd, 8, 50, {.rate = 0.3}).name, "cg");
  EXPECT_EQ(choose_solver(general, 8, automatic_restart).name, "gmres");
  EXPECT_EQ(choose_solver(huge, 8, automatic_restart).name, "bicgstab");
  EXPECT_EQ(choose_solver(general, 8, automatic_restart, {}, 50 * 8 * 1000).name, "gmres");
  EXPECT_EQ(choose_solver(general, 8, automatic_restart, {}, 50 * 8 * 1000 - 1).name, "bicgstab");
  general.nonzeros = 5000;
  EXPECT_EQ(choose_solver(general, 8, 50).name, "bicgstab2");
  EXPECT_EQ(choose_solver(general, 8, 50, {.varies = true}).name, "gmres");
  EXPECT_EQ(choose_solver(general, 8, 50, {.weak = false}).name, "gmres");
  EXPECT_EQ(choose_solver(general, 8, 50, {.symmetric = false}).name, "bicgstab2");
  general.cols = 999;
  EXPECT_EQ(choose_solver(general, 8, 50).name, "lsmr");
}

TEST(StatusNames, AreThoseOfTheReport) {
  EXPECT_EQ(to_string(Status::converged), "converged");
  EXPECT_EQ(to_string(Status::iteration_limit), "iteration_limit");
  EXPECT_EQ(to_string(Status::time_limit), "time_limit");
  EXPECT_EQ(to_string(Status::breakdown), "breakdown");
  EXPECT_EQ(to_string(Status::stagnated), "stagnated");
  EXPECT_EQ(to_string(Status::diverged), "diverged");
  EXPECT_EQ(to_string(Status::not_finite), "not_finite");
  EXPECT_EQ(to_string(Status::interrupted), "interrupted");
}

// Kokkos fixes the number of threads for a process. This program runs itself again with other numbers of threads.

/// The exact results of a solve by each method, as text.
std::string bits_of_solves() {
  const Host host;
  const auto system = with_known_solution(generate<double>("variable2d", {.n = 120}));
  const auto general = with_known_solution(generate<double>("powerlaw", {.n = 20000}));
  std::string text;
  for (const auto& solved : {run<Cg>(host, system, {}), run<Minres>(host, system, {}), run<Bicgstab>(host, general, {}),
                             run<Gmres>(host, general, {})}) {
    double sum = 0;
    for (std::size_t i = 0; i < solved.x.size(); ++i) sum += solved.x[i] * static_cast<double>(i % 7 + 1);
    char line[128];
    std::snprintf(line, sizeof line, "%d %a %a %a;", solved.result.iterations, sum, solved.x[1234],
                  solved.result.residual);
    text += line;
  }
  return text;
}

TEST(ThreadCount, DISABLED_PrintsTheBits) { std::printf("bits: %s\n", bits_of_solves().c_str()); }

TEST(ThreadCount, DoesNotChangeTheBits) {
  const std::string here = bits_of_solves();

  for (const int threads : {1, 2, 3, 7})
    EXPECT_EQ(line_of_disabled_case("ThreadCount.DISABLED_PrintsTheBits", "bits: ", threads), here) << threads;
}

TEST(SolveOptions, NamesThoseThatTheSolverDoesNotUse) {
  EXPECT_EQ(unused_options({}, "cg"), "");
  EXPECT_EQ(unused_options({.shadow = 2}, "idr"), "");
  EXPECT_EQ(unused_options({.restart = 30, .flexible = true}, "auto"), "");
  EXPECT_EQ(unused_options({.shadow = 2}, "gmres"), "shadow = 2 is for idr");
  EXPECT_EQ(unused_options({.shadow = 2}, "auto"), "shadow = 2 is for idr");
  EXPECT_EQ(unused_options({.restart = 30, .flexible = true}, "cg"),
            "restart = 30 is for gmres and gcrodr, flexible is for gmres");
}

TEST(SolverList, SaysWhatMethodsNeedAndKeep) {
  EXPECT_EQ(find_solver("cgs"), nullptr);
  EXPECT_TRUE(find_solver("cg")->needs_symmetry && find_solver("cg")->needs_definiteness);
  EXPECT_TRUE(find_solver("minres")->needs_symmetry && !find_solver("minres")->needs_definiteness);
  EXPECT_TRUE(find_solver("idr")->takes_factors());
  EXPECT_FALSE(find_solver("lsmr")->takes_factors());
  EXPECT_TRUE(takes_any_shape("lsmr"));
  EXPECT_FALSE(takes_any_shape("auto"));
  EXPECT_EQ(name_in_auto<RoleInAuto::symmetric>, "minres");

  const auto bytes = [](const char* solver, const SolveOptions& options) {
    return find_solver(solver)->basis_bytes(1000, 8, options);
  };
  EXPECT_EQ(bytes("gmres", {}), 0U);
  EXPECT_EQ(bytes("gmres", {.restart = 30}), 30U * 8000);
  EXPECT_EQ(bytes("gmres", {.restart = 30, .flexible = true}), 60U * 8000);
  EXPECT_EQ(bytes("gcrodr", {.restart = 30, .recycle = 5}), (30U + 2 * 5 + 2) * 8000);
  EXPECT_EQ(bytes("cg", {.restart = 30}), 0U);
  EXPECT_EQ(find_solver("gmres")->variant({.restart = 30, .flexible = true}), "(30) flexible");
  EXPECT_EQ(find_solver("idr")->variant({.shadow = 2}), "(2)");
}

TEST(SolveOptions, RefusesAShadowOutOfRangeWhateverTheSolver) {
  EXPECT_THROW(require_valid({.shadow = 9}), ArgumentError);
  EXPECT_THROW(require_valid({.shadow = 0}), ArgumentError);
  EXPECT_NO_THROW(require_valid({.shadow = 6, .check_every = 1000}));
}

TEST(SolveOptions, SolveSaysWhatHadNoEffect) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 5});
  const Host space;
  const Operator op(space, a);
  std::vector<double> b(25, 1), x(25, 0);
  const auto notes = [&](const SolveOptions& options) {
    std::string text;
    for (const std::string& note :
         solve(space, op, std::span<const double>(b), std::span<double>(x), "cg", options).notes)
      text += note + "\n";
    return text;
  };
  EXPECT_NE(notes({.shadow = 2}).find("an option had no effect: shadow = 2 is for idr"), std::string::npos);
  EXPECT_EQ(notes({}).find("had no effect"), std::string::npos);
}

/// A x for a matrix, as functions that know nothing of it.
template <class Space, class T>
struct Functions {
  Operator<Space, T> forward, back;
  Functions(const Space& space, const Csr<T>& a) : forward(space, a), back(space, transpose(a.view())) {}

  auto as(const Space& space, FunctionOptions<T> options) const {
    return make_operator<T>(
        space, static_cast<std::size_t>(forward.rows()),
        [this](std::span<const T> x, std::span<T> y) { forward.apply(T{1}, x, T{0}, y); }, std::move(options));
  }
  auto transposed() const {
    return [this](std::span<const T> x, std::span<T> y) { back.apply(T{1}, x, T{0}, y); };
  }
};

TYPED_TEST(SolveOn, TakesTheMethodThatSuitsAFunction) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto definite = with_known_solution(generate<T>("variable2d", {.n = 20}));
  const auto indefinite = with_known_solution(shifted_laplacian<T>(20, 1.3));
  const auto method_for = [&](const System<T>& system, FunctionOptions<T> options) {
    const Functions<Space, T> functions(this->space(), system.a);
    const auto op = functions.as(this->space(), std::move(options));
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    const SolveOptions asked = {.rtol = 1e-4};
    Solved<T> solved{ostinato::solve(this->space(), op, b, x, asked), {}};
    solved.x = x.download();
    const ExactResidual end = exact_residual(system.a.view(), solved.x, system.b);
    EXPECT_EQ(solved.result.status, Status::converged) << solved.result.message();
    EXPECT_LE(end.relative, asked.rtol);
    return solved.result.solver;
  };
  EXPECT_EQ(method_for(definite, {.positive_definite = true}), "cg");
  EXPECT_EQ(method_for(definite, {.symmetric = true}), "minres");
  EXPECT_EQ(method_for(definite, {}), "gmres");
  EXPECT_EQ(method_for(indefinite, {.symmetric = true}), "minres");
}

TYPED_TEST(SolveOn, SolvesLeastSquaresOfAFunctionWithItsTranspose) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Csr<T> a = dense<T>({{3, 0}, {0, 2}, {4, 1}});
  const Functions<Space, T> functions(this->space(), a);
  const auto op = functions.as(this->space(), {.cols = 2, .transposed = functions.transposed()});
  const auto b = this->put(std::vector<T>{5, 2, 1});
  auto x = this->put(std::vector<T>(2));
  const SolveResult result = ostinato::solve(this->space(), op, b, x, {.rtol = is_single<T> ? 1e-5 : 1e-6});
  EXPECT_EQ(result.solver, "lsmr");
  EXPECT_EQ(result.status, Status::least_squares) << result.message();
  // A^T A = [25 4; 4 5], A^T b = [19; 5].
  const std::vector<T> got = x.download();
  EXPECT_NEAR(got[0], 75.0 / 109, 1e-5);
  EXPECT_NEAR(got[1], 49.0 / 109, 1e-5);

  const auto without = functions.as(this->space(), {.cols = 2});
  EXPECT_NE(message_of<ArgumentError>([&] { ostinato::solve(this->space(), without, b, x); }).find("transpose of A"),
            std::string::npos);
}

TYPED_TEST(SolveOn, TakesLsmrForASymmetricFunction) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = with_known_solution(dense<T>({{2, 1, 0}, {1, -3, 1}, {0, 1, 4}}));
  const Functions<Space, T> functions(this->space(), system.a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);
  const SolveResult result =
      ostinato::solve(this->space(), functions.as(this->space(), {.symmetric = true}), b, x, "lsmr", {.rtol = 1e-5});
  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_LE(exact_residual(system.a.view(), x.download(), system.b).relative, 1e-5);
}

}  // namespace
}  // namespace ostinato::test

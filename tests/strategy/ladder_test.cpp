// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/ilu/library_factors.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/iteration_seconds.hpp>
#include <ostinato/strategy/linear_solver.hpp>
#include <ostinato/strategy/step.hpp>

#include "support/at_once.hpp"
#include "support/exact_residual.hpp"
#include "support/failing_operator.hpp"
#include "support/hard_matrix.hpp"
#include "support/shared_matrices.hpp"
#include "support/solving.hpp"

// Stronger preconditioners, with which solve() goes on where those before don't get there.

namespace ostinato::test {
namespace {

/// The matrix of two systems that have nothing to do with each other.
template <class T>
Csr<T> beside(const Csr<T>& a, const Csr<T>& b) {
  std::vector<Triplet<T>> t;
  const auto add = [&](const Csr<T>& m, Index from) {
    for (Index i = 0; i < m.rows; ++i) {
      for (Offset k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) t.push_back({from + i, from + m.col[k], m.val[k]});
    }
  };
  add(a, 0);
  add(b, a.rows);
  return from_triplets<T>(a.rows + b.rows, a.rows + b.rows, t);
}

template <class Case>
class LadderOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;
  using Any = AnyPreconditioner<Home, Value>;

  static constexpr double goal = sizeof(Value) == 4 ? 1e-4 : 1e-8;
  System<Value> system = with_known_solution(hard_matrix<Value>(2000));
  std::optional<Analysis<Home, Value>> analysis;
  std::optional<Operator<Home, Value>> op;

  void SetUp() override {
    SpaceTest<Case>::SetUp();
    if (this->IsSkipped()) return;
    analysis.emplace(this->space(), system.a);
    op.emplace(*analysis);
  }

  Solved<Value> solve(const Any& m, const std::string& solver = "auto", SolveOptions options = {}) const {
    options.rtol = goal;
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    SolveResult result = ostinato::solve(this->space(), *op, b.span(), x.span(), m, solver, options);
    Solved<Value> solved{std::move(result), x.download()};
    expect_honest(solved, system, options);
    return solved;
  }
};

TYPED_TEST_SUITE(LadderOn, EverySpace, SpaceNames);

/// What "auto" goes on with from Jacobi on the hard matrix: on a GPU complete factors by a library, where there is one.
template <class Case>
std::string next_factors() {
  return Case::Space::has_streams && (has_klu || !LibraryFactors::multifrontal().empty()) ? "lu" : "ilut";
}

/// With few vectors, GMRES gives up on the hard matrix sooner.
SolveOptions few_vectors(Effort effort = SolveOptions{}.effort) { return {.restart = 30, .effort = effort}; }

TYPED_TEST(LadderOn, GoesOnWithFactorsWhereTheFirstPreconditionerFails) {
  const typename TestFixture::Any m(*this->analysis);

  const auto solved = this->solve(m);

  EXPECT_EQ(solved.result.status, Status::converged);
  EXPECT_TRUE(mentions(solved.result, "went on with " + next_factors<TypeParam>() + " (")) << solved.result.message();
}

TYPED_TEST(LadderOn, PassesOnThatTheDeviceIsLost) {
  const typename TestFixture::Any m(*this->analysis);
  const auto b = this->put(this->system.b);
  const auto solve = [&](const auto& lost) {
    auto x = this->put(this->system.x0);
    ostinato::solve(this->space(), lost, b, x, m, "auto", {.rtol = this->goal, .restart = 30});
  };

  EXPECT_GE(count_passed_on(*this->op, solve), 20);
}

TYPED_TEST(LadderOn, PassesOverFactorsThatDoNotFitIntoTheMemory) {
  const typename TestFixture::Any m(*this->analysis);
  const auto whole = this->solve(m).result;
  ASSERT_EQ(whole.status, Status::converged);

  const auto limited = this->solve(m, "auto", {.mem_limit = 60000}).result;

  EXPECT_FALSE(mentions(limited, "went on with ilut")) << limited.message();
  EXPECT_TRUE(mentions(limited, "ilut: takes at least")) << limited.message();
  EXPECT_TRUE(mentions(limited, "lu: takes at least")) << limited.message();
  EXPECT_LE(limited.workspace_bytes, whole.workspace_bytes);
  const auto roomy = this->solve(m, "auto", {.mem_limit = 100'000'000}).result;
  EXPECT_EQ(roomy.status, Status::converged) << "what was made for another limit isn't taken";
}

TYPED_TEST(LadderOn, LeavesRoomForABasisOfGmres) {
  const auto rows = static_cast<double>(this->analysis->structure().rows);
  for (const double times : {1.1, 1.5, 2.0, 3.0, 5.0, 8.0}) {
    const typename TestFixture::Any m(*this->analysis);
    const double basis = 30 * rows * sizeof(typename TypeParam::T);
    const std::size_t limit = m.bytes() + static_cast<std::size_t>(times * basis);

    const SolveResult result = this->solve(m, "gmres", {.mem_limit = limit, .restart = 30}).result;

    EXPECT_LE(result.relative_residual, 1) << times;
    EXPECT_GT(result.iterations, 0) << times;
  }
}

TYPED_TEST(LadderOn, AutoTakesBicgstabWhereAFlexibleBasisDoesNotFit) {
  const auto rows = static_cast<double>(this->analysis->structure().rows);
  const typename TestFixture::Any m(*this->analysis);
  const std::size_t limit = m.bytes() + static_cast<std::size_t>(1.5 * 30 * rows * sizeof(typename TypeParam::T));

  const SolveResult result =
      this->solve(m, "auto", {.mem_limit = limit, .restart = 30, .flexible = true, .effort = Effort::quick}).result;

  EXPECT_TRUE(mentions(result, "gmres gave way to bicgstab: gmres: a basis of 30 vectors takes")) << result.message();
}

TYPED_TEST(LadderOn, RecordsWhereAStrongerPreconditionerWentOn) {
  const typename TestFixture::Any m(*this->analysis);

  const SolveResult result = this->solve(m, "gmres").result;

  ASSERT_GT(result.stages.size(), 1u);
  const Stage& last = result.stages.back();
  const int before = result.iterations - last.iterations;
  EXPECT_EQ(last.text(), "gmres with " + next_factors<TypeParam>());
  EXPECT_EQ(result.stages.front().text(), "gmres with " + m.name());
  EXPECT_EQ(result.preconditioner, next_factors<TypeParam>());
  EXPECT_GT(before, 0);
  EXPECT_GT(last.setup_seconds, 0);
  EXPECT_EQ(last.preconditioner_bytes, result.preconditioner_bytes);
  EXPECT_EQ(last.after, result.relative_residual);
  EXPECT_LT(last.rate(), result.stages.front().rate());
  EXPECT_TRUE(mentions(result, "at iteration " + std::to_string(before))) << result.message();
}

TYPED_TEST(LadderOn, RecordsMethodsAndPreconditionersInTheirOrder) {
  const typename TestFixture::Any m(*this->analysis);

  const SolveResult result = this->solve(m).result;

  ASSERT_GT(result.stages.size(), 1u);
  EXPECT_EQ(result.stages.back().text(), "gmres with " + next_factors<TypeParam>());
  int iterations = 0;
  double seconds = 0, setup_seconds = 0;
  for (std::size_t k = 0; k < result.stages.size(); ++k) {
    const Stage& stage = result.stages[k];
    iterations += stage.iterations;
    seconds += stage.seconds + stage.setup_seconds;
    setup_seconds += stage.setup_seconds;
    if (k == 0) continue;
    const std::string next = stage.text_beside(result.stages[k - 1]);
    EXPECT_NE(stage.text(), result.stages[k - 1].text());
    EXPECT_TRUE(mentions(result, "went on with " + next.substr(next.rfind(' ') + 1))) << next;
  }
  EXPECT_EQ(iterations, result.iterations);
  EXPECT_LE(seconds, 1.001 * result.seconds);
  EXPECT_LE(setup_seconds, 1.001 * result.setup_seconds);
}

TYPED_TEST(LadderOn, QuickEffortTakesTheFirstPreconditionerOnly) {
  const typename TestFixture::Any m(*this->analysis);

  const auto solved = this->solve(m, "auto", few_vectors(Effort::quick));

  EXPECT_NE(solved.result.status, Status::converged);
  EXPECT_FALSE(mentions(solved.result, "went on with ilut"));
}

TYPED_TEST(LadderOn, ReplacesNothingThatWasAskedFor) {
  const typename TestFixture::Any none(*this->analysis, "none"), any(*this->analysis);

  EXPECT_FALSE(mentions(this->solve(none, "auto", few_vectors()).result, "went on with " + next_factors<TypeParam>()));
  EXPECT_FALSE(mentions(this->solve(any, "cg").result, "went on with " + next_factors<TypeParam>()));
  const auto gmres = this->solve(any, "gmres", few_vectors()).result;
  EXPECT_TRUE(mentions(gmres, "went on with " + next_factors<TypeParam>() + " ("));
  EXPECT_EQ(gmres.solver, "gmres");
}

/// Without a diagonal there is little hope for less. On a GPU, whose factors are made on the host, less is tried.
TYPED_TEST(LadderOn, BeginsWithFactorsWhereRowsHaveNoDiagonal) {
  using T = typename TypeParam::T;
  this->system = with_known_solution(hard_matrix<T>(2000, 0));
  this->SetUp();
  const typename TestFixture::Any m(*this->analysis);

  const SolveResult result = this->solve(m).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  if (TypeParam::Space::has_streams) return;
  ASSERT_EQ(result.stages.size(), 2u);
  EXPECT_EQ(result.stages[0].iterations, 0);
  EXPECT_EQ(result.stages[1].text(), "gmres with ilut");
  EXPECT_TRUE(mentions(result, "2000 rows have no diagonal entry")) << result.message();
}

TYPED_TEST(LadderOn, SaysWhichLimitLeftNothingForTheFactors) {
  using T = typename TypeParam::T;
  this->system = with_known_solution(hard_matrix<T>(2000, 0));
  this->SetUp();
  const typename TestFixture::Any m(*this->analysis);

  const SolveResult no_time = this->solve(m, "auto", {.rtol = 1e-5, .time_limit = 1e-9}).result;
  const SolveResult no_iterations = this->solve(m, "auto", {.rtol = 1e-5, .max_iterations = 0}).result;

  EXPECT_EQ(no_time.status, Status::time_limit) << no_time.message();
  EXPECT_NE(no_time.reason.find("the limit of 1e-09 s was reached"), std::string::npos) << no_time.reason;
  EXPECT_EQ(no_iterations.status, Status::iteration_limit) << no_iterations.message();
  EXPECT_EQ(no_iterations.reason, "the limit of 0 iterations was reached");
}

TYPED_TEST(LadderOn, KeepsTheAnalysisThatNobodyElseKeeps) {
  const typename TestFixture::Any m(*this->analysis);
  this->analysis.reset();

  EXPECT_EQ(this->solve(m, "auto", few_vectors()).result.status, Status::converged);
}

TYPED_TEST(LadderOn, KeepsTheMatrixThatAPreconditionerIsMadeFrom) {
  using T = typename TypeParam::T;
  std::optional<Csr<T>> copy = this->system.a;
  const typename TestFixture::Any m(this->space(), *copy);
  copy.reset();
  this->analysis.reset();

  EXPECT_EQ(this->solve(m).result.status, Status::converged);
}

TYPED_TEST(LadderOn, TakesNewValues) {
  typename TestFixture::Any m(*this->analysis);
  EXPECT_EQ(this->solve(m).result.status, Status::converged);
  for (auto& v : this->system.a.val) v *= -3;
  for (auto& v : this->system.b) v *= -3;
  this->SetUp();

  m.update_values(*this->analysis);

  EXPECT_EQ(this->solve(m).result.status, Status::converged);
}

TYPED_TEST(LadderOn, LimitsHoldOverAllRungs) {
  const typename TestFixture::Any m(*this->analysis);

  for (const int most : {1, 3}) {
    const SolveResult limited = this->solve(m, "auto", {.max_iterations = most}).result;
    EXPECT_EQ(limited.status, Status::iteration_limit) << most;
    EXPECT_NE(limited.reason.find("limit of " + std::to_string(most) + " iteration"), std::string::npos) << most;
  }
  int calls = 0;
  SolveOptions interrupted;
  interrupted.callback = [&](const Iteration&) { return ++calls < 2; };
  EXPECT_EQ(this->solve(m, "auto", interrupted).result.status, Status::interrupted);
}

TYPED_TEST(LadderOn, MakesNothingThatWouldBeReadyAfterTheTimeLimit) {
  const typename TestFixture::Any m(*this->analysis);
  const double limit = 0.5 * m.stronger_seconds();

  const SolveResult late = this->solve(m, "auto", {.time_limit = limit}).result;
  EXPECT_FALSE(mentions(late, "went on with " + next_factors<TypeParam>())) << late.message();

  std::vector<Refusal> refused;
  EXPECT_EQ(m.stronger({.seconds = limit}, refused), nullptr);
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused.back().why, Refusal::Why::no_time) << text_of(refused);
  EXPECT_NE(m.stronger({}, refused), nullptr);
  EXPECT_NE(m.stronger({.seconds = limit}, refused), nullptr) << "is made already";
}

/// Jacobi's place, with a stronger preconditioner that takes for ever to be made.
template <class Space, class T>
struct Endless : PreconditionerStep<Space, T> {
  const AnyPreconditioner<Space, T>& first;
  mutable std::atomic<int> begun = 0;

  explicit Endless(const AnyPreconditioner<Space, T>& m) : PreconditionerStep<Space, T>(m.space()), first(m) {}
  const PreconditionerBase<Space, T>* stronger(const StrongerOptions& options, std::vector<Refusal>&) const override {
    ++begun;
    while (!options.stop.is_made()) {
    }
    throw Stopped("endless was stopped");
  }
  double stronger_seconds() const override { return 1e-9; }
  void apply(Block<const T> r, Block<T> z) const override { first.apply(r, z); }
};

TYPED_TEST(LadderOn, LimitsHoldWhileAPreconditionerIsMade) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const typename TestFixture::Any none(*this->analysis, "jacobi");
  const Endless<Space, T> m(none);
  const auto b = this->put(this->system.b);
  const auto run = [&](SolveOptions options) {
    auto x = this->put(this->system.x0);
    SolveResult result = ostinato::solve(this->space(), *this->op, b.span(), x.span(), m, "gmres", options);
    return result;
  };

  const SolveResult late = run({.time_limit = 0.3});
  EXPECT_EQ(late.status, Status::time_limit) << late.message();
  EXPECT_EQ(late.reason.rfind("the limit of 0.3 s was reached", 0), 0u) << late.reason;

  int last = -1, again = 0;
  SolveOptions asked;
  asked.callback = [&](const Iteration& i) {
    again += i.number == last ? 1 : 0;
    last = i.number;
    return again < 2;
  };
  int before = m.begun;
  const SolveResult called = run(asked);
  EXPECT_EQ(m.begun, before + 1);
  EXPECT_TRUE(mentions(called, "was being made"));
  EXPECT_EQ(called.status, Status::interrupted) << called.message();
  EXPECT_EQ(called.reason.rfind("the callback ended the solve", 0), 0u) << called.reason;

  std::stop_source source;
  before = m.begun;
  std::jthread other([&] {
    while (m.begun == before) std::this_thread::yield();
    source.request_stop();
  });
  const SolveResult stopped = run({.stop = source.get_token()});
  EXPECT_EQ(stopped.status, Status::interrupted) << stopped.message();
  EXPECT_EQ(stopped.reason.rfind("a stop was requested", 0), 0u) << stopped.reason;
}

/// Of a list: z is a multiple of r in the first unknowns, which grows from call to call, and 0 in the others.
template <class Space, class T>
struct Listed : PreconditionerStep<Space, T> {
  std::string own_name;
  std::size_t unknowns;
  T growth;
  const Listed* next;
  mutable T multiple = T(0.5);

  Listed(const Space& space, std::string its_name, std::size_t first, T grows = 1, const Listed* then = nullptr)
      : PreconditionerStep<Space, T>(space),
        own_name(std::move(its_name)),
        unknowns(first),
        growth(grows),
        next(then) {}

  std::string name() const override { return own_name; }
  const Listed* stronger(const StrongerOptions&, std::vector<Refusal>&) const override { return next; }
  void apply(Block<const T> of_r, Block<T> of_z) const override {
    const std::span<const T> r = of_r.column(0);
    const std::span<T> z = of_z.column(0);
    this->space().zero(z.data(), z.size_bytes());
    scale<T>(this->space(), multiple, r.first(unknowns), z.first(unknowns));
    multiple *= growth;
  }
};

TYPED_TEST(LadderOn, NamesWhatWasGivenUpThoughItCameNoNearer) {
  using T = typename TypeParam::T;
  using Rung = Listed<typename TypeParam::Space, T>;
  const System<T> diagonal = with_known_solution(diagonal_matrix(std::vector<T>(60, T{2})));
  const Operator<typename TypeParam::Space, T> a(this->space(), diagonal.a);
  const Rung whole{this->space(), "whole", 60};
  const Rung growing{this->space(), "growing", 60, 10, &whole};
  const Rung half{this->space(), "half", 30, 1, &growing};
  const auto b = this->put(diagonal.b);
  auto x = this->put(diagonal.x0);

  const SolveResult result =
      ostinato::solve(this->space(), a, b.span(), x.span(), half, "gmres", {.rtol = TestFixture::goal});

  EXPECT_EQ(result.status, Status::converged) << result.message();
  ASSERT_EQ(result.stages.size(), 3u) << result.message();
  EXPECT_EQ(result.stages[0].text(), "gmres with half");
  EXPECT_EQ(result.stages[1].text(), "gmres with growing");
  EXPECT_EQ(result.stages[2].text(), "gmres with whole");
  EXPECT_EQ(result.preconditioner, "whole");
  const std::string at = "at iteration " + std::to_string(result.iterations - result.stages[2].iterations);
  EXPECT_TRUE(mentions(
      result, "gmres with growing ended as stagnated " + at + " (the recomputed residual no longer fell " + at));
}

/// Jacobi's place, which remembers what it is told when something stronger is asked for.
template <class Space, class T>
struct Told : PreconditionerStep<Space, T> {
  const AnyPreconditioner<Space, T>& first;
  double cost;  ///< of something stronger
  mutable double left = -1;

  Told(const AnyPreconditioner<Space, T>& m, double seconds)
      : PreconditionerStep<Space, T>(m.space()), first(m), cost(seconds) {}
  const PreconditionerBase<Space, T>* stronger(const StrongerOptions& options,
                                               std::vector<Refusal>& refused) const override {
    left = options.left;
    refused.push_back({Refusal::Why::refused, "there is none"});
    return nullptr;
  }
  double stronger_seconds() const override { return cost; }
  std::string name() const override { return first.name(); }
  std::size_t bytes() const override { return first.bytes(); }
  bool capturable() const override { return first.capturable(); }
  void apply(Block<const T> r, Block<T> z) const override { first.apply(r, z); }
};

TYPED_TEST(LadderOn, TellsHowLongASlowSolveWouldTake) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto left_of = [&](const System<T>& given, double cost, const std::string& solver = "auto") {
    const Operator<Space, T> a(this->space(), given.a);
    const typename TestFixture::Any first(this->space(), given.a, "none");
    const Told<Space, T> m(first, cost);
    const auto b = this->put(given.b);
    auto x = this->put(given.x0);
    ostinato::solve(this->space(), a, b.span(), x.span(), m, solver, {.rtol = 1e-4});
    return m.left;
  };
  EXPECT_GT(left_of(with_known_solution(generate<T>("poisson2d", {.n = 60})), 1e-9), 1e-9);
  EXPECT_EQ(left_of({dense<T>({{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}), {1, 1, 1}}, 1e9, "gmres"), 0)
      << "it failed, and wasn't slow";
}

/// On a GPU below 20,000 rows, from Jacobi, with which dominant rows begin.
TYPED_TEST(LadderOn, GoesFromJacobiToFsaiOnAGpuWhereTheSolveIsLong) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  Csr<T> a = generate<T>("mesh2d", {.n = 130});
  const T largest = *std::max_element(a.val.begin(), a.val.end());
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      if (a.col[k] == i) a.val[k] = 2 * largest;
  }
  const Analysis<Space, T> mesh(this->space(), a);
  const auto next = [&](double left) {
    const typename TestFixture::Any first(mesh);
    std::vector<Refusal> refused;
    const auto* m = first.stronger({.left = left}, refused);
    EXPECT_NE(m, nullptr) << text_of(refused);
    return m == nullptr ? "" : m->name();
  };
  EXPECT_EQ(next(0), "cholesky");
  EXPECT_EQ(next(10), Space::has_streams ? "fsai" : "cholesky");
  if (!Space::has_streams) return;
  const typename TestFixture::Any first(mesh);
  std::vector<Refusal> refused;
  EXPECT_EQ(first.stronger({.left = 10}, refused)->stronger({.left = 10}, refused)->name(), "cholesky")
      << "not chebyshev";
}

TYPED_TEST(LadderOn, StopsWhatIsBeingMade) {
  const typename TestFixture::Any m(*this->analysis);
  std::vector<Refusal> refused;

  EXPECT_THROW((typename TestFixture::Any(*this->analysis, "ilut", AtOnce())), Stopped);
  EXPECT_THROW((typename TestFixture::Any(*this->analysis, "lu", AtOnce())), Stopped);
  const typename TestFixture::Any* last = &m;  // ilu0 of so small a matrix is there before the first look
  const auto climb = [&] {
    while (last != nullptr) last = last->stronger({.stop = AtOnce()}, refused);
  };
  EXPECT_THROW(climb(), Stopped);
  EXPECT_NE(last->stronger({}, refused), nullptr) << "the object is as before";
}

TYPED_TEST(LadderOn, StopsFsaiAndAlgebraicMultigrid) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("mesh2d", {.n = 40});
  const Analysis<typename TypeParam::Space, T> of_mesh(this->space(), a);
  for (const char* name : {"fsai", "fsai:pattern=adaptive", "multigrid", "multigrid:kind=classical,aggressive=1",
                           "multigrid:kind=aggregation", "multigrid:kind=pairwise", "multigrid:kind=plain"})
    EXPECT_THROW((typename TestFixture::Any(of_mesh, name, AtOnce())), Stopped) << name;
}

/// Asks for an end at a look that comes after some others.
struct AtLook {
  std::shared_ptr<int> left;
  bool stop_requested() const { return --*left < 0; }
};

TYPED_TEST(LadderOn, LooksForAStopSeveralTimesALevel) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("mesh2d", {.n = 40});
  const Analysis<typename TypeParam::Space, T> of_mesh(this->space(), a);
  const auto looks = std::make_shared<int>(1000000);
  const typename TestFixture::Any m(of_mesh, "multigrid:kind=classical", AtLook{looks});
  const int made = 1000000 - *looks, levels = static_cast<int>(m.levels().size());
  EXPECT_GE(made, 4 * (levels - 1));
  for (int after = 0; after < made; ++after) {
    *looks = after;
    EXPECT_THROW((typename TestFixture::Any(of_mesh, "multigrid:kind=classical", AtLook{looks})), Stopped) << after;
  }
}

/// Climbs as far as it goes, and returns the names and what was refused.
template <class Any>
std::pair<std::string, std::vector<Refusal>> climbed(const Any& first) {
  std::string names;
  std::vector<Refusal> refused;
  for (const Any* m = &first; m != nullptr; m = m->stronger({}, refused)) names += m->name() + " ";
  return {names, refused};
}

TYPED_TEST(LadderOn, MakesNoCompleteFactorsOfAMatrixWithAnEmptyRowOrColumn) {
  using T = typename TypeParam::T;
  const auto without = [](Index row, Index col) {
    const Csr<T> a = hard_matrix<T>(300);
    std::vector<Triplet<T>> t;
    for (Index i = 0; i < a.rows; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
        if (i != row && a.col[k] != col) t.push_back({i, a.col[k], a.val[k]});
      }
    }
    return from_triplets<T>(a.rows, a.rows, t);
  };
  for (const auto& [row, col, what] : {std::tuple{-1, -1, ""}, {5, -1, "1 row has"}, {-1, 7, "1 column has"}}) {
    const Csr<T> a = without(row, col);
    const Analysis<typename TypeParam::Space, T> of_a(this->space(), a);
    const auto [names, refused] = climbed(typename TestFixture::Any(of_a));
    EXPECT_NE(names.find("ilut "), std::string::npos) << names;
    EXPECT_EQ(names.find(" lu ") == std::string::npos, std::string(what) != "") << names << what;
    if (std::string(what).empty()) continue;
    ASSERT_FALSE(refused.empty());
    EXPECT_EQ(refused.back().why, Refusal::Why::singular);
    EXPECT_EQ(refused.back().text, "lu: A is singular, because " + std::string(what) + " no entry");
  }
}

TYPED_TEST(LadderOn, AnUnsymmetricPreconditionerIsForMethodsThatTakeIt) {
  using T = typename TypeParam::T;
  this->system = with_known_solution(generate<T>("variable2d", {.n = 20}));
  this->SetUp();

  const auto solved = this->solve(typename TestFixture::Any(*this->analysis, "ilut"));

  EXPECT_EQ(solved.result.solver, "gmres");
  EXPECT_EQ(solved.result.status, Status::converged);
}

/// On a GPU plain aggregation is tried first. Where it is poor, what takes longer to make comes later.
TYPED_TEST(LadderOn, TriesPlainAggregationOnAGpu) {
  using T = typename TypeParam::T;
  using M = typename TestFixture::Any;
  if (!TypeParam::Space::has_streams) GTEST_SKIP() << "for GPUs";
  std::vector<Refusal> refused;
  const auto mesh = generate<T>("mesh2d", {.n = 150});
  const Analysis<typename TypeParam::Space, T> of_mesh(this->space(), mesh);
  const M m(of_mesh, "auto");
  const M* const made = m.stronger({.left = 1}, refused);
  ASSERT_NE(made, nullptr) << text_of(refused);
  EXPECT_TRUE(made->varies());

  // Half of the rows and less: by its signs, plain aggregation might be good.
  const auto stiff = beside(generate<T>("elasticity3d", {.n = 20}), generate<T>("mesh2d", {.n = 165}));
  const Analysis<typename TypeParam::Space, T> of_stiff(this->space(), stiff);
  M n(of_stiff, "auto");
  const double first = n.stronger_seconds();
  EXPECT_EQ(n.stronger({.left = 0.05}, refused), nullptr);
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused.back().why, Refusal::Why::poor) << text_of(refused);
  EXPECT_GT(n.stronger_seconds(), first);
  n.update_values(of_stiff);
  EXPECT_EQ(n.stronger_seconds(), first);
  EXPECT_EQ(n.stronger({.left = 0.05}, refused), nullptr);
  const M* const later = n.stronger({.left = 1}, refused);
  ASSERT_NE(later, nullptr) << text_of(refused);
  EXPECT_FALSE(later->varies());
}

/// On a GPU CG's Ritz values tell that there are many iterations, long before the residual does. After fsai they aren't
/// asked.
TYPED_TEST(LadderOn, LeavesAPreconditionerByRitzValuesOnAGpu) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  if (!Space::has_streams || is_single<T>) GTEST_SKIP() << "for GPUs and small residuals";
  auto given = with_known_solution(generate<T>("mesh2d", {.n = 500}));
  Random random(7);
  for (T& v : given.b) v = static_cast<T>(signed_unit(random));  // with as much of small eigenvalues as of large ones
  const Operator<Space, T> a(this->space(), given.a);
  const auto b = this->put(given.b);
  for (const bool is_fsai : {false, true}) {
    const typename TestFixture::Any first(this->space(), given.a, is_fsai ? "fsai" : "jacobi");
    const auto run = [&](double cost) {
      auto x = this->put(given.x0);
      const Told<Space, T> m(first, cost);
      return ostinato::solve(this->space(), a, b.span(), x.span(), m, "auto", {.rtol = 1e-8});
    };
    const SolveResult alone = run(1e9);
    ASSERT_GT(alone.iterations, is_fsai ? 500 : 1000);
    const auto seconds = iteration_seconds<Space, T>(this->space(), detail::as_map<Space, T>(this->space(), a),
                                                     Told<Space, T>(first, 0), *find_solver("cg"), {});

    const SolveResult watched = run((is_fsai ? 100 : 200) * seconds);

    EXPECT_EQ(watched.status, Status::converged);
    EXPECT_EQ(mentions(watched, "by its Ritz values"), !is_fsai) << watched.message();
  }
}

TYPED_TEST(LadderOn, LeavesOutPlainAggregationOnStiffnessMatrices) {
  using T = typename TypeParam::T;
  using M = typename TestFixture::Any;
  if (!TypeParam::Space::has_streams) GTEST_SKIP() << "for GPUs";
  const auto stiff = generate<T>("elasticity3d", {.n = 20});
  const Analysis<typename TypeParam::Space, T> of_stiff(this->space(), stiff);
  M m(of_stiff, "auto");
  EXPECT_GT(m.stronger_seconds(), 15e-3) << "the time of classical multigrid";
  std::vector<Refusal> refused;
  const M* const made = m.stronger({.left = 1}, refused);
  ASSERT_NE(made, nullptr) << text_of(refused);
  EXPECT_FALSE(made->varies());
  for (const Refusal& one : refused) EXPECT_NE(one.why, Refusal::Why::poor) << one.text;

  Csr<T> negative = stiff;
  for (Index i = 0; i < negative.rows; ++i) {
    for (Offset k = negative.row_ptr[i]; k < negative.row_ptr[i + 1]; ++k)
      if (negative.col[k] != i) negative.val[k] = -std::abs(negative.val[k]);
  }
  const Analysis<typename TypeParam::Space, T> of_negative(this->space(), negative);
  m.update_values(of_negative);
  EXPECT_LT(m.stronger_seconds(), 15e-3) << "the time of plain aggregation";
}

TYPED_TEST(LadderOn, EasySystemsClimbNothing) {
  using T = typename TypeParam::T;
  this->system = with_known_solution(generate<T>("variable2d", {.n = 30}));
  this->SetUp();

  const auto solved = this->solve(typename TestFixture::Any(*this->analysis));

  EXPECT_EQ(solved.result.status, Status::converged);
  EXPECT_FALSE(mentions(solved.result, "went on")) << solved.result.message();
  EXPECT_EQ(solved.result.stages.size(), 1u);
}

/// All square matrices that are small enough for a test, but for those that no method is known for.
TEST(Ladder, ConvergesOnSharedMatricesSlow) {
  if (const std::string why = why_no_shared_matrices(); !why.empty()) GTEST_SKIP() << why;
  const Host space;
  int all = 0, solved = 0;
  std::string failed;
  for (const SharedMatrixEntry& e : shared_matrices([](const auto& m) { return m.square() && m.rows <= 10000; })) {
    SCOPED_TRACE(e.name);
    const auto a = canonical(read<double>(e).view());
    System<double> system{a, {}};
    system.b.resize(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < system.b.size(); ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        system.b[i] += a.val[k];
    }
    system.x0.assign(system.b.size(), 0);
    const Analysis<Host, double> analysis(space, system.a);
    const Operator<Host, double> op(analysis);
    Solved<double> result{{}, system.x0};
    result.result = solve(space, op, std::span<const double>(system.b), std::span<double>(result.x),
                          AnyPreconditioner<Host, double>(analysis));
    expect_honest(result, system, {});
    ++all;
    solved += static_cast<bool>(result.result);
    if (!result.result) failed += " " + e.name;
  }
  EXPECT_GE(all, 90);
  EXPECT_GE(solved, all - 3) << failed;
}

TEST(Ladder, BeginsWithFactorsWhereASymmetricMatrixLacksItsDiagonal) {
  constexpr Index half = 200;
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < half; ++i) {
    t.push_back({i, i, 1e-3 * (1 + i % 7)});
    for (const Index j : {i, (i * 3 + 1) % half, (i * 7 + 5) % half}) {
      t.push_back({i, half + j, 1.0 + i % 5});
      t.push_back({half + j, i, 1.0 + i % 5});
    }
  }
  const Host space;
  const System<double> system = with_known_solution(from_triplets<double>(2 * half, 2 * half, t));
  std::vector<double> x(system.b.size());

  LinearSolver solver(space, system.a);

  const SolveResult result = solver.solve(system.b, x);

  EXPECT_EQ(result.status, Status::converged) << result.message();
  ASSERT_GT(result.stages.size(), 1u);
  EXPECT_EQ(result.stages.front().iterations, 0) << result.stages.front().text();
  EXPECT_LE(exact_residual(system.a.view(), x, system.b).relative, 1e-8 * (1 + 1e-6));
}

}  // namespace
}  // namespace ostinato::test

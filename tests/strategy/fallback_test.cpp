// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/step.hpp>

#include "support/failing_operator.hpp"
#include "support/grids.hpp"
#include "support/solving.hpp"

// A preconditioner that turns out slow, and the fallback that it offers to solve().

namespace ostinato::test {
namespace {

/// A diagonal whose sizes differ by 1e6: bad, but symmetric and positive. It offers complete factors instead, with
/// which an iteration is enough: they win, whatever time that takes.
template <class Space, class T>
struct Scattered : PreconditionerStep<Space, T> {
  using Base = PreconditionerBase<Space, T>;
  Vector<Space, T> sizes;
  std::optional<detail::AdaptedPreconditioner<Space, T, const Lu<Space, T>&>> instead;
  double predicted = 0;  ///< time of an application

  Scattered(const Space& on, Index rows, const Lu<Space, T>* other) : PreconditionerStep<Space, T>(on) {
    if (other != nullptr) instead.emplace(on, *other);
    std::vector<T> v = random_vector<T>(rows, 5);
    for (T& s : v) s = static_cast<T>(std::pow(1000.0, static_cast<double>(s)));
    sizes = Vector<Space, T>(on, std::span<const T>(v));
  }
  std::string name() const override { return "scattered"; }
  double seconds() const override { return predicted; }
  const Base* fallback() const override { return instead ? &*instead : nullptr; }
  void apply(Block<const T> r, Block<T> z) const override {
    multiply<T>(this->space(), sizes, r.column(0), z.column(0));
  }
};

/// Jacobi with a bad fallback.
template <class Space, class T>
struct Guarded : PreconditionerStep<Space, T> {
  const Jacobi<Space, T>& good;
  const Scattered<Space, T>& bad;

  Guarded(const Jacobi<Space, T>& first, const Scattered<Space, T>& other)
      : PreconditionerStep<Space, T>(other.space()), good(first), bad(other) {}
  const PreconditionerBase<Space, T>* fallback() const override { return &bad; }
  void apply(Block<const T> r, Block<T> z) const override { good.apply(r.column(0), z.column(0)); }
};

/// Jacobi that becomes the bad one after some applications.
template <class Space, class T>
struct Turning : PreconditionerStep<Space, T> {
  const Jacobi<Space, T>& good;
  const Scattered<Space, T>& bad;
  mutable int left;

  Turning(const Jacobi<Space, T>& first, const Scattered<Space, T>& other, int applications)
      : PreconditionerStep<Space, T>(other.space()), good(first), bad(other), left(applications) {}
  const PreconditionerBase<Space, T>* fallback() const override { return &bad; }
  void apply(Block<const T> r, Block<T> z) const override {
    if (left-- > 0) {
      good.apply(r.column(0), z.column(0));
    } else {
      multiply<T>(bad.space(), bad.sizes, r.column(0), z.column(0));
    }
  }
};

constexpr double slow = 1e-2;  ///< seconds of an application, far more than any other takes

bool has_note(const SolveResult& r, const std::string& text) {
  for (const std::string& note : r.notes) {
    if (note.find(text) != std::string::npos) return true;
  }
  return false;
}

template <class Case>
class FallbackOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;
  System<Value> system;
  std::optional<Analysis<Home, Value>> analysis;
  std::optional<Operator<Home, Value>> op;
  std::optional<Jacobi<Home, Value>> jacobi;
  std::optional<Lu<Home, Value>> lu;

  void SetUp() override {
    SpaceTest<Case>::SetUp();
    if (!this->IsSkipped()) pose(generate<Value>("variable2d", {.n = 40}));
  }

  /// Makes A the matrix of the test.
  void pose(const Csr<Value>& a) {
    system = with_known_solution(a);
    analysis.emplace(this->space(), system.a);
    op.emplace(*analysis);
    jacobi.emplace(*analysis);
    lu.emplace(*analysis);
  }

  template <class M>
  SolveResult solve(const M& m, const std::string& solver, SolveOptions options = {.rtol = 1e-4}) {
    options.check_every = 1;
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    Solved<Value> solved{ostinato::solve(this->space(), *op, b, x, m, solver, options), {}};
    solved.x = x.download();
    expect_honest(solved, system, options);
    return solved.result;
  }
};

TYPED_TEST_SUITE(FallbackOn, EverySpace, SpaceNames);

TYPED_TEST(FallbackOn, TakesThePlaceOfAPoorPreconditioner) {
  const Scattered m(this->space(), this->system.a.rows, &*this->lu);
  Scattered alone(this->space(), this->system.a.rows, &*this->lu);
  alone.instead.reset();
  for (const char* solver : {"cg", "auto", "bicgstab"}) {
    int last = 0;
    SolveOptions options{.rtol = 1e-4};
    options.callback = [&](const Iteration& i) {
      EXPECT_GT(i.number, last);
      last = i.number;
      return true;
    };
    const SolveResult r = this->solve(m, solver, options);

    EXPECT_EQ(r.status, Status::converged) << r.message();
    EXPECT_TRUE(has_note(r, "went on with lu")) << solver;
    ASSERT_EQ(r.stages.size(), 2u) << solver;
    EXPECT_EQ(r.stages[0].preconditioner, "scattered") << solver;
    EXPECT_EQ(r.stages[1].preconditioner, "lu") << solver;
    EXPECT_EQ(r.preconditioner, "lu") << solver;
    EXPECT_LT(r.stages[0].iterations, r.iterations) << solver;
    EXPECT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
    EXPECT_LT(r.iterations, this->solve(alone, solver, {.rtol = 1e-4}).iterations);
    EXPECT_EQ(last, r.iterations);
  }
}

TYPED_TEST(FallbackOn, PassesOnThatTheDeviceIsLost) {
  const Scattered m(this->space(), this->system.a.rows, &*this->lu);
  const auto b = this->put(this->system.b);
  const auto solve = [&](const auto& lost) {
    auto x = this->put(this->system.x0);
    ostinato::solve(this->space(), lost, b, x, m, "cg", {.rtol = 1e-4, .check_every = 1});
  };

  EXPECT_GE(count_passed_on(*this->op, solve), 10);
}

TYPED_TEST(FallbackOn, IsGivenUpWhereItIsWorse) {
  Scattered<typename TypeParam::Space, typename TypeParam::T> bad(this->space(), this->system.a.rows, nullptr);
  bad.predicted = slow;
  const Guarded<typename TypeParam::Space, typename TypeParam::T> m(*this->jacobi, bad);

  const SolveResult r = this->solve(m, "cg", {.rtol = 1e-5});

  EXPECT_EQ(r.status, Status::converged);
  EXPECT_TRUE(has_note(r, "scattered was slower, went on with the preconditioner"));
  EXPECT_FALSE(has_note(r, "went on with scattered"));
  EXPECT_EQ(r.preconditioner, "the preconditioner");
  ASSERT_EQ(r.stages.size() % 2, 1u) << "each trial begins and ends";
  ASSERT_GE(r.stages.size(), 3u);
  EXPECT_GE(r.stages[0].iterations, 1);
  for (std::size_t k = 0; k < r.stages.size(); ++k)
    EXPECT_EQ(r.stages[k].preconditioner, k % 2 != 0 ? "scattered" : "the preconditioner") << k;
}

/// z = -r, with which CG breaks down at once.
template <class Space, class T>
struct Negative : PreconditionerBase<Space, T> {
  using PreconditionerBase<Space, T>::PreconditionerBase;
  std::string name() const override { return "negative"; }
  void apply(Block<const T> r, Block<T> z) const override { scale<T>(this->space(), T{-1}, r.column(0), z.column(0)); }
};

template <class Space, class T>
struct SlowWithNegative : Scattered<Space, T> {
  Negative<Space, T> other;
  SlowWithNegative(const Space& on, Index rows) : Scattered<Space, T>(on, rows, nullptr), other(on) {}
  const PreconditionerBase<Space, T>* fallback() const override { return &other; }
};

TYPED_TEST(FallbackOn, IsNamedWhereAnotherMethodGoesBack) {
  const SlowWithNegative<typename TypeParam::Space, typename TypeParam::T> m(this->space(), this->system.a.rows);

  const SolveResult r = this->solve(m, "auto", {.rtol = 1e-4, .max_iterations = 300});

  ASSERT_GE(r.stages.size(), 3u) << r.message();
  EXPECT_EQ(r.stages[0].text(), "cg with scattered");
  EXPECT_EQ(r.stages[1].text(), "cg with negative");
  EXPECT_EQ(r.stages[2].text(), "minres with scattered");
}

TYPED_TEST(FallbackOn, EndsNoFartherThanWhereTheTrialBegan) {
  using T = typename TypeParam::T;
  Scattered<typename TypeParam::Space, T> bad(this->space(), this->system.a.rows, nullptr);
  bad.predicted = slow;
  const double before = this->solve(*this->jacobi, "bicgstab", {.rtol = 1e-12, .max_iterations = 21}).relative_residual;
  int gone_on = 0;
  for (const int most : {30, 40, 50, 60, 70}) {
    const Turning<typename TypeParam::Space, T> m(*this->jacobi, bad, 46);
    const SolveResult r = this->solve(m, "bicgstab", {.rtol = 1e-12, .max_iterations = most});
    gone_on += has_note(r, "went on with the preconditioner") ? 1 : 0;
    EXPECT_EQ(r.status, Status::iteration_limit) << most;
    EXPECT_EQ(r.reason, "the limit of " + std::to_string(most) + " iterations was reached");
    if (!TypeParam::Space::has_streams) {  // a GPU has done some more iterations by the time that it is stopped
      EXPECT_LE(r.relative_residual, before * 1.0001) << most;
    }
  }
  EXPECT_GT(gone_on, 0) << "nothing was tested";
}

TYPED_TEST(FallbackOn, KeepsTheLimits) {
  const Scattered m(this->space(), this->system.a.rows, &*this->lu);
  for (const int most : {0, 1, 5, 6, 7, 8, 12}) {
    const SolveResult r = this->solve(m, "cg", {.rtol = 1e-12, .max_iterations = most});
    EXPECT_EQ(r.status, Status::iteration_limit) << most;
    EXPECT_EQ(r.iterations, most);
  }
  EXPECT_EQ(this->solve(m, "cg", {.rtol = 0, .time_limit = 1e-9}).status, Status::time_limit);
  for (const int stop : {3, 7, 20}) {
    SolveOptions options{.rtol = 1e-4};
    options.callback = [=](const Iteration& i) { return i.number < stop; };
    const SolveResult r = this->solve(m, "cg", options);
    EXPECT_EQ(r.status, Status::interrupted) << stop;
    EXPECT_GE(r.iterations, stop);  // a GPU has done some more by then
  }
}

TYPED_TEST(FallbackOn, IsNotAskedWhileThePreconditionerIsFast) {
  using T = typename TypeParam::T;
  this->pose(generate<T>("variable2d", {.n = 120}));
  const AnyPreconditioner chosen(*this->analysis, "auto"), named(*this->analysis, "multigrid");
  ASSERT_EQ(chosen.name(), "multigrid");
  ASSERT_NE(chosen.fallback(), nullptr);
  EXPECT_EQ(chosen.fallback()->name(), "jacobi");
  EXPECT_EQ(named.fallback(), nullptr) << "asked for by name";

  const SolveResult r = this->solve(chosen, "cg");

  EXPECT_TRUE(r) << r.message();
  EXPECT_FALSE(has_note(r, "went on"));
  EXPECT_EQ(r.history, this->solve(named, "cg").history);
}

/// Diffusion through cells whose coefficients differ at random by up to 1e6.
Coupling cells(const Extents& e) {
  const std::vector<double> random = random_vector<double>(static_cast<Index>(e.points()), 1);
  const auto cell = [=](Index x, Index y) { return std::pow(1000.0, random[e.number(x, y, 0)]); };
  return [=, star = laplacian(e, true)](Index x, Index y, Index z, int dx, int dy, int dz) {
    if (star(x, y, z, dx, dy, dz) == 0) return 0.0;
    const double own = cell(x, y), other = e.contains(x + dx, y + dy, 0) ? cell(x + dx, y + dy) : own;
    return 2 * own * other / (own + other);
  };
}

// A cycle shrinks a random error there, but not all that follow.
TYPED_TEST(FallbackOn, IsTriedWhereMultigridIsPoor) {
  using T = typename TypeParam::T;
  const Extents e{120, 120};
  this->pose(grid_matrix<T>(e, cells(e)));
  const AnyPreconditioner chosen(*this->analysis, "auto"), named(*this->analysis, "multigrid");
  ASSERT_EQ(chosen.name(), "multigrid") << chosen.reason();

  const SolveResult r = this->solve(chosen, "cg"), alone = this->solve(named, "cg");

  EXPECT_TRUE(r) << r.message();
  EXPECT_TRUE(has_note(r, "multigrid left 0."));
  EXPECT_FALSE(has_note(alone, "multigrid left"));
}

// A tolerance that a slow method reaches soon after the first look.
TYPED_TEST(FallbackOn, IsNotTriedCloseToTheAbsoluteTolerance) {
  const Scattered m(this->space(), this->system.a.rows, &*this->lu);
  Scattered alone(this->space(), this->system.a.rows, &*this->lu);
  alone.instead.reset();
  const SolveResult start = this->solve(alone, "cg", {.rtol = 1e-12, .max_iterations = 21});
  const double close = start.residual * 0.9;

  const SolveResult r = this->solve(m, "cg", {.rtol = 0, .atol = close});

  EXPECT_EQ(r.status, Status::converged) << r.message();
  EXPECT_FALSE(has_note(r, "went on with"));
}

}  // namespace
}  // namespace ostinato::test

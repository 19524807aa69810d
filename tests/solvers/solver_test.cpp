// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/solver.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/preconditioners/function_preconditioner.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/spmv/function_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/solve.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "support/exact_residual.hpp"
#include "support/solving.hpp"

// How solvers are called: every kind of A and M by every kind of call, and from several threads.

namespace ostinato::test {
namespace {

template <class Case>
class SolverCalls : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  /// Solves from 0 by call(b, x) and expects convergence, judged here.
  template <class Call>
  std::vector<Value> expect_solved(const System<Value>& system, Call call) const {
    const auto b = this->put(system.b);
    auto x = this->put(std::vector<Value>(system.b.size()));
    const SolveResult result = call(b, x);
    const std::vector<Value> found = x.download();
    EXPECT_TRUE(result) << result.message();
    EXPECT_LE(exact_residual(system.a.view(), found, system.b).relative, 1.001e-4);
    return found;
  }

  /// All calls with this A and M.
  template <class A, class M>
  void expect_every_call(const System<Value>& system, const A& a, const M& m) const {
    const SolveOptions options{.rtol = 1e-4};
    const auto& space = this->space();
    const auto x = expect_solved(system, [&](const auto& b, auto& to) { return cg(space, a, b, to, m, options); });
    expect_solved(system, [&](const auto& b, auto& to) { return gmres(space, a, b, to, m, {.rtol = 1e-4}); });
    EXPECT_EQ(x,
              expect_solved(system, [&](const auto& b, auto& to) { return solve(space, a, b, to, m, "cg", options); }));
    expect_solved(system, [&](const auto& b, auto& to) { return solve(space, a, b, to, m, options); });
    expect_solved(system, [&](const auto& b, auto& to) { return solve(space, a, b, to, m, {.rtol = 1e-4}); });
    const auto plain = expect_solved(system, [&](const auto& b, auto& to) { return cg(space, a, b, to, options); });
    EXPECT_EQ(plain, expect_solved(system, [&](const auto& b, auto& to) {
                return solve(space, a, b, to, Identity{}, std::string("cg"), {.rtol = 1e-4});
              }));
    expect_solved(system, [&](const auto& b, auto& to) { return solve(space, a, b, to, "cg", {.rtol = 1e-4}); });
    expect_solved(system, [&](const auto& b, auto& to) { return solve(space, a, b, to, {.rtol = 1e-4}); });
    expect_solved(system, [&](const auto& b, auto& to) { return minres(space, a, b, to, {.rtol = 1e-4}); });
    if constexpr (sizeof(Value) == 8) {
      expect_solved(system, [&](const auto& b, auto& to) { return solve(space, a, b, to); });
      expect_solved(system, [&](const auto& b, auto& to) { return solve(space, a, b, to, m); });
    }
  }
};

TYPED_TEST_SUITE(SolverCalls, EverySpace, SpaceNames);

TYPED_TEST(SolverCalls, TakeEveryKindOfOperatorAndPreconditioner) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("variable2d", {.n = 15}));
  const Operator op(this->space(), system.a);
  const Jacobi jacobi(this->space(), system.a);
  const AnyPreconditioner any(this->space(), system.a, "jacobi"), none(this->space(), system.a.view(), "none");
  const auto function = make_operator<T>(this->space(), op.rows(),
                                         [&op](std::span<const T> x, std::span<T> y) { op.apply(T{1}, x, T{0}, y); });
  const auto divide = make_preconditioner([&jacobi](std::span<const T> r, std::span<T> z) { jacobi.apply(r, z); });

  this->expect_every_call(system, op, jacobi);
  this->expect_every_call(system, op, any);
  this->expect_every_call(system, op, none);
  this->expect_every_call(system, op, divide);
  this->expect_every_call(system, function, jacobi);
  this->expect_every_call(system, function, any);
  this->expect_every_call(system, function, divide);
}

TYPED_TEST(SolverCalls, AFunctionHasTheWholeOfApply) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 2}, {0, 3}});
  const Operator op(this->space(), a);
  const auto function =
      make_operator<T>(this->space(), 2, [&op](std::span<const T> x, std::span<T> y) { op.apply(T{1}, x, T{0}, y); });
  const auto x = this->put(std::vector<T>{1, 10});
  for (const T alpha : {T{1}, T{-2}}) {
    auto y = this->put(std::vector<T>(2, std::numeric_limits<T>::quiet_NaN()));
    function.apply(alpha, x, T{0}, y);
    EXPECT_EQ(y.download(), (std::vector<T>{21 * alpha, 30 * alpha}));
    y = this->put(std::vector<T>{5, 7});
    function.apply(alpha, x, T{3}, y);
    EXPECT_EQ(y.download(), (std::vector<T>{21 * alpha + 15, 30 * alpha + 21}));
  }
}

TYPED_TEST(SolverCalls, AFunctionIsNotCalledForVectorsOfAnotherLength) {
  using T = typename TypeParam::T;
  bool called = false;
  const auto function =
      make_operator<T>(this->space(), 3, [&called](std::span<const T>, std::span<T>) { called = true; });
  const auto x = this->put(std::vector<T>(3));
  auto y = this->put(std::vector<T>(2));

  EXPECT_THROW(function.apply(T{1}, x, T{0}, y), DimensionError);
  EXPECT_FALSE(called);
}

TYPED_TEST(SolverCalls, NoPreconditionerIsTheIdentity) {
  using T = typename TypeParam::T;
  const AnyPreconditioner none(this->space(), dense<T>({{2, 0}, {0, 4}}), "none");
  const auto r = this->put(std::vector<T>{3, 5});
  auto z = this->put(std::vector<T>(2));
  none.apply(r, z);
  EXPECT_EQ(z.download(), (std::vector<T>{3, 5}));
}

// The callback of iteration 3 waits until the other thread has made its request, so that the test doesn't depend on
// times.
TYPED_TEST(SolverCalls, EndWhenAnotherThreadRequestsAStop) {
  using T = typename TypeParam::T;
  const auto symmetric = with_known_solution(generate<T>("variable2d", {.n = 40}));
  const auto general = with_known_solution(generate<T>("convection-diffusion2d", {.n = 40}));
  std::vector<std::string> names{"auto"};
  for (const SolverInfo& info : solver_infos) {
    if (!info.needs_transpose) names.emplace_back(info.name);  // the operators have no transpose
  }
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const System<T>& system = name == "cg" || name == "minres" ? symmetric : general;
    const Operator op(this->space(), system.a);
    std::stop_source source;
    std::atomic<bool> under_way = false;
    std::jthread other([&] {
      under_way.wait(false);
      source.request_stop();
    });
    SolveOptions options{.rtol = 0, .check_every = 1, .stop = source.get_token()};
    options.callback = [&](const Iteration& now) {
      if (now.number < 3) return true;
      under_way = true;
      under_way.notify_one();
      while (!source.stop_requested()) std::this_thread::yield();
      return true;
    };
    const auto b = this->put(system.b);
    auto x = this->put(std::vector<T>(system.b.size()));

    const SolveResult result = solve(this->space(), op, b, x, name, options);

    under_way = true;
    under_way.notify_one();
    EXPECT_EQ(result.status, Status::interrupted) << result.message();
    EXPECT_GT(result.iterations, 3);
    // The residual of idr may have been above that of the guess so far.
    EXPECT_EQ(x.download() == std::vector<T>(system.b.size()), result.relative_residual == 1);
    EXPECT_NEAR(exact_residual(system.a.view(), x.download(), system.b).relative, result.relative_residual,
                1e-3 * result.relative_residual);
  }
}

TYPED_TEST(SolverCalls, EndAtOnceWhenTheStopWasRequestedBefore) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 60}));
  const Operator op(this->space(), system.a);
  std::stop_source source;
  source.request_stop();
  const auto b = this->put(system.b);
  auto x = this->put(std::vector<T>(system.b.size()));

  const SolveResult result = cg(this->space(), op, b, x, {.rtol = 1e-6, .check_every = 1, .stop = source.get_token()});

  EXPECT_EQ(result.status, Status::interrupted);
  EXPECT_LE(result.iterations, 8);
}

TEST(SolverThreads, GiveTheSameBitsAsOneThread) {
  const auto system = with_known_solution(generate<double>("variable2d", {.n = 60}));
  const Host space;
  const Operator op(space, system.a);
  const Jacobi m(space, system.a);
  const auto solved = [&](int k) {
    std::vector<double> x(system.b.size());
    const SolveResult result = k % 2 == 0 ? cg(space, op, system.b, x, m) : solve(space, op, system.b, x, m, "gmres");
    EXPECT_TRUE(result) << result.message();
    return x;
  };
  const std::vector<double> alone[2] = {solved(0), solved(1)};
  std::vector<std::vector<double>> found(4);
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 4; ++k) threads.emplace_back([&, k] { found[static_cast<std::size_t>(k)] = solved(k); });
  }
  for (int k = 0; k < 4; ++k) EXPECT_EQ(found[static_cast<std::size_t>(k)], alone[k % 2]) << k;
}

}  // namespace
}  // namespace ostinato::test

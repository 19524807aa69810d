// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

#include "support/solving.hpp"

// What a callback, an operator or a preconditioner throws reaches the caller, and leaves an x of the caller's system:
// finite and in the caller's scale.

namespace ostinato::test {
namespace {

struct Thrown : std::runtime_error {
  Thrown() : runtime_error("thrown on purpose") {}
};

/// Counts calls, and throws at call number `at`, counted from 1.
class Fuse {
 public:
  explicit Fuse(int at) : at_(at) {}
  void count() {
    if (++calls_ == at_) throw Thrown();
  }
  int calls() const { return calls_; }

 private:
  int at_, calls_ = 0;
};

constexpr int never = std::numeric_limits<int>::max();

template <class Op>
class Throwing {
 public:
  using value_type = typename Op::value_type;
  Throwing(const Op& op, Fuse& fuse) : op_(op), fuse_(fuse) {}
  auto rows() const { return op_.rows(); }
  auto cols() const { return op_.cols(); }
  const Facts& facts() const { return op_.structure(); }
  void apply(value_type alpha, std::span<const value_type> x, value_type beta, std::span<value_type> y) const {
    fuse_.count();
    op_.apply(alpha, x, beta, y);
  }

 private:
  const Op& op_;
  Fuse& fuse_;
};

template <class M, class T>
class ThrowingPreconditioner {
 public:
  ThrowingPreconditioner(const M& m, Fuse& fuse) : m_(m), fuse_(fuse) {}
  void apply(std::span<const T> r, std::span<T> z) const {
    fuse_.count();
    m_.apply(r, z);
  }

 private:
  const M& m_;
  Fuse& fuse_;
};

/// A system whose matrix is so small or so large that the solvers scale it, and a guess.
template <class T>
System<T> out_of_scale(double size) {
  auto system = with_known_solution(generate<T>("poisson2d", {.n = 20}));
  system.x0 = random_vector<T>(400, 4);
  for (T& v : system.a.val) v *= static_cast<T>(size);
  for (T& v : system.x0) v /= static_cast<T>(size);
  return system;
}

template <class T>
constexpr double sizes[] = {1e-200, 1e200};
template <>
constexpr double sizes<float>[] = {1e-30, 1e30};

/// Solves as MethodTest::run_with does, where the solve is expected to throw Thrown. Returns x.
template <class Space, class T, class A, class M = Identity>
std::vector<T> x_after_throw(const Space& space, const NamedMethod<Space, T>& method, const A& op,
                             const System<T>& system, const SolveOptions& options, const M& m = {}) {
  const Vector<Space, T> b(space, std::span<const T>(system.b));
  Vector<Space, T> x(space, std::span<const T>(system.x0));
  EXPECT_THROW(method.run(space, detail::as_map<Space, T>(space, op), b, x,
                          detail::as_preconditioner<Space, T>(space, m), options),
               Thrown);
  return x.download();
}

template <class T>
double residual_of(const System<T>& system, const std::vector<T>& x) {
  return reference_residual(system.a.view(), x, system.b).norm;
}

OSTINATO_METHOD_TEST(Exceptions, CallbackThatThrowsLeavesTheIterateSoFar) {
  for (const double size : sizes<T>) {
    SCOPED_TRACE(size);
    const auto system = out_of_scale<T>(size);
    const Operator op(this->space(), system.a);
    SolveOptions options{.rtol = 1e-5, .check_every = 1};
    options.callback = [](const Iteration& now) { return now.number < 3; };
    const auto interrupted = this->run_with(op, system, options);
    options.callback = [](const Iteration& now) { return now.number < 3 ? true : throw Thrown(); };

    const auto x = x_after_throw<Space, T>(this->space(), this->method(), op, system, options);

    EXPECT_EQ(interrupted.result.status, Status::interrupted);
    EXPECT_EQ(x, interrupted.x);
    EXPECT_NE(x, system.x0);
    EXPECT_LE(residual_of(system, x), residual_of(system, system.x0));
  }
}

OSTINATO_METHOD_TEST(Exceptions, OperatorThatThrowsLeavesXInScale) {
  for (const double size : sizes<T>) {
    const auto system = out_of_scale<T>(size);
    const Operator op(this->space(), system.a);
    for (int at = 1; at < 20; ++at) {
      SCOPED_TRACE(std::to_string(size) + " " + std::to_string(at));
      Fuse fuse(at);

      const auto x = x_after_throw<Space, T>(this->space(), this->method(), Throwing(op, fuse), system, {.rtol = 1e-5});

      EXPECT_TRUE(all_finite(x));
      EXPECT_LE(residual_of(system, x), 4 * residual_of(system, system.x0)) << "one iterate may be a little worse";
      EXPECT_TRUE(at > 1 || x == system.x0);
    }
  }
}

OSTINATO_METHOD_TEST(Exceptions, PreconditionerThatThrowsLeavesXInScale) {
  for (const double size : sizes<T>) {
    const auto system = out_of_scale<T>(size);
    const Operator op(this->space(), system.a);
    const Jacobi jacobi(this->space(), system.a);
    for (int at = 1; at < 10; ++at) {
      SCOPED_TRACE(std::to_string(size) + " " + std::to_string(at));
      Fuse fuse(at);
      const ThrowingPreconditioner<decltype(jacobi), T> m(jacobi, fuse);

      const auto x = x_after_throw<Space, T>(this->space(), this->method(), op, system, {.rtol = 1e-5}, m);

      EXPECT_TRUE(all_finite(x));
      EXPECT_LE(residual_of(system, x), 4 * residual_of(system, system.x0));
    }
  }
}

// At the end of such a solve, products of x with random signs estimate the rounding.
OSTINATO_METHOD_TEST(Exceptions, OperatorThatThrowsAtTheEndLeavesTheSignsOfX) {
  const auto system = this->poisson(10);
  const Operator op(this->space(), system.a);
  const SolveOptions options{.rtol = 1e-20, .max_iterations = 2000};
  Fuse counter(never);
  const auto whole = this->run_with(Throwing(op, counter), system, options);
  ASSERT_NE(whole.result.status, Status::converged);
  for (int before_end = 0; before_end < 20; ++before_end) {
    Fuse fuse(counter.calls() - before_end);

    const auto x = x_after_throw<Space, T>(this->space(), this->method(), Throwing(op, fuse), system, options);

    EXPECT_LE(residual_of(system, x), 1e-3 * residual_of(system, system.x0)) << before_end;
  }
}

OSTINATO_METHOD_TEST(Exceptions, GuessThatIsNotFiniteStaysAsItWas) {
  auto system = out_of_scale<T>(sizes<T>[0]);
  system.x0[7] = this->nan;
  const Operator op(this->space(), system.a);
  Fuse fuse(1);

  auto x = x_after_throw<Space, T>(this->space(), this->method(), Throwing(op, fuse), system, {});

  EXPECT_TRUE(std::isnan(x[7]));
  x[7] = system.x0[7] = 0;
  EXPECT_EQ(x, system.x0);
}

template <class Case>
class ExceptionsOn : public SpaceTest<Case> {};
TYPED_TEST_SUITE(ExceptionsOn, EverySpace, SpaceNames);

// A method that has no memory gives way to another method, but a callback that has none ends the solve.
TYPED_TEST(ExceptionsOn, MemoryThatACallbackHasNotEndsTheSolve) {
  using T = typename TypeParam::T;
  System<T> system{dense<T>({{2, 1, 0}, {0, 3, 1}, {1, 0, 4}}), {1, 2, 3}};
  const Operator op(this->space(), system.a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);
  int calls = 0;
  SolveOptions options{.check_every = 1};
  options.callback = [&](const Iteration&) -> bool {
    ++calls;
    throw std::bad_alloc();
  };

  EXPECT_THROW(solve(this->space(), op, std::span<const T>(b), std::span<T>(x), Identity{}, "auto", options),
               std::bad_alloc);

  EXPECT_EQ(calls, 1);
  EXPECT_LT(residual_of(system, x.download()), residual_of(system, system.x0));
}

}  // namespace
}  // namespace ostinato::test

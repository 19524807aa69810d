// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/solvers/solve.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

// Solves from host data to host data on any space, and the check that what a solver says is true.

namespace ostinato {

/// GTest prints it in the place of the number.
inline void PrintTo(Status status, std::ostream* out) { *out << to_string(status); }

}  // namespace ostinato

namespace ostinato::test {

/// A method on a space, as one type.
template <class M, class S, class V>
struct MethodOn {
  using Method = M;
  using Space = S;
  using T = V;
};

template <class M, class... Case>
testing::Types<MethodOn<M, typename Case::Space, typename Case::T>...> method_on(testing::Types<Case...>);

template <class M>
using MethodOnEverySpace = decltype(method_on<M>(EverySpace{}));

template <class... Case>
testing::Types<Case...> joined(testing::Types<Case...>);
template <class... A, class... B, class... More>
auto joined(testing::Types<A...>, testing::Types<B...>, More... more)
    -> decltype(joined(testing::Types<A..., B...>{}, more...));

template <class... M>
decltype(joined(MethodOnEverySpace<M>{}...)) every_method(MethodList<M...>);

/// Every method of the list on every space.
using EveryMethod = decltype(every_method(Solvers{}));

struct MethodNames {
  template <class Case>
  static std::string GetName(int i) {
    return std::string(Case::Method::name) + "_" + SpaceNames::GetName<Case>(i);
  }
};

/// A system in host memory.
template <class T>
struct System {
  Csr<T> a;
  std::vector<T> b;
  std::vector<T> x0 = std::vector<T>(b.size());
};

template <class T>
struct Solved {
  SolveResult result;
  std::vector<T> x;
};

/// The system whose solution is random of size 1.
template <class T>
System<T> with_known_solution(Csr<T> a, std::uint64_t seed = 1) {
  const std::vector<T> x = random_vector<T>(a.cols, seed);
  std::vector<T> b;
  for (const ReferenceRow& row : reference_product(a.view(), T{1}, x, T{0}, {})) b.push_back(static_cast<T>(row.value));
  return {std::move(a), std::move(b)};
}

/// A tolerance that every method reaches in T on a tame matrix.
template <class T>
constexpr double attainable() {
  return sizeof(T) == 4 ? 1e-5 : 1e-10;
}

/// Runs `method` with an operator `op` that stands for system.a, and a preconditioner.
template <class Method, class Space, class Op, class M, class T>
Solved<T> run_with(const Space& space, const Op& op, const System<T>& system, const M& m, const SolveOptions& options) {
  const Vector<Space, T> b(space, std::span<const T>(system.b));
  Vector<Space, T> x(space, std::span<const T>(system.x0));
  SolveResult result = Solver<Method>{}(space, op, b, x, m, options);
  return {std::move(result), x.download()};
}

template <class Method, class Space, class T, class M = Identity>
Solved<T> run(const Space& space, const System<T>& system, const SolveOptions& options, const M& m = {}) {
  return run_with<Method>(space, Operator<Space, T>(space, system.a), system, m, options);
}

/// What must hold of every result, however the solve ended: the residual is that of x, "converged" means that it is
/// within the tolerance and nothing else means it, and counts and history fit together.
template <class T>
void expect_honest(const Solved<T>& solved, const System<T>& system, const SolveOptions& options) {
  const SolveResult& r = solved.result;
  SCOPED_TRACE(r.message());
  if (options.history) {
    EXPECT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
  }
  EXPECT_LE(r.iterations, options.max_iterations);
  EXPECT_GE(r.iterations, 0);
  EXPECT_EQ(static_cast<bool>(r), r.status == Status::converged);

  const ReferenceResidual truth = reference_residual(system.a.view(), solved.x, system.b);
  const double goal = std::max(options.rtol * truth.b_norm, options.atol);
  if (!std::isfinite(truth.norm)) {
    EXPECT_NE(r.status, Status::converged);
    return;
  }
  EXPECT_NEAR(r.residual, truth.norm, truth.bound + 1e-12 * truth.norm);
  const double unit = truth.b_norm > 0 ? truth.b_norm : 1;
  const double last_digit = std::numeric_limits<double>::denorm_min() / unit;  // of a residual that is denormal
  EXPECT_NEAR(r.relative_residual, r.residual / unit, 1e-12 * r.relative_residual + last_digit);
  if (r.status == Status::converged) {
    EXPECT_LE(truth.norm, goal * (1 + 1e-12) + truth.bound);
    EXPECT_LE(r.residual, goal * (1 + 1e-12));
  } else {
    EXPECT_GE(r.residual, goal * (1 - 1e-12));
  }
}

/// Solves and checks that the result is true.
template <class Method, class Space, class T, class M = Identity>
Solved<T> solve_honestly(const Space& space, const System<T>& system, const SolveOptions& options, const M& m = {}) {
  Solved<T> solved = run<Method>(space, system, options, m);
  expect_honest(solved, system, options);
  return solved;
}

/// An operator that only knows apply, as a matrix-free one would.
template <class Op>
class WithoutDot {
 public:
  using value_type = typename Op::value_type;
  explicit WithoutDot(const Op& op) : op_(op) {}
  auto rows() const { return op_.rows(); }
  auto cols() const { return op_.cols(); }
  void apply(value_type alpha, std::span<const value_type> x, value_type beta, std::span<value_type> y) const {
    op_.apply(alpha, x, beta, y);
  }

 private:
  const Op& op_;
};

/// An operator whose product number `bad` (from 0) has one NaN.
template <class Op>
class FailingAt {
 public:
  using value_type = typename Op::value_type;
  FailingAt(const Op& op, int bad) : op_(op), bad_(bad) {}
  auto rows() const { return op_.rows(); }
  auto cols() const { return op_.cols(); }
  void apply(value_type alpha, std::span<const value_type> x, value_type beta, std::span<value_type> y) const {
    op_.apply(alpha, x, beta, y);
    const value_type nan = std::numeric_limits<value_type>::quiet_NaN();
    if (calls_++ == bad_) op_.space().upload(y.data() + y.size() / 2, &nan, sizeof nan);
  }

 private:
  const Op& op_;
  int bad_;
  mutable int calls_ = 0;
};

/// z = d * r: a user's preconditioner that knows nothing but apply.
template <class Space, class T>
class UserDiagonal {
 public:
  UserDiagonal(const Space& space, const std::vector<T>& d) : space_(space), d_(space, std::span<const T>(d)) {}
  void apply(std::span<const T> r, std::span<T> z) const { multiply<T>(space_, d_, r, z); }

 private:
  Space space_;
  Vector<Space, T> d_;
};

}  // namespace ostinato::test

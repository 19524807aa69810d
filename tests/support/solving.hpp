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
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

// Solves with host data on any space, and checks that what a solver reports is true.

namespace ostinato {

/// Lets GTest print the name instead of the number.
inline void PrintTo(Status status, std::ostream* out) { *out << to_string(status); }

}  // namespace ostinato

namespace ostinato::test {

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

/// Makes a system whose solution is random, with elements in -1 .. 1.
template <class T>
System<T> with_known_solution(Csr<T> a, std::uint64_t seed = 1) {
  const std::vector<T> x = random_vector<T>(a.cols, seed);
  std::vector<T> b;
  for (const ReferenceRow& row : reference_product(a.view(), T{1}, x, T{0}, {})) b.push_back(static_cast<T>(row.value));
  return {std::move(a), std::move(b)};
}

/// A ring of springs without a fixed point: a singular matrix whose null space is the constant vectors.
template <class T>
Csr<T> ring(Index n) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, 2});
    triplets.push_back({i, (i + 1) % n, -1});
    triplets.push_back({i, (i + n - 1) % n, -1});
  }
  return from_triplets<T>(n, n, triplets);
}

/// The 5-point Laplacian minus `shift` times the identity. Its eigenvalues lie between -shift and 8 - shift.
template <class T>
Csr<T> shifted_laplacian(Index n, double shift) {
  Csr<T> a = generate<T>("poisson2d", {.n = n});
  for (Index i = 0; i < a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(a.row_ptr[row]); k < static_cast<std::size_t>(a.row_ptr[row + 1]); ++k) {
      if (a.col[k] == i) a.val[k] -= static_cast<T>(shift);
    }
  }
  return a;
}

/// The saddle point matrix [A B'; B 0]. A is n x n, diagonal and positive definite. B is m x n, random and of full
/// rank. There are n positive and m negative eigenvalues.
template <class T>
Csr<T> saddle_point(Index n, Index m) {
  Random random(11);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) triplets.push_back({i, i, static_cast<T>(2 + signed_unit(random))});
  for (Index k = 0; k < m; ++k) {
    for (const Index i : {k, below(random, n), below(random, n)}) {
      const T value = i == k ? T{3} : static_cast<T>(signed_unit(random));
      triplets.push_back({n + k, i, value});
      triplets.push_back({i, n + k, value});
    }
  }
  return from_triplets<T>(n + m, n + m, triplets);
}

/// A tolerance that every method reaches in T on a well-conditioned matrix.
template <class T>
constexpr double attainable() {
  return is_single<T> ? 1e-5 : 1e-10;
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
  const Analysis<Space, T> analysis(space, system.a);  // kept, so that rounding can hide no residual
  return run_with<Method>(space, Operator<Space, T>(analysis), system, m, options);
}

/// Two solves took the same way, with the same bits.
inline void expect_same_course(const SolveResult& found, const SolveResult& expected) {
  EXPECT_EQ(found.status, expected.status) << found.message();
  EXPECT_EQ(found.iterations, expected.iterations);
  EXPECT_EQ(found.history, expected.history);
  EXPECT_EQ(found.residual, expected.residual);
}

/// Checks what must hold for every result, however the solve ended. The reported residual is that of x. The status is
/// "converged" if and only if the residual is within the tolerance. Counts and history agree. A note stands there once.
template <class T>
void expect_honest(const Solved<T>& solved, const System<T>& system, const SolveOptions& options) {
  const SolveResult& r = solved.result;
  SCOPED_TRACE(r.message());
  if (options.history) {
    EXPECT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
  }
  EXPECT_LE(r.iterations, options.max_iterations);
  EXPECT_GE(r.iterations, 0);
  for (const std::string& note : r.notes) EXPECT_EQ(std::count(r.notes.begin(), r.notes.end(), note), 1) << note;
  EXPECT_EQ(static_cast<bool>(r), r.status == Status::converged || r.status == Status::least_squares);

  const ReferenceResidual truth = reference_residual(system.a.view(), solved.x, system.b);
  const double goal = std::max(options.rtol * truth.b_norm, options.atol);
  if (!std::isfinite(truth.norm)) {
    EXPECT_NE(r.status, Status::converged);
    return;
  }
  EXPECT_NEAR(r.residual, truth.norm, truth.bound + 1e-12 * truth.norm);
  const double unit = truth.b_norm > 0 ? truth.b_norm : 1;
  const double last_digit = std::numeric_limits<double>::denorm_min() / unit;  // rounding of a denormal residual
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

/// A method of the list of solvers behind a function pointer.
template <class Space, class T>
struct NamedMethod {
  std::string_view name;
  SolveResult (*run)(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>, const PreconditionerRef<Space, T>&,
                     const SolveOptions&);
};

/// The methods that take any operator. Those that multiply with the transpose have tests of their own.
template <class Space, class T, class... M>
std::vector<NamedMethod<Space, T>> every_method(MethodList<M...>) {
  std::vector<NamedMethod<Space, T>> methods;
  const auto add = [&]<class Method>() {
    if constexpr (!Method::needs_transpose) methods.push_back({Method::name, &Method::template run<Space, T>});
  };
  (add.template operator()<M>(), ...);
  return methods;
}

/// The base class of tests that OSTINATO_METHOD_TEST defines for each method of the list on each space. The method
/// isn't a template parameter, so that a test is compiled only once for a space and a value type.
template <class Case>
class MethodTest : public SpaceTest<Case> {
 public:
  using Space = typename Case::Space;
  using Value = typename Case::T;
  using Method = NamedMethod<Space, Value>;

  explicit MethodTest(const Method& method) : method_(method) {}

 protected:
  static constexpr Value nan = std::numeric_limits<Value>::quiet_NaN();

  std::string name() const { return std::string(method_.name); }
  bool is(std::string_view name) const { return method_.name == name; }
  const Method& method() const { return method_; }

  /// Runs the method with an operator that stands for system.a.
  template <class A, class M = Identity>
  Solved<Value> run_with(const A& op, const System<Value>& system, const SolveOptions& options, const M& m = {}) const {
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    SolveResult result = method_.run(this->space(), detail::as_map<Space, Value>(this->space(), op), b, x,
                                     detail::as_preconditioner<Space, Value>(this->space(), m), options);
    return {std::move(result), x.download()};
  }

  template <class M = Identity>
  Solved<Value> run(const System<Value>& system, const SolveOptions& options, const M& m = {}) const {
    const Analysis<Space, Value> analysis(this->space(), system.a);  // kept, so that rounding can hide no residual
    return run_with(Operator<Space, Value>(analysis), system, options, m);
  }

  /// Solves and checks that the result is true.
  template <class M = Identity>
  Solved<Value> solve(const System<Value>& system, const SolveOptions& options = {.rtol = 1e-5},
                      const M& m = {}) const {
    Solved<Value> solved = run(system, options, m);
    expect_honest(solved, system, options);
    return solved;
  }

  static System<Value> poisson(Index n = 20) { return with_known_solution(generate<Value>("poisson2d", {.n = n})); }

 private:
  Method method_;
};

template <template <class> class Body, class Case>
void register_for_every_method(const std::string& suite, const char* name, const char* file, int line) {
  for (const auto& method : every_method<typename Case::Space, typename Case::T>(Solvers{})) {
    const std::string full = suite + "/" + std::string(method.name) + "_" + SpaceNames::GetName<Case>(0);
    testing::RegisterTest(full.c_str(), name, nullptr, nullptr, file, line,
                          [method]() -> MethodTest<Case>* { return new Body<Case>(method); });
  }
}

template <template <class> class Body, class... Case>
bool register_on_every_space(testing::Types<Case...>, const char* suite, const char* name, const char* file, int line) {
  (register_for_every_method<Body, Case>(suite, name, file, line), ...);
  return true;
}

/// Like TYPED_TEST, for every method on every space: "Failure/cg_Host_double.ZeroMatrixHasNoSolution".
#define OSTINATO_METHOD_TEST(suite, name)                                                    \
  template <class Case>                                                                      \
  class suite##name : public MethodTest<Case> {                                              \
   public:                                                                                   \
    using T = typename Case::T;                                                              \
    using Space = typename Case::Space;                                                      \
    using MethodTest<Case>::MethodTest;                                                      \
    void TestBody() override;                                                                \
  };                                                                                         \
  [[maybe_unused]] const bool suite##name##_is_registered =                                  \
      register_on_every_space<suite##name>(EverySpace{}, #suite, #name, __FILE__, __LINE__); \
  template <class Case>                                                                      \
  void suite##name<Case>::TestBody()

/// Whether one of the notes of the solve contains these words.
inline bool mentions(const SolveResult& result, std::string_view words) {
  return std::any_of(result.notes.begin(), result.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

/// Returns how often the method restarted from the recomputed residual, according to its notes.
inline int restarts(const SolveResult& result) {
  for (const std::string& note : result.notes) {
    const std::string words = result.solver + " restarted from the recomputed residual ";
    if (note.rfind(words, 0) == 0) return std::stoi(note.substr(words.size()));
  }
  return 0;
}

/// An operator that has apply only, as a matrix-free operator would.
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

/// An operator whose product number `bad` (counted from 0) contains one NaN.
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

/// An operator whose products 1 to `last` (counted from 0) are too large by a thousandth.
template <class Op>
class WrongAtFirst {
 public:
  using value_type = typename Op::value_type;
  WrongAtFirst(const Op& op, int last) : op_(op), last_(last) {}
  auto rows() const { return op_.rows(); }
  auto cols() const { return op_.cols(); }
  void apply(value_type alpha, std::span<const value_type> x, value_type beta, std::span<value_type> y) const {
    const bool wrong = calls_ > 0 && calls_ <= last_;
    ++calls_;
    op_.apply(wrong ? alpha * value_type(1.001) : alpha, x, beta, y);
  }

 private:
  const Op& op_;
  int last_;
  mutable int calls_ = 0;
};

/// z = d * r: a user's preconditioner that has apply only.
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

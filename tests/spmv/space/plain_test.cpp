// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// A space of a program, from the public headers: products, methods and preconditioners give what Host gives, to
// rounding.

#include "support/plain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/preconditioners/definitions.hpp>
#include <ostinato/solvers/definitions.hpp>
#include <ostinato/spmv/definitions.hpp>

namespace ostinato::test {
namespace {

using plain::Plain;

static_assert(HasLoops<Plain, Sums<1>>);

std::vector<double> ramp(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(0.7 * static_cast<double>(i)) + 0.1;
  return x;
}

double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

template <class Space>
std::vector<double> product(const Space& space, const Csr<double>& a, const std::string& format) {
  const Operator<Space, double> op(space, a, {.format = format});
  EXPECT_EQ(op.format(), format);
  const Vector<Space, double> x(space, std::span<const double>(ramp(static_cast<std::size_t>(a.cols))));
  Vector<Space, double> y(space, static_cast<std::size_t>(a.rows), NAN);
  op.apply(2, x, 0, y);
  op.apply(-1, x, 0.5, y);
  return y.download();
}

TEST(PlainSpace, MultipliesAsHostDoes) {
  for (const char* name : {"poisson2d", "convection-diffusion2d"}) {
    const Csr<double> a = generate<double>(name, {.n = 17});
    for (const char* format : {"csr", "ell", "dia"})
      EXPECT_LT(distance(product(Plain(), a, format), product(Host(), a, format)), 1e-13) << name << " " << format;
  }
}

/// x and the number of iterations.
struct Solved {
  std::vector<double> x;
  int iterations;
};

template <class Space, class Make>
Solved solved(const Space& space, const Csr<double>& a, Make solve) {
  const Analysis<Space, double> analysis(space, a);
  const std::size_t n = static_cast<std::size_t>(a.rows);
  const Vector<Space, double> b(space, std::span<const double>(ramp(n)));
  Vector<Space, double> x(space, n, 0.0);
  const SolveResult result = solve(space, analysis, b, x);
  EXPECT_EQ(result.status, Status::converged) << result.solver << ": " << result.reason;
  Solved made{x.download(), result.iterations};
  std::vector<double> r = ramp(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      r[i] -= a.val[k] * made.x[static_cast<std::size_t>(a.col[k])];
  }
  double rr = 0, bb = 0;
  for (std::size_t i = 0; i < n; ++i) rr += r[i] * r[i], bb += ramp(n)[i] * ramp(n)[i];
  EXPECT_LE(rr, 1e-20 * bb * 1.01) << result.solver;
  return made;
}

/// Solves on Plain and on Host, and compares.
template <class Make>
void expect_same(const char* matrix, Make solve) {
  const Csr<double> a = generate<double>(matrix, {.n = 12});
  const Solved here = solved(Plain(), a, solve), there = solved(Host(), a, solve);
  EXPECT_LT(distance(here.x, there.x), 1e-8);
  EXPECT_LE(std::abs(here.iterations - there.iterations), 1);
}

const SolveOptions tight = {.rtol = 1e-10};

template <class Method>
void expect_same_solution(const Method& method, const char* matrix) {
  SCOPED_TRACE(matrix);
  expect_same(matrix, [&](const auto& space, const auto& analysis, const auto& b, auto& x) {
    const Operator op(analysis, {.format = "csr"});
    return method(space, op, b, x, tight);
  });
}

TEST(PlainSpace, SolvesByEveryMethodAsHostDoes) {
  expect_same_solution(cg, "poisson2d");
  expect_same_solution(minres, "poisson2d");
  for (const char* matrix : {"poisson2d", "convection-diffusion2d"}) {
    expect_same_solution(bicgstab, matrix);
    expect_same_solution(bicgstab2, matrix);
    expect_same_solution(gmres, matrix);
    expect_same_solution(gcrodr, matrix);
    expect_same_solution(idr, matrix);
  }
  expect_same("convection-diffusion2d", [](const auto& space, const auto& analysis, const auto& b, auto& x) {
    const TransposableOperator op(Operator(analysis, {.format = "csr"}), analysis);
    return lsmr(space, op, b, x, tight);
  });
}

/// Solves the Poisson equation with CG and what `make` makes of an analysis.
template <class Make>
void expect_same_with(Make make) {
  expect_same("poisson2d", [&](const auto& space, const auto& analysis, const auto& b, auto& x) {
    const Operator op(analysis, {.format = "csr"});
    const auto m = make(analysis);
    return cg(space, op, b, x, m, tight);
  });
}

TEST(PlainSpace, PreconditionsByJacobi) {
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Jacobi<Space, double>(a); });
}

TEST(PlainSpace, PreconditionsByChebyshev) {
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Chebyshev<Space, double>(a); });
}

TEST(PlainSpace, PreconditionsByFsai) {
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Fsai<Space, double>(a); });
}

TEST(PlainSpace, PreconditionsByIlu0) {
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Ilu0<Space, double>(a); });
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Ic0<Space, double>(a); });
}

}  // namespace
}  // namespace ostinato::test

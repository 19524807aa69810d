// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Solves on a Plain, the space of a program from outside, beside those on Host.

#include "support/plain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/definitions.hpp>

namespace ostinato::test {

inline std::vector<double> ramp(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(0.7 * static_cast<double>(i)) + 0.1;
  return x;
}

inline double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
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
void expect_same(const char* matrix, int size, Make solve) {
  const Csr<double> a = generate<double>(matrix, {.n = size});
  const Solved here = solved(plain::Plain(), a, solve), there = solved(Host(), a, solve);
  EXPECT_LT(distance(here.x, there.x), 1e-8);
  EXPECT_LE(std::abs(here.iterations - there.iterations), 1);
}

inline SolveOptions tight() { return {.rtol = 1e-10}; }

/// Solves the Poisson equation with CG and what `make` makes of an analysis.
template <class Make>
void expect_same_with(Make make) {
  expect_same("poisson2d", 31, [&](const auto& space, const auto& analysis, const auto& b, auto& x) {
    const Operator op(analysis, {.format = "csr"});
    const auto m = make(analysis);
    return cg(space, op, b, x, m, tight());
  });
}

}  // namespace ostinato::test

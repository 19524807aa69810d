// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/strategy/distributed_stencil_solve.hpp>

#include "support/matrices.hpp"
#include "support/pieces.hpp"
#include "support/reference.hpp"
#include "support/solving.hpp"
#include "support/stencils.hpp"

namespace ostinato::test::stencil_solves {

/// What the ranks of a solve end with, put together.
template <class T>
struct Whole {
  SolveResult result;
  std::string method, preconditioner;
  std::vector<T> x;
};

/// A random right-hand side.
template <class T>
std::vector<T> right_hand_side(const Stencil& stencil) {
  return random_vector<T>(static_cast<Index>(stencil.extents.points()), 5);
}

inline DistributedStencilOptions with(const std::string& solver, const std::string& precond, double rtol = 1e-8) {
  return {.solver = solver, .preconditioner = precond, .solve = {.rtol = rtol, .max_iterations = 3000}};
}

/// Returns the whole x on each rank.
template <class T, class Local>
Whole<T> solve_on(const Team& team, const Local& local, const Stencil& stencil,
                  const DistributedStencilOptions& options) {
  DistributedStencilSolver<T, Local> solver(team, stencil, options, local);
  const std::vector<T> b = right_hand_side<T>(stencil);
  const Partition& rows = solver.rows();
  const auto begin = static_cast<std::size_t>(rows.begin(team)), end = static_cast<std::size_t>(rows.end(team));
  const Vector<Local, T> own_b(local, std::span<const T>(b).subspan(begin, end - begin));
  Vector<Local, T> x(local, end - begin, T{0});
  Whole<T> whole{solver.solve(own_b, x), solver.method().name, solver.preconditioner(), {}};
  whole.x = joined(team, x.download());
  return whole;
}

/// The residual of a solve is what it says, and what was asked for.
template <class T>
void expect_solved(const Whole<T>& whole, const Stencil& stencil, double rtol) {
  EXPECT_EQ(whole.result.status, Status::converged) << whole.result.message();
  const StencilOperator<Host, T> a(Host(1), stencil);
  const std::vector<T> b = right_hand_side<T>(stencil);
  std::vector<T> r(b.size());
  double square = 0, of_b = 0;
  a.residual(whole.x, b, r, &square);
  for (const T value : b) of_b += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_LE(std::sqrt(square / of_b), 1.01 * rtol);
  EXPECT_NEAR(std::sqrt(square / of_b), whole.result.relative_residual, 0.1 * rtol);
}

template <class T>
void expect_same(const Whole<T>& found, const Whole<T>& expected) {
  expect_same_course(found.result, expected.result);
  EXPECT_EQ(found.method, expected.method);
  EXPECT_EQ(found.preconditioner, expected.preconditioner);
  EXPECT_TRUE(same_bits(found.x, expected.x));
}

/// A grid whose planes are blocks of rows.
inline constexpr Extents blocks{64, 32, 36};

/// The same from both ends of a step, with rows that sum up to more than 0.
inline Stencil symmetric_by_function(const Extents& e) {
  Stencil stencil = laplacian_stencil(e, true);
  stencil.coefficient = [](Index x, Index y, Index z, int dx, int dy, int dz) {
    if (dx == 0 && dy == 0 && dz == 0) return 16.0 + std::cos(1.0 * x + y + z);
    return std::cos(2.0 * (x + y + z) + dx + dy + dz) - 1.5;
  };
  return stencil;
}

}  // namespace ostinato::test::stencil_solves

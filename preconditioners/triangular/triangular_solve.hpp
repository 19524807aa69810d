// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato {

/// How a system with a triangular factor is solved when a preconditioner is applied.
enum class TriangularSolve {
  automatic,  ///< exact
  exact,      ///< by substitution: rows wait for the rows that they need (Sweep)
  jacobi,     ///< by sweeps of Jacobi's method: each is a product with the triangle
  isai,       ///< by a product with an incomplete sparse approximate inverse of the triangle
};

/// The ways other than substitution replace L^-1 by the polynomial that so many steps of y += W (r - L y) from y = 0
/// give. W is the inverse of the diagonal of L (jacobi) or an approximate inverse (isai).
struct TriangularOptions {
  TriangularSolve solve = TriangularSolve::automatic;
  int sweeps = 0;  ///< steps, 1 .. 1000; the first is W r. 0: 3 for jacobi, 1 for isai
  int power = 1;   ///< isai: the inverse has the pattern of the triangle (1) or of its square (2)

  bool is_exact() const { return solve == TriangularSolve::automatic || solve == TriangularSolve::exact; }
  int steps() const { return sweeps > 0 ? sweeps : solve == TriangularSolve::jacobi ? 3 : 1; }
};

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

namespace ostinato {

/// What a multigrid cycle does with an error on each grid before the next one takes over.
enum class Smoother {
  jacobi,     ///< damped Jacobi; every sweep has the same damping
  chebyshev,  ///< damped Jacobi whose dampings make a Chebyshev polynomial of the 4th kind
  // A preconditioner of this name for the matrix of each level of an algebraic hierarchy:
  fsai,
  ilu0,
  ic0,
};

/// Whether a smoother works with more of a matrix than its diagonal.
constexpr bool is_preconditioner(Smoother smoother) {
  return smoother != Smoother::jacobi && smoother != Smoother::chebyshev;
}

namespace multigrid {

/// The damping of sweep 0 .. sweeps - 1, for an operator of unit diagonal whose eigenvalues are in 0 .. `largest`.
/// `omega` is that of a Jacobi sweep.
///
/// The Chebyshev polynomial of the 4th kind W has its roots at cos(j pi / (k + 1/2)), j = 1 .. k. The polynomial of k
/// sweeps is W(1 - 2 t / largest) / W(1), so its dampings are the inverses of largest (1 - cos(j pi / (k + 1/2))) / 2.
/// Of the polynomials of k sweeps it has the smallest bound for t p(t)^2, by which smoothing helps a coarse correction.
/// The largest root comes first, so that no product of the first sweeps grows.
/// Source    Lottes, arXiv:2202.08830.
inline double damping_of(Smoother smoother, int sweep, int sweeps, double omega, double largest) {
  if (smoother == Smoother::jacobi) return omega;
  const double angle = (sweeps - sweep) * std::numbers::pi / (sweeps + 0.5);
  return 2 / (largest * (1 - std::cos(angle)));
}

}  // namespace multigrid

}  // namespace ostinato

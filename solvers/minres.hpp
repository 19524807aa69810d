// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// MINRES: the smallest residual over the Krylov space, by a short recurrence, for symmetric matrices that needn't be
/// definite. The residual is carried along, so that the norm watched is that of b - A x, also with a preconditioner.
///
/// Shapes    A: n x n.  b, x: n, in the memory of `space`. x comes in with the initial guess.
/// Requires  A symmetric. M symmetric positive definite: a negative r . M^-1 r is noticed and reported as breakdown. So
///           is a residual that A can't make smaller (A is singular, and b isn't in its range).
/// Traffic   An iteration applies A and M once and moves 15 n sizeof(T) for vectors.
/// Exec      Allocates at entry: 6 n (8 n with a preconditioner) sizeof(T). On Cuda the host waits only when the
///           monitor reads back.
/// Throws    DimensionError when A isn't square or the vectors don't fit; what A and M throw.
/// Source    Paige & Saunders, SIAM J. Numer. Anal. 12 (1975) 617; with a preconditioner as in Elman, Silvester &
///           Wathen, Finite Elements and Fast Iterative Solvers (2014), algorithm 4.1.
struct Minres {
  static constexpr std::string_view name = "minres";
  static constexpr std::string_view description = "minimal residuals; symmetric matrices, definite or not";
  static constexpr int products_per_iteration = 1;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::end;
  static constexpr int period = 2;  ///< v and v_old, w and w_old are swapped

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// minres(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Minres> minres;

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Solves A x = b by MINRES, which minimises the residual over the Krylov space by a short recurrence. The matrix is
/// symmetric and may be indefinite. The residual vector is updated in each iteration, so that the monitored norm is
/// that of b - A x, also with a preconditioner.
///
/// Shapes    A: n x n. b, x: n, in the memory of `space`. On entry x holds the initial guess.
/// Requires  A is symmetric, which is looked at as for CG (Cg). M is symmetric positive definite; a negative r . M^-1 r
///           is detected and reported as breakdown. A residual that A can't make smaller (A is singular, and b isn't in
///           its range) is also reported as breakdown. The returned x is never worse than the initial guess.
/// Traffic   An iteration applies A and M once and moves 15 n sizeof(T) bytes of vectors.
/// Exec      Allocates 7 n sizeof(T) bytes at entry, 9 n sizeof(T) with a preconditioner. On Cuda the host waits only
///           when the monitor reads back.
/// Throws    ArgumentError for options that can't be, and for a preconditioner that varies; DimensionError when A isn't
///           square or the vectors don't fit; exceptions of A and M.
/// Source    Paige & Saunders, SIAM J. Numer. Anal. 12 (1975) 617; with a preconditioner as in Elman, Silvester &
///           Wathen, Finite Elements and Fast Iterative Solvers (2014), algorithm 4.1.
struct Minres : MethodTraits {
  static constexpr std::string_view name = "minres";
  static constexpr std::string_view description = "minimal residuals; symmetric matrices, definite or not";
  static constexpr int products_per_iteration = 1;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart;
  static constexpr RoleInAuto in_auto = RoleInAuto::symmetric;
  static constexpr bool needs_symmetry = true, takes_varying_m = false;
  static constexpr bool has_steady_residual = true, forms_large_squares = true;
  static constexpr int period = 2;  ///< v and v_old, w and w_old swap in each iteration
  static Reason breakdown(int cause, double number, const std::string& when);

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// minres(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Minres> minres;

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Solves A x = b or, where no x does, minimises ||b - A x||, by LSMR. A may have any shape. Of several solutions LSMR
/// without a preconditioner, or with one of A A^T, finds the one nearest to the guess; with a preconditioner M of A^T A
/// the one nearest in the norm sqrt(x . M x). The solve ends as
///   converged      ||b - A x|| <= max(rtol ||b||, atol), recomputed as for the other methods
///   least_squares  |a_j . r| <= rtol ||a_j|| ||r|| for every column a_j of A, where r = b - A x, recomputed: x
///                  minimises ||b - A x|| for a matrix whose columns are within rtol of those of A. With a
///                  preconditioner M of A^T A also ||A^T r||_{M^-1} <= sqrt(2 rtol) ||A||_M ||r||: where M is nearly
///                  A^T A, ||b - A x|| is within rtol of the smallest. Where the rounding of r might decide, r is
///                  recomputed with twice the digits if the analysis of A is still there; otherwise an estimate of the
///                  rounding is added to the gradient. The largest |a_j . r| / (||a_j|| ||r||) is
///                  SolveResult::gradient. Columns that nearly depend on each other may end so although b is in the
///                  range of A: a complete factor of A^T A as preconditioner tells.
/// SolveResult::at_precision_limit says that rounding keeps the gradient from falling.
///
/// Shapes    A: m x n. b: m. x: n, in the memory of `space`. On entry x holds the initial guess.
/// Requires  A has apply_transposed (spmv/transposable_operator.hpp). M is symmetric, says so (equals_transpose()), and
///           is positive definite: n x n and near to A^T A, or m x m and near to A A^T, the latter where m != n and
///           A x = b has a solution (strategy/least_squares_preconditioner.hpp). For a factor M = L L^T, LSMR works on
///           A L^-T; it applies M^-1 alone.
/// Traffic   An iteration applies A, A^T and M once each, and moves (3 m + 9 n) sizeof(T) bytes of vectors, with a
///           preconditioner 4 n (or 4 m) sizeof(T) more. The start takes up to 32 products with A^T where A has no
///           column_norms(), the end up to 64 with A where A has no facts().
/// Exec      Allocates 2 m sizeof(T) and 5 n sizeof(T) bytes at entry, with a preconditioner n (or m) sizeof(T) more;
///           on the host 8 n bytes and n sizeof(T). On Cuda the host waits only when the monitor reads back, and where
///           r is recomputed. The history has the norms of r that the recurrence estimates.
/// Throws    DimensionError when the vectors don't fit; ArgumentError when A can't be transposed or M doesn't say that
///           it is symmetric; exceptions of A and M.
/// Source    Fong & Saunders, SIAM J. Sci. Comput. 33 (2011) 2950; with M: Benbow, SIAM J. Matrix Anal. Appl. 21 (1999)
///           166.
struct Lsmr : MethodTraits {
  static constexpr std::string_view name = "lsmr";
  static constexpr std::string_view description = "least squares; matrices of any shape, multiplies with A^T, too";
  static constexpr int products_per_iteration = 2;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart;
  static constexpr RoleInAuto in_auto = RoleInAuto::least_squares;
  static constexpr bool needs_transpose = true, takes_varying_m = false;
  static constexpr int period = 1;

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
  static Reason breakdown(int cause, double number, const std::string& when);
  /// SolveResult::reason of a least squares solution. `is_complete`: complete factors of A^T A found no smaller
  /// residual.
  static Reason least_squares(bool is_complete);
};

/// lsmr(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Lsmr> lsmr;

}  // namespace ostinato

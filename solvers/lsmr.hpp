// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Solves A x = b or, where no x does, minimises ||b - A x||, by LSMR. A may have any shape. Of several solutions LSMR
/// without a preconditioner finds the one nearest to the guess. The solve ends as
///   converged      ||b - A x|| <= max(rtol ||b||, atol), recomputed as for the other methods
///   least_squares  ||A^T r|| <= rtol ||A|| ||r|| for r = b - A x, recomputed: x minimises ||b - A x|| for a matrix
///                  within rtol ||A|| of A. Where the rounding of r might decide, r is recomputed with twice the digits
///                  if the analysis of A is still there; otherwise in T, and a solve doesn't end so while r is hardly
///                  more than its rounding. ||A|| is estimated from below, so that the bound is rather too strict. The
///                  value reached is SolveResult::gradient. A matrix with a condition above 1 / rtol may end so
///                  although b is in its range.
///
/// Shapes    A: m x n. b: m. x: n, in the memory of `space`. On entry x holds the initial guess.
/// Requires  A has apply_transposed (spmv/transposable_operator.hpp). M is n x n and says that it is symmetric; LSMR
///           works on A M^-1.
/// Traffic   An iteration applies A, A^T once each and M twice, and moves (3 m + 9 n) sizeof(T) bytes of vectors. The
///           start takes ten products, the end up to 64 where A has no structure().
/// Exec      Allocates 2 m sizeof(T) and 4 n sizeof(T) bytes at entry, with a preconditioner 2 n sizeof(T) more. On
///           Cuda the host waits only when the monitor reads back, and at the start. The history has the norms of r
///           that the recurrence estimates.
/// Throws    DimensionError when the vectors don't fit; ArgumentError when A can't be transposed or M isn't symmetric;
///           exceptions of A and M.
/// Source    Fong & Saunders, SIAM J. Sci. Comput. 33 (2011) 2950.
struct Lsmr {
  static constexpr std::string_view name = "lsmr";
  static constexpr std::string_view description = "least squares; matrices of any shape, multiplies with A^T, too";
  static constexpr int products_per_iteration = 2;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart;
  static constexpr bool needs_transpose = true;
  static constexpr int period = 1;

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// lsmr(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Lsmr> lsmr;

}  // namespace ostinato

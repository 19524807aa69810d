// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Solves A x = b by BiCGSTAB(2), preconditioned from the right, so that the monitored residual is that of A x = b. Two
/// steps of BiCG and one that makes the residual smallest over a polynomial of degree 2: so the method bears
/// eigenvalues that are far from the real axis, where BiCGSTAB breaks down or stagnates.
///
/// Shapes    A: n x n, nonsingular. b, x: n, in the memory of `space`. On entry x holds the initial guess.
/// Traffic   An iteration applies A and M four times and moves 42 n sizeof(T) bytes of vectors.
/// Exec      Allocates 7 n sizeof(T) bytes at entry, 9 n sizeof(T) with a preconditioner. On Cuda the host waits only
///           when the monitor reads back. With a preconditioner x is brought up to date when the recurrence stops.
///           After a breakdown the recurrence restarts from the recomputed residual, as long as the residual falls.
/// Throws    ArgumentError for a preconditioner that varies; DimensionError when A isn't square or the vectors don't
///           fit; exceptions of A and M.
/// Source    Sleijpen & Fokkema, ETNA 1 (1993) 11; the form for l = 2 as in van der Vorst, Iterative Krylov Methods for
///           Large Linear Systems (2003), section 9.4.
struct Bicgstab2 : MethodTraits {
  static constexpr std::string_view name = "bicgstab2";
  static constexpr std::string_view description = "BiCGSTAB(2); any matrix, little memory, bears complex eigenvalues";
  static constexpr int products_per_iteration = 4;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart;
  static constexpr RoleInAuto in_auto = RoleInAuto::cheap;
  static constexpr bool takes_varying_m = false;
  static constexpr int period = 1;

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// bicgstab2(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Bicgstab2> bicgstab2;

}  // namespace ostinato

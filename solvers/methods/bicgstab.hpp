// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Solves A x = b by BiCGSTAB, preconditioned from the right, so that the monitored residual is that of A x = b.
///
/// Shapes    A: n x n, nonsingular. b, x: n, in the memory of `space`. On entry x holds the initial guess.
/// Traffic   An iteration applies A and M twice and moves 19 n sizeof(T) bytes of vectors.
/// Exec      Allocates 5 n sizeof(T) bytes at entry, 7 n sizeof(T) with a preconditioner. On Cuda the host waits only
///           when the monitor reads back. After a breakdown the recurrence restarts from the recomputed residual, as
///           long as the residual falls.
/// Throws    ArgumentError for options that can't be; DimensionError when A isn't square or the vectors don't fit;
///           exceptions of A and M.
/// Source    van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631.
struct Bicgstab : MethodTraits {
  static constexpr std::string_view name = "bicgstab";
  static constexpr std::string_view description = "stabilised bi-conjugate gradients; any matrix, little memory";
  static constexpr bool takes_complex = true;
  static constexpr int products_per_iteration = 2;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart;
  static constexpr RoleInAuto in_auto = RoleInAuto::little_memory;
  static constexpr int period = 1;
  static Reason breakdown(int cause, double number, const std::string& when);

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// bicgstab(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Bicgstab> bicgstab;

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Restarted GMRES, preconditioned from the right, so that the residual watched is that of A x = b. With
/// options.flexible the preconditioned basis is kept (FGMRES), and M may differ from step to step.
///
/// Shapes    A: n x n, any that is regular.  b, x: n, in the memory of `space`. x comes in with the initial guess.
/// Traffic   Step j of a cycle applies A and M once and reads the basis four times: 4 (j + 1) n sizeof(T).
/// Exec      Allocates at entry: (restart + 2) n sizeof(T), as much again for FGMRES. Classical Gram-Schmidt, done
///           twice, on matrix-vector products (cuBLAS on Cuda); the least squares problem is on the host, which reads
///           the columns whenever the monitor is due.
/// Throws    DimensionError when A isn't square or the vectors don't fit; what A and M throw.
/// Source    Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856; FGMRES: Saad, SIAM J. Sci. Comput. 14 (1993) 461.
struct Gmres {
  static constexpr std::string_view name = "gmres";
  static constexpr std::string_view description =
      "restarted GMRES; any matrix, robust, keeps a basis of --restart vectors";
  static constexpr int products_per_iteration = 1;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart;
  static constexpr int period = 2;

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// gmres(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Gmres> gmres;

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Solves A x = b by restarted GMRES, preconditioned from the right, so that the monitored residual is that of A x = b.
/// With options.flexible the preconditioned basis is kept (FGMRES), and M may differ from step to step.
///
/// Shapes    A: n x n, nonsingular. b, x: n, in the memory of `space`. On entry x holds the initial guess.
/// Traffic   Step j of a cycle applies A and M once and reads the basis four times: 4 (j + 1) n sizeof(T) bytes.
/// Exec      Allocates (restart + 2) n sizeof(T) bytes at entry, with a preconditioner n sizeof(T) more, and for FGMRES
///           restart n sizeof(T) more. The orthogonalisation is classical Gram-Schmidt, done twice, by matrix-vector
///           products (cuBLAS on Cuda). The host solves the small least squares problem and reads its columns after
///           each block of the monitor.
/// Throws    ArgumentError for options that can't be; DimensionError when A isn't square or the vectors don't fit;
///           exceptions of A and M.
/// Source    Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856; FGMRES: Saad, SIAM J. Sci. Comput. 14 (1993) 461.
struct Gmres {
  static constexpr std::string_view name = "gmres";
  static constexpr std::string_view description =
      "restarted GMRES; any matrix, robust, keeps a basis of --restart vectors";
  static constexpr int products_per_iteration = 1;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart;
  static constexpr int period = 2;
  static std::string breakdown_text(int cause, double number, const std::string& when);

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// gmres(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Gmres> gmres;

}  // namespace ostinato

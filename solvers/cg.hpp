// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Preconditioned conjugate gradients.
///
/// Shapes    A: n x n.  b, x: n, in the memory of `space`. x comes in with the initial guess (zeros if there is none).
/// Requires  A symmetric positive definite, M too. Negative curvature is noticed and reported as breakdown.
/// Traffic   An iteration moves A, and 10 n sizeof(T) for vectors; with a preconditioner its own and 3 n sizeof(T)
///           more.
/// Exec      Allocates at entry: 3 n (4 n with a preconditioner) sizeof(T). On Cuda the host waits only when the
///           monitor reads back.
/// Throws    DimensionError when A isn't square or the vectors don't fit; what A and M throw.
/// Source    Hestenes & Stiefel, J. Res. NBS 49 (1952) 409; x is updated together with p, which reads p once less.
struct Cg {
  static constexpr std::string_view name = "cg";
  static constexpr std::string_view description = "conjugate gradients; symmetric positive definite matrices";
  static constexpr int products_per_iteration = 1;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::end;
  static constexpr int period = 2;  ///< rz and rz_new are swapped

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// cg(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Cg> cg;

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Solves A x = b by preconditioned conjugate gradients.
///
/// Shapes    A: n x n. b, x: n, in the memory of `space`. On entry x holds the initial guess (zeros if there is none).
/// Requires  A and M are symmetric positive definite. Negative curvature is detected and reported as breakdown. Where
///           facts() say that A isn't symmetric, two products with the residual are tried: if they show it beyond
///           a thousandth, the solve ends as breakdown before the first iteration, and x is the guess. A may be
///           negative definite where its facts() say that its diagonal is negative; M may then be so, too. CG on
///           -A x = -b takes the same steps as on A x = b, so that only the test of the curvature changes.
/// Traffic   An iteration moves A once and 10 n sizeof(T) bytes of vectors. A preconditioner adds its own bytes and 3 n
///           sizeof(T); one whose inverse is diagonal 2 n sizeof(T) in all.
/// Exec      Allocates 3 n sizeof(T) bytes at entry, 4 n sizeof(T) with a preconditioner. With r, p, q and z in float
///           (SolveOptions::mixed) 24 n bytes, and 24 n more where it goes on in double. On Cuda the host waits only
///           when the monitor reads back.
/// Throws    ArgumentError for options that can't be; DimensionError when A isn't square or the vectors don't fit;
///           exceptions of A and M. Where M varies (a K-cycle), beta = -z . q / p . q instead of rz_new / rz. That is
///           the form of Polak & Ribiere, as r_new - r = -alpha q; an iteration has a dot product more.
/// Source    Hestenes & Stiefel, J. Res. NBS 49 (1952) 409; Notay, SIAM J. Sci. Comput. 22 (2000) 1444 (M that varies).
///           x and p are updated in one pass, which saves one read of p.
struct Cg : MethodTraits {
  using Options = OptionsWith<OwnOptions{.mixed = true}>;
  static constexpr std::string_view name = "cg";
  static constexpr std::string_view description = "conjugate gradients; symmetric positive definite matrices";
  static constexpr int products_per_iteration = 1;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::end;
  static constexpr RoleInAuto in_auto = RoleInAuto::definite;
  static constexpr bool needs_symmetry = true, needs_definiteness = true;
  static constexpr bool takes_complex = true;  ///< and then needs a Hermitian matrix
  static constexpr int period = 2;  ///< without a preconditioner, rz and rz_new swap their slots in each iteration
  static Reason breakdown(int cause, double number, const std::string& when);

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// cg(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Cg> cg;

}  // namespace ostinato

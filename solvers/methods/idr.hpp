// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// Solves A x = b by IDR(s), induced dimension reduction, preconditioned from the right, so that the monitored residual
/// is that of A x = b. s = options.shadow, 1 to 6; a larger s takes fewer iterations, memory and longer steps. IDR(1)
/// is close to BiCGSTAB. The residual may rise between iterations.
///
/// Shapes    A: n x n, nonsingular. b, x: n, in the memory of `space`. On entry x holds the initial guess.
/// Traffic   An iteration is one application of A and M. s + 1 of them form a cycle, which moves about (3 s^2 + 14 s +
///           8) n sizeof(T) bytes of vectors, 112 n sizeof(T) for s = 4.
/// Exec      Allocates (3 s + 2) n sizeof(T) bytes at entry, n sizeof(T) more with a preconditioner. On Cuda the host
///           waits only when the monitor reads back. After a breakdown the recurrence restarts from the recomputed
///           residual with other shadow vectors, as long as the residual falls, and once where it doesn't: the shadow
///           vectors are the same on every run, so that the residual that a run leaves may be orthogonal to those of
///           the next run.
/// Throws    DimensionError when A isn't square or the vectors don't fit; ArgumentError when s isn't 1 to 6; exceptions
///           of A and M.
/// Source    van Gijzen & Sonneveld, ACM Trans. Math. Softw. 38 (2011) 5, the variant with biorthogonal vectors; the
///           products with a column are formed in one pass as in Collignon & van Gijzen, Numer. Linear Algebra Appl. 18
///           (2011) 805.
struct Idr : MethodTraits {
  using Options = OptionsWith<OwnOptions{.shadow = true}>;
  static constexpr std::string_view name = "idr";
  static constexpr std::string_view description = "induced dimension reduction, IDR(s); any matrix, little memory";
  static constexpr int products_per_iteration = 1;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart_anew;
  static constexpr int period = 5;  ///< a cycle of s + 1 iterations, with the s that SolveOptions has by default

  static std::string variant(const SolveOptions& options);

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// idr(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Idr> idr;

}  // namespace ostinato

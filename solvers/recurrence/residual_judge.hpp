// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/recurrence/scaled_system.hpp>

namespace ostinato {

/// Judges a residual b - A x that was computed in T. Where A x and b cancel, rounding may hide a residual.
template <class Space, class T>
class ResidualJudge {
 public:
  ResidualJudge(const ScaledSystem<Space, T>& system, Workspace<Space>& workspace);

  /// r = b - A x as the solvers compute it, in T. Returns the norm.
  double compute(In<T> x, Out<T> r) const;

  /// Returns the norm of b - A x as far as rounding can't hide it; `norm` is what compute() returned. Costs nothing
  /// beyond a norm of x when a bound on the rounding fits between norm and goal. Otherwise the products are added with
  /// twice the digits, where the operator can do that; r then holds the more accurate residual. Otherwise the
  /// returned norm has an estimate of the rounding added to it.
  double assured(Out<T> x, Out<T> r, double norm, double goal) const;

  /// Whether a residual of this norm may be the rounding of b - A x, by a bound.
  bool may_be_rounding(In<T> x, double norm) const;

  /// A bound for the norm of what rounding changes in b - A x; infinite where the operator doesn't tell enough.
  double bound(In<T> x) const;

  /// The norm of b - A x with twice the digits, and r as well, where the operator can do that; otherwise norm and r as
  /// they are.
  double best(In<T> x, Out<T> r, double norm) const;

  /// The norm of b - A x for the end of a solve: best(), or `norm` with an estimate of the rounding added to it where
  /// `norm` is so small that b - A x in T has no digits. `norm` is what compute() returned. r is overwritten.
  double told(Out<T> x, Out<T> r, double norm) const;

  /// Estimates the norm of what rounding changes in b - A x. r is overwritten. x is changed and restored.
  /// Source    The products with x under random signs have the mean square sum over i and j of (a_ij x_j)^2
  ///           (Hutchinson, Commun. Stat. Simul. Comput. 19 (1990) 433); with the signs of a Hadamard matrix, too.
  struct Rounding {
    double norm = 0;
    double share = 1;  ///< how far the rounding may be in line with the residual: 1 for few rows, towards 0 for many
  };
  Rounding rounding(Out<T> x, Out<T> r) const;

  /// ||b - A x|| / (||A||_inf ||x|| + ||b||); NaN when the norm of A isn't known. r is overwritten when the squares of
  /// x are out of range.
  double backward_error(In<T> x, Out<T> r, double norm) const;

  /// ||x||. r is overwritten when the squares of x are out of range.
  double size(In<T> x, Out<T> r) const;

  /// To be called where x has changed since compute().
  void forget_x() const { x_norm_ = -1; }

  /// Whether all elements of x are finite. Costs nothing where the norm of this x is known and finite.
  bool is_finite(In<T> x) const;
  /// Infinite elements of x become the largest finite numbers, NaN becomes 0.
  void make_finite(Out<T> x) const;
  /// Infinite elements of x and NaN become 0.
  void drop_not_finite(Out<T> x) const;

 private:
  double bound(double x_norm) const;
  double with_rounding(Out<T> x, Out<T> r, double norm) const;
  /// The norm of r, whose square is in the slot.
  double norm_in_slot(Out<T> r) const;

  const ScaledSystem<Space, T>& system_;
  Slot<T> slot_;
  mutable double x_norm_ = -1;  ///< ||x|| of the x of compute(), once a bound has needed it; otherwise negative
};

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coarse operators of a 7-point star of constant coefficients, which are 7-point stars again.
//
// Such a star is a sum over the axes of a 1-D operator K along the axis times masses D along the others: on the finest
// grid D is 1. P^T A P has P^T K P along the axis and P^T D P along the others, which couples neighbours, so that 7
// coefficients become 27. Here the masses are lumped: P^T D 1, on the diagonal, takes the place of P^T D P, as in the
// discretisation of the coarse grid itself. CG takes about as many iterations (a fifth more of one: 32^3 to 128^3, even
// and odd extents, a random right-hand side) with a quarter of the coefficients. Where that doesn't hold the coarse
// operator is P^T A P: on grids of two dimensions a quarter of an iteration more costs more than 4 coefficients of 9
// (4096^2); with a multiple of the identity beside the sum there are up to 3 iterations more, with Neumann sides up to
// 4, and 2 where not all axes are halved.

#include <optional>

#include <ostinato/preconditioners/multigrid/structured/classes.hpp>
#include <ostinato/preconditioners/multigrid/structured/plain_star.hpp>
#include <ostinato/spmv/base/extents.hpp>

namespace ostinato::multigrid {

/// The rows of a star of constant coefficients, by axes.
///
/// Source    Stars in place of P^T A P: PFMG of hypre (Ashby & Falgout 1996), whose option rap_type has them. The
///           masses are lumped as in finite elements.
class StarByAxes {
 public:
  /// Nothing where the rows aren't such a sum; where a coefficient of a neighbour is positive or differs between the
  /// two directions of an axis; where rows away from the sides don't add up to 0, or those at a side to less than
  /// about a neighbour's coefficient (a side where the solution isn't given); and where an axis has less than 3 points.
  static std::optional<StarByAxes> of(const Classes& rows, const Extents& e);

  /// Makes this the star of the next grid.
  /// Requires  All axes are halved.
  void halve(const HalvedClasses& next);

  Classes rows() const;

  /// The same as sums over the diagonal of most rows, for which the first places stand. What leads to the next grid is
  /// left open.
  /// Requires  A plain grid.
  PlainStar plain() const;

 private:
  /// Along an axis, by place.
  struct Axis {
    double k[3][3];  ///< the 1-D operator, by place and step
    double d[3];     ///< masses
  };

  StarByAxes() = default;
  /// Whether rows are the same but for rounding, where no neighbour is missing.
  bool has_rows(const Classes& other, double rounding) const;
  /// What a term with the operator along an axis has for a point of some places.
  double term(int axis, int step, const int (&place)[3]) const;

  Axis axis_[3] = {};
  double shift_ = 0;  ///< what rounding adds to the sum: a multiple of the masses of all axes
};

}  // namespace ostinato::multigrid

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato::algebraic {

/// The levels of plain aggregation, one after the other: the groups are those of aggregate(), a root and its strong
/// neighbours, and interpolation is constant on each. Where a point has one unknown, entries of the sign of the
/// diagonal don't couple: what is constant on a group would then be far from what the smoother leaves. Each unknown of
/// a point is interpolated by itself.
///
/// Source    Braess, Computing 55 (1995) 379 (constant interpolation); aggregate() names those of the groups.
template <class Space, class T>
class PlainAggregation {
 public:
  /// `factor` brings the norm of A near 1, with the sign of the diagonal. `threshold`: of strong blocks (aggregate()).
  PlainAggregation(const Space& space, const Points& points, double factor, double threshold)
      : space_(space), points_(points), factor_(factor), threshold_(threshold) {}

  /// Goes on from A to the next level. Nothing when no row is left for that.
  ///
  /// Exec      Waits.
  std::optional<GroupedLevel<Space, T>> next(const SpaceCsr<Space, T>& a);

 private:
  Space space_;
  Points points_;
  double factor_, threshold_;
};

}  // namespace ostinato::algebraic

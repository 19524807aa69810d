// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato::algebraic {

/// The levels of pairwise aggregation, one after the other. On each, points are paired three times (pair_up()), from
/// the second time on the groups by the matrix of the groups, so that a level has about an eighth of the points of the
/// level before it. Each unknown of a point is interpolated by itself.
///
/// Layout    Where a point has several unknowns or A isn't symmetric, a matrix of points x points: the sums of the
///           entries that couple an unknown with itself, those of A + A^T where A isn't symmetric.
/// Source    Notay, ETNA 37 (2010) 123.
template <class Space, class T>
class PairwiseAggregation {
 public:
  PairwiseAggregation(const Space& space, const SpaceCsr<Space, T>& a, const Points& points, bool symmetric);

  /// Goes on from A to the next level. Nothing when no row is left for that.
  ///
  /// Exec      Waits.
  std::optional<GroupedLevel<Space, T>> next(const SpaceCsr<Space, T>& a);

 private:
  SpaceCsr<Space, T> graph_of(const SpaceCsr<Space, T>& a, bool symmetric) const;

  Space space_;
  Points points_;
  bool is_graph_;  ///< A is its own graph
  SpaceCsr<Space, T> graph_;
};

}  // namespace ostinato::algebraic

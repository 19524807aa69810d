// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <ostinato/preconditioners/multigrid/algebraic/aggregation.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/near_null_space.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato::algebraic {

/// The interpolations of smoothed aggregation, level after level. A level has `vectors` unknowns for each aggregate of
/// the level before it, one for each near-null vector.
///
/// Layout    8 bytes for each row and vector of a level.
template <class Space, class T>
class SmoothedAggregation {
 public:
  /// `factor` brings the norm of A near 1. `threshold`: of strong blocks (aggregate()), halved on each level.
  SmoothedAggregation(const Space& space, const NearNullSpace& near_null, double factor, double threshold);

  /// P = (I - w D^-1 A_f) T from the next level to that of A, and goes on to the next level. T is the tentative
  /// interpolation, from the orthonormal factor of the near-null vectors on each aggregate; A_f is A with weak blocks
  /// added to the diagonal, D its diagonal, w = 4/3 / `largest`. Nothing when there is no aggregate.
  ///
  /// `largest`: eigenvalue of D^-1 A.
  /// Exec      Waits. On Cuda a thread factors an aggregate.
  /// Throws    Stopped once `stop` is made.
  /// Source    Vanek, Mandel & Brezina, Computing 56 (1996) 179.
  std::optional<SpaceCsr<Space, T>> next(const SpaceCsr<Space, T>& a, double largest, const StopRequest& stop = {});

  /// T for such aggregates. Puts the near-null vectors of the next level in the place of those of this level.
  SpaceCsr<Space, T> tentative(const Vector<Space, Index>& aggregate, Index count);

  const Points& points() const { return points_; }
  const Vector<Space, double>& near_null() const { return near_null_; }  ///< rows x vectors, row by row

 private:
  SpaceCsr<Space, T> smoothing(const SpaceCsr<Space, T>& a, const Aggregation<Space, T>& aggregates,
                               double damping) const;

  Space space_;
  Points points_;
  int vectors_;
  double factor_, threshold_;
  Vector<Space, double> near_null_;
};

}  // namespace ostinato::algebraic

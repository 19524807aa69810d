// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::algebraic {

/// Vectors that A makes nearly 0: what a coarse grid has to hold, as the smoother hardly shrinks them. What they are
/// made from, in host memory.
struct NearNullSpace {
  enum class Kind { constants, rigid, given };

  Points points;
  Kind kind = Kind::constants;
  int count = 1;  ///< number of vectors
  /// given: rows x count, row by row. rigid: points x axes, from the middle of the points, with the farthest 1 away.
  std::vector<double> values = {};
};

/// The vectors in the memory of the space: rows x count, row by row.
template <class Space>
Vector<Space, double> vectors_of(const Space& space, const NearNullSpace& b);

/// A vector for each unknown of a point: 1 for that unknown, 0 for the others.
NearNullSpace constants(const Points& points);

/// The displacements of a rigid body: translations along each axis, and rotations about the middle of the points, 3
/// vectors in the plane and 6 in space. Rotations are scaled so that the largest displacement is about 1.
///
/// Shapes    coordinates: count x unknowns, point by point. An unknown is the displacement along an axis.
/// Requires  2 or 3 unknowns.
NearNullSpace rigid_body_modes(const Points& points, std::span<const double> coordinates);

/// Vectors of the user, each times the power of two that brings its largest element to 1 .. 2: squares stay in range.
///
/// Shapes    vectors: any number of vectors of points.rows() elements, one after the other.
NearNullSpace given_vectors(const Points& points, std::span<const double> vectors);

}  // namespace ostinato::algebraic

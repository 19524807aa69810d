// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>

namespace ostinato::algebraic {

/// Vectors that A makes nearly 0, in host memory: what a coarse grid has to hold, as the smoother hardly shrinks them.
struct NearNullSpace {
  Points points;
  int count = 1;               ///< number of vectors
  std::vector<double> values;  ///< rows x count, row by row
};

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

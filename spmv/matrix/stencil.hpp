// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <ostinato/spmv/base/extents.hpp>

namespace ostinato {

/// The coefficient of the neighbour that lies dx, dy and dz steps (-1, 0 or 1) away; of the point itself at (0, 0, 0).
struct StencilTerm {
  int dx = 0, dy = 0, dz = 0;
  double coefficient = 0;
};

/// What becomes of a coefficient that leads out of the grid.
enum class Boundary {
  dirichlet,  ///< It is left out: the neighbour outside is 0.
  neumann,    ///< It is added to the diagonal: the neighbour outside equals the point. Row sums stay the same.
  periodic,   ///< It leads to the other end of the axis. Both ends have it, and the axis has 1 point, or 3 or more.
};

/// What lies beyond the first and the last point along an axis.
struct Boundaries {
  Boundary begin = Boundary::dirichlet, end = Boundary::dirichlet;
};

/// A matrix by what its rows have in common: row i belongs to point i of a grid, and its entries lead to neighbours of
/// this point. 3-, 5-, 7-, 9- and 27-point stencils and parts of them can be described.
struct Stencil {
  Extents extents = {};
  std::vector<StencilTerm> terms = {};  ///< each neighbour once, in any order
  Boundaries x = {}, y = {}, z = {};    ///< a step that leaves the grid on two sides is left out if one is Dirichlet

  /// Takes the place of the terms' coefficients where it is given: that of point (x, y, z) for the neighbour at step
  /// (dx, dy, dz). It is called once for each point and term, by several threads at once, and for a step out of the
  /// grid only where that counts (Boundary::neumann).
  std::function<double(Index x, Index y, Index z, int dx, int dy, int dz)> coefficient = {};
};

}  // namespace ostinato

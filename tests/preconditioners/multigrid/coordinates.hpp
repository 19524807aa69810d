// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/extents.hpp>

namespace ostinato::test {

/// The coordinates of the first `count` points of a grid, or of all of them.
inline PointCoordinates coordinates_of(const Extents& e, int dimensions, Index count = -1) {
  PointCoordinates c{dimensions, {}};
  for (Index p = 0; p < (count < 0 ? static_cast<Index>(e.points()) : count); ++p) {
    const Index at[3] = {p % e.x, p / e.x % e.y, p / e.x / e.y};
    for (int axis = 0; axis < dimensions; ++axis) c.values.push_back(static_cast<double>(at[axis]));
  }
  return c;
}

}  // namespace ostinato::test

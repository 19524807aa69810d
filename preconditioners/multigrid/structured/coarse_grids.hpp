// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The coarse grids of a cycle in one kernel, on Cuda: from a grid of some thousand points down to the coarsest one and
// up again. Kernel by kernel, such grids take the time of launches; here the steps of cycle_steps.hpp run one after
// another in a few thread blocks that wait for each other, once for each grid on the way down and once on the way up.
// Each block has all vectors in its shared memory, of which it computes some layers, and writes what others need of
// them into the memory of all blocks.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>
#include <ostinato/spmv/base/divider.hpp>

namespace ostinato::multigrid {

/// The points of a grid, or pairs of them, numbered along x first and last by layers: planes of the same z or, where
/// `along_y`, of the same y.
struct Cells {
  Extents grid = {0, 0, 0};
  bool along_y = false;
  Divider line = {}, layer = {};  ///< by the cells of a line, and by the lines of a layer

  Cells() = default;
  Cells(const Extents& e, bool y)
      : grid(e), along_y(y), line(std::max<Index>(1, e.x)), layer(std::max<Index>(1, lines())) {}

  OSTINATO_FUNCTION Index lines() const { return along_y ? grid.z : grid.y; }
  OSTINATO_FUNCTION Index layers() const { return along_y ? grid.y : grid.z; }
  OSTINATO_FUNCTION Index in_layer() const { return grid.x * lines(); }
  /// Whether the points of a layer have numbers one behind the other.
  OSTINATO_FUNCTION bool layers_are_contiguous() const { return !along_y || grid.z == 1; }
};

/// A grid of a cycle. The coarsest one has no axes.
struct CoarseGrid {
  Coefficients a, p;
  bool star;
  int axes;            ///< that the next grid halves
  bool halves_layers;  ///< whether the next grid has half as many layers
  float omega;
  Cells points, next, pairs;  ///< of this grid, of the next one, and what Interpolate has a call for
  unsigned margin;            ///< elements before a vector and behind it that are 0
  unsigned first;             ///< element of the shared memory at which the grid's vectors begin

  CoarseGrid() = default;
  template <class Space>
  CoarseGrid(const Level<Space>& level, float damping)
      : a(level.operator_view()),
        p(level.weights_view()),
        star(level.star),
        axes(level.axes),
        halves_layers((axes >> (has_layers_along_y(level) ? 1 : 2) & 1) != 0),
        omega(damping),
        points(a.grid, has_layers_along_y(level)),
        next(p.grid, has_layers_along_y(level)),
        pairs({axes % 2 == 1 ? (a.grid.x + 1) / 2 : a.grid.x, a.grid.y, a.grid.z}, has_layers_along_y(level)),
        margin(static_cast<unsigned>(Field<Space>::margin(level.grid, level.dimensions))),
        first(0) {}

  /// The elements of a vector with its margins, in whole sixteen bytes.
  OSTINATO_FUNCTION static unsigned room_for(const Extents& grid, unsigned margin) {
    return (static_cast<unsigned>(grid.points()) + 2 * margin + 3) / 4 * 4;
  }

  /// Thread blocks share the layers of a grid: those that the next grid has more of.
  template <class Space>
  static bool has_layers_along_y(const Level<Space>& level) {
    return level.next.y > level.next.z;
  }

  /// The elements of a vector, and of b, x and t.
  OSTINATO_FUNCTION unsigned room() const { return room_for(a.grid, margin); }
  OSTINATO_FUNCTION unsigned end() const { return first + 3 * room(); }
};

/// A dense matrix.
struct DenseMatrix {
  const float* values = nullptr;
  Index row_step = 0, column_step = 0;  ///< from an element to the one below, and beside it

  /// Whether a warp can read the rows, of n elements, in four at a time.
  OSTINATO_FUNCTION bool has_whole_rows(Index n) const { return column_step == 1 && row_step == n && n % 128 == 0; }
};

/// The grids from one of a cycle down to the coarsest.
struct CoarseGrids {
  static constexpr int most = 10;                  ///< the grids are an argument of the kernel, which has room for 4 KB
  static constexpr std::size_t most_joined = 512;  ///< points of a grid that join_coarse_grids() takes

  int dimensions = 0;
  bool by_class = false;
  int count = 0;
  CoarseGrid grid[most] = {};
  DenseMatrix inverse = {};  ///< of the coarsest operator

  /// Adds a grid, with room for its vectors behind that of the others.
  void add(CoarseGrid g) {
    g.first = count == 0 ? 0 : grid[count - 1].end();
    grid[count++] = g;
  }
};

static_assert(sizeof(CoarseGrids) < 4000);

/// The first level that solve_coarse_grids() takes, together with all below it. The number of levels, if it takes none:
/// a single grid doesn't need it.
template <class Space>
std::size_t first_coarse_grid(const Space&, const std::vector<Level<Space>>& levels) {
  return levels.size();
}
std::size_t first_coarse_grid(const Cuda& space, const std::vector<Level<Cuda>>& levels);

/// Puts the matrix of what the grids do from one of few points on in their place. Returns that matrix, which `grids`
/// refers to; it is empty where there are no two such grids behind the first one.
/// Exec      Enqueued: a thread block for each column.
template <class Space>
Vector<Space, float> join_coarse_grids(const Space&, CoarseGrids&) {
  return {};
}
Vector<Cuda, float> join_coarse_grids(const Cuda& space, CoarseGrids& grids);

/// x := one cycle for b on the first grid, with one sweep of damped Jacobi before each coarse grid and after it.
/// Without `last_sweep`, x is what it is before the last sweep on the first grid.
/// Exec      Enqueued: one kernel of one cluster of thread blocks.
/// Requires  The grids are those from first_coarse_grid() on.
template <class Space>
void solve_coarse_grids(const Space&, const CoarseGrids&, const float*, float*, bool) {}
void solve_coarse_grids(const Cuda& space, const CoarseGrids& grids, const float* b, float* x, bool last_sweep);

}  // namespace ostinato::multigrid

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The coarse grids of a cycle in one kernel, on Cuda: from a grid of some thousand points down to the coarsest one and
// up again. Kernel by kernel, such grids take the time of launches; here the steps of cycle_steps.hpp run one after
// another in a few thread blocks that wait for each other.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>
#include <ostinato/spmv/space/divider.hpp>

namespace ostinato::multigrid {

/// The points of a grid, or pairs of them, numbered along x first.
struct Cells {
  Extents grid = {0, 0, 0};
  Divider line = {}, plane = {};

  Cells() = default;
  explicit Cells(const Extents& e) : grid(e), line(std::max<Index>(1, e.x)), plane(std::max<Index>(1, e.y)) {}
};

/// A grid of a cycle, and its vectors. The coarsest one has no axes.
struct CoarseGrid {
  Coefficients a, p;
  bool star;
  int axes;  ///< that the next grid halves
  float omega;
  float *b, *x, *t;
  Cells points, next, pairs;  ///< of this grid, of the next one, and what Interpolate has a call for

  CoarseGrid() = default;
  template <class Space>
  CoarseGrid(const Level<Space>& level, float damping, float* vb, float* vx, float* vt)
      : a(level.operator_view()),
        p(level.weights_view()),
        star(level.star),
        axes(level.axes),
        omega(damping),
        b(vb),
        x(vx),
        t(vt),
        points(a.grid),
        next(p.grid),
        pairs({axes % 2 == 1 ? (a.grid.x + 1) / 2 : a.grid.x, a.grid.y, a.grid.z}) {}
};

/// The grids from one of a cycle down to the coarsest.
struct CoarseGrids {
  static constexpr int most = 10;  ///< the grids are an argument of the kernel, which has room for 4 KB

  int dimensions = 0;
  bool by_class = false;
  int count = 0;
  CoarseGrid grid[most] = {};
  const float* inverse = nullptr;  ///< of the coarsest operator, dense

  void add(const CoarseGrid& g) { grid[count++] = g; }
};

static_assert(sizeof(CoarseGrids) < 4000);

/// The first level that solve_coarse_grids() takes, together with all below it. The number of levels, if it takes none:
/// a single grid doesn't need it.
inline std::size_t first_coarse_grid(const Host&, const std::vector<Level<Host>>& levels) { return levels.size(); }
std::size_t first_coarse_grid(const Cuda& space, const std::vector<Level<Cuda>>& levels);

/// x of the first grid := one cycle for its b, with one sweep of damped Jacobi before each coarse grid and after it.
/// Without `last_sweep`, t of the first grid := x before the last sweep.
/// Exec      Enqueued: one kernel of one cluster of thread blocks.
/// Requires  The grids are those from first_coarse_grid() on.
inline void solve_coarse_grids(const Host&, const CoarseGrids&, bool) {}
void solve_coarse_grids(const Cuda& space, const CoarseGrids& grids, bool last_sweep);

}  // namespace ostinato::multigrid

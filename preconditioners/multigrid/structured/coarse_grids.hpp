// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The coarse grids of a cycle in one kernel, on Cuda: from a grid of some ten thousand points down to the coarsest one
// and up again. Kernel by kernel, such grids take the time of launches; here the steps of cycle_steps.hpp run one after
// another in a few thread blocks that wait for each other.

#include <cstddef>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

namespace ostinato::multigrid {

/// A grid of a cycle, and its vectors. The coarsest one has no axes.
struct CoarseGrid {
  Coefficients a, p;
  bool star;
  int axes;  ///< that the next grid halves
  float omega;
  float *b, *x, *t;
};

/// The grids from one of a cycle down to the coarsest.
struct CoarseGrids {
  static constexpr int most = 12;

  int dimensions = 0;
  int count = 0;
  CoarseGrid grid[most] = {};
  const float* inverse = nullptr;  ///< of the coarsest operator, dense

  void add(const CoarseGrid& g) { grid[count++] = g; }
};

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

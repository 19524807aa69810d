// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The way up from a small grid of three dimensions in one kernel, on Cuda: Interpolate and Smooth of cycle_steps.hpp,
// with what lies between them in the shared memory.

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

namespace ostinato::multigrid {

/// Whether there is the kernel `ascend_in_tiles` for a level, and whether it is faster than two steps. (H100, 2026-11:
/// by class 3.5 us instead of 4.7 on 32^3, but 10.2 instead of 7.6 on 64^3; by point, where weights are read from
/// memory anyway, a solve of variable3d:128, with 64^3 in tiles, takes 3.08 ms instead of 3.15.)
inline bool has_tiles(const Level<Cuda>& level) {
  const std::size_t most_points = std::size_t{1} << (level.by_class ? 15 : 18);
  return level.dimensions == 3 && level.axes == 7 && !level.periodic.any() && level.grid.points() <= most_points;
}

/// out := x + omega (b - A x), where x = omega b + P coarse.
/// Exec      Enqueued.
/// Requires  has_tiles(level).
/// Traffic   Reads b and writes out once; coarse points and weights are read by several thread blocks.
void ascend_in_tiles(const Cuda& space, const Level<Cuda>& level, float omega, const float* b, const float* coarse,
                     float* out);

}  // namespace ostinato::multigrid

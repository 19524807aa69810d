// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <ostinato/preconditioners/multigrid/cycle.hpp>
#include <ostinato/preconditioners/multigrid/damping.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

namespace ostinato::multigrid {

/// A V-cycle over a hierarchy, with damped Jacobi or Chebyshev before the coarse grid and after it.
///
/// Memory    4 to 12 bytes for each point of each grid; on Cuda none for the finest grid when a cycle passes over it in
///           one kernel each way (passes.hpp). There, one kernel does the coarse grids, the last of them by a dense
///           matrix (coarse_grids.hpp).
///
/// `grid`: in which the hierarchy was found. `sweeps`: steps of the smoother before the coarse grid, and as many after
/// it; at least 1. `first`: the grid at which the cycle begins, for solve() alone where it isn't the finest.
template <class Space>
Cycle<Space> make_cycle(const Space& space, const Grid& grid, std::shared_ptr<const Hierarchy<Space>> hierarchy,
                        Smoother smoother, int sweeps, std::size_t first = 0);

/// The bytes of a hierarchy that is still to be made, and of a cycle over it.
template <class Space>
std::size_t predicted_bytes(const Space& space, const std::vector<Level<Space>>& grids, int sweeps);

/// By what a cycle shrinks a random error of the finest grid.
/// Exec      Waits.
template <class Space>
double rate_on_grid(const Space& space, const Hierarchy<Space>& hierarchy, const Cycle<Space>& cycle);

}  // namespace ostinato::multigrid

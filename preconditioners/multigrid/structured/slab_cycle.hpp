// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/multigrid/cycle.hpp>
#include <ostinato/preconditioners/multigrid/damping.hpp>
#include <ostinato/preconditioners/multigrid/structured/constant_grid.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato::multigrid {

/// A finest grid of more points is shared.
inline constexpr std::size_t fewest_shared_points = 8192;

/// Grids below the finest one of up to so many points are gathered: all ranks do the rest of the cycle. A grid of 8192
/// points takes a core some 100 us, and its four halos between two ranks of a machine 20 to 40 us. A GPU passes over
/// 64^3 points in 9 us (H200, PlainGrids), and smaller grids aren't plain.
template <class Local>
inline constexpr std::size_t most_gathered_points = is_cuda<Local> ? std::size_t{1} << 18 : fewest_shared_points;

/// The V-cycle of structured multigrid for constant coefficients, over slabs of planes that ranks have: the levels of
/// make_cycle(), whose steps go over the planes of a rank alone, after an exchange of the planes beside them. From a
/// small grid on, or one whose last axis isn't halved, b is gathered and every rank does the cycle of one rank. The
/// bits don't depend on the number of ranks; on the CPU they are those of make_cycle().
///
/// A grid that make_cycle() passes over in one kernel each way, on GPUs, ranks pass over as well. They read a plane
/// before theirs and two behind, and slabs begin at even planes.
///
/// Memory    12 bytes for each point of each shared grid of a rank, 8 with passes and none for the finest; 16 for each
///           point of the finest where the rows of ranks aren't slabs.
/// Traffic   Four exchanges of a plane with each neighbour on each shared grid; with passes two of three planes, of
///           which the finest has one. Where the rows of ranks aren't slabs, r and z are copied, and move by up to some
///           planes. A gather.
/// Exec      Collective. On GPUs cycles may be captured where the space can: then kernels wait for those of other
///           ranks.
///
/// `most_gathered`: in the place of most_gathered_points. Nothing where the finest grid would be gathered.
/// Throws    MemoryLimitError; ArgumentError as Hierarchy; RankError on ranks whose part is good.
template <class Local>
std::optional<Cycle<Distributed<Local>>> make_slab_cycle(const Distributed<Local>& space, const ConstantGrid& found,
                                                         double norm, const Partition& rows, Smoother smoother,
                                                         int sweeps, const MemoryBudget& memory,
                                                         std::size_t most_gathered = most_gathered_points<Local>);

}  // namespace ostinato::multigrid

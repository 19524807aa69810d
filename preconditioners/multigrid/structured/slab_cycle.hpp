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
#include <ostinato/spmv/team/distributed_space.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato::multigrid {

/// Grids of up to so many points are gathered: all ranks do the rest of the cycle. A grid of that size takes a core
/// some 100 us, and its four halos between two ranks of a machine 20 to 40 us.
inline constexpr std::size_t most_gathered_points = 8192;

/// The V-cycle of structured multigrid for constant coefficients, over slabs of planes that ranks have: the levels of
/// make_cycle(), whose steps go over the planes of a rank alone, after an exchange of the planes beside them. From a
/// small grid on, or one whose last axis isn't halved, b is gathered and every rank does the cycle of one rank. The
/// bits are those of one rank.
///
/// Memory    12 bytes for each point of each shared grid of a rank, and 16 for each point of the finest.
/// Traffic   Four exchanges of a plane with each neighbour on each shared grid; two of up to half a plane for r and z,
///           whose parts are whole blocks of rows; a gather.
/// Exec      Collective.
///
/// Nothing where the finest grid would be gathered.
/// Throws    MemoryLimitError; ArgumentError as Hierarchy; RankError on ranks whose part is good.
template <class Local>
std::optional<Cycle<Distributed<Local>>> make_slab_cycle(const Distributed<Local>& space, const ConstantGrid& found,
                                                         double norm, const Partition& rows, Smoother smoother,
                                                         int sweeps, const MemoryBudget& memory);

}  // namespace ostinato::multigrid

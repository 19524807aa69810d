// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/aggregation_steps.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::algebraic {

/// The most points and entries for which one thread block finds roots faster than two kernels a round and looks of the
/// host.
inline constexpr Index few_points = 4096;
inline constexpr Offset few_entries = 1 << 17;

/// Decides which points of a small graph are roots, in one kernel of one thread block. `graph`, `nearest` and `key`: of
/// FindNearest and DecideRoots.
///
/// Exec      Enqueued.
void decide_all_roots(const Cuda& space, const detail::CsrPattern& graph, std::uint64_t* nearest, std::uint32_t* key);

}  // namespace ostinato::algebraic

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/team/team.hpp>

// What ranks share that are threads of one process.

namespace ostinato {

/// A number of a process that no other one has.
using ProcessNumber = std::array<std::uint32_t, 5>;
ProcessNumber process_number();

/// Whether all ranks are threads of this process.
/// Exec      Collective, as is the next one.
bool are_in_one_process(const Team& team);

/// A request that is made once a rank of this process is asked to stop: also within a step that others have ended, or
/// in which only that one is asked. Ranks of other processes don't learn of it.
/// Exec      The requests are asked on the threads of all ranks, by one at a time.
StopRequest stop_of_any(const Team& team, const StopRequest& mine);

}  // namespace ostinato

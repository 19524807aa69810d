// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/team/team.hpp>

// What ranks share that are threads of one process.

namespace ostinato {

/// Exec      Collective, as is the other one.
bool are_in_one_process(const Team& team);

/// A request that is made once a rank of this process is asked to stop: also within a step that others have ended, or
/// in which only that one is asked. Ranks of other processes don't learn of it.
/// Exec      The requests are asked on the threads of all ranks, by one at a time.
StopRequest stop_of_any(const Team& team, const StopRequest& mine);

}  // namespace ostinato

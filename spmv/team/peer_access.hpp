// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// Whether the GPUs of all ranks reach what ranks show each other (PeerMemory). Threads of one process do where their
/// GPUs do, which then reach all memory of each other, for the whole process. Processes of one machine do where the
/// system lets them.
/// Exec      Collective, as the next one.
bool reach_each_other(const Team& team, const Cuda& space);

/// Whether kernels of the ranks may wait for each other: each rank has a GPU of its own. Ranks that share one do where
/// each stream has a queue of its own (CUDA_DEVICE_MAX_CONNECTIONS=32): otherwise a kernel may be queued behind one
/// that waits for it. Processes that share a GPU take turns on it, so that each wait takes some milliseconds.
bool may_wait_in_kernels(const Team& team, const Cuda& space);

}  // namespace ostinato

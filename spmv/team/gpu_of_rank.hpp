// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// The GPU of a rank. The ranks of a machine take the GPUs that they see in turn, from the first on again where ranks
/// are more. Processes that see different GPUs (CUDA_VISIBLE_DEVICES) each take from theirs.
/// Exec      Collective.
/// Throws    ArgumentError on all ranks where two of them would share a GPU, and `may_share` is false. DeviceError
///           where a rank can't use its GPU: RankError on the others.
Cuda gpu_of(const Team& team, bool may_share = true);

namespace detail {

/// The machine of a rank (nodes_of), and the unique names of the GPUs that it sees.
struct RankOnGpus {
  int node;
  std::vector<std::string> seen;
};

/// The number of the GPU of each rank, among those that it sees; 0 where it sees none.
std::vector<int> gpus_of(const std::vector<RankOnGpus>& ranks);

/// Throws    ArgumentError where two ranks take one GPU.
void require_own_gpus(const std::vector<RankOnGpus>& ranks);

}  // namespace detail

}  // namespace ostinato

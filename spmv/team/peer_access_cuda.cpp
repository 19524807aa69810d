// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/peer_access.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>

#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/team/one_process.hpp>

namespace ostinato {

namespace {

/// Whether the current GPU reaches the memory of another one, from now on.
bool reaches(int from, int to) {
  int can = 0;
  if (from == to) return true;
  if (!cuda_succeeds(cudaDeviceCanAccessPeer(&can, from, to)) || can == 0) return false;
  const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
  return cuda_succeeds(code) || code == cudaErrorPeerAccessAlreadyEnabled;
}

/// Lets another GPU read and write what the pool of a space has given and will give.
bool opens_pool(const Cuda& space, int to) {
  if (space.device() == to) return true;
  cudaMemAccessDesc access{};
  access.location = {cudaMemLocationTypeDevice, to};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  return cuda_succeeds(cudaMemPoolSetAccess(space.state().pool->handle, &access, 1));
}

}  // namespace

bool reach_each_other(const Team& team, const Cuda& space) {
  if (!are_in_one_process(team)) return false;
  const auto devices = team.all_gather(space.device());
  const bool reaches_all = team.agreed([&] {
    const OnDevice here(space);
    return std::all_of(devices.begin(), devices.end(),
                       [&](int other) { return reaches(space.device(), other) && opens_pool(space, other); });
  });
  return team.least(reaches_all ? 1 : 0) == 1;
}

bool may_wait_in_kernels(const Team& team, const Cuda& space) {
  constexpr int most_queues = 32, ranks_of_a_gpu = 4;
  const auto devices = team.all_gather(space.device());
  if (std::set<int>(devices.begin(), devices.end()).size() == devices.size()) return true;
  const char* const queues = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  return queues != nullptr && std::atoi(queues) == most_queues && team.size() <= ranks_of_a_gpu;
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/peer_access.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

namespace {

/// A number that no other process has.
std::array<std::uint32_t, 4> process_number() {
  static const auto number = [] {
    std::random_device random;
    return std::array<std::uint32_t, 4>{random(), random(), random(), random()};
  }();
  return number;
}

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
  const auto processes = team.all_gather(process_number());
  const auto devices = team.all_gather(space.device());
  const bool is_one = std::all_of(processes.begin(), processes.end(), [&](const auto& p) { return p == processes[0]; });
  if (!is_one) return false;
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

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/peer_access.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/team/nodes.hpp>
#include <ostinato/spmv/team/peer_memory.hpp>

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

bool threads_reach_each_other(const Team& team, const Cuda& space) {
  const auto devices = team.all_gather(space.device());
  const bool reaches_all = team.agreed([&] {
    const OnDevice here(space);
    return std::all_of(devices.begin(), devices.end(),
                       [&](int other) { return reaches(space.device(), other) && opens_pool(space, other); });
  });
  return team.least(reaches_all ? 1 : 0) == 1;
}

/// A rank, where it matters for the memory of others.
struct Place {
  ProcessNumber process;
  GpuNumber gpu;
  auto operator<=>(const Place&) const = default;
};

/// What processes have found out. All of them know it, or they find it out again.
bool known_to_reach(const Team& team, const Cuda& space, const std::vector<Place>& places) {
  static std::mutex mutex;
  static std::map<std::vector<Place>, bool> known;
  enum { unknown, no, yes };
  const auto look = [&] {
    const std::lock_guard lock(mutex);
    const auto found = known.find(places);
    return found == known.end() ? unknown : found->second ? yes : no;
  };
  const int mine = look();
  if (team.least(mine) != unknown) return mine == yes;
  const bool reach = processes_reach_each_other(team, space);
  const std::lock_guard lock(mutex);
  return known[places] = reach;
}

}  // namespace

bool reach_each_other(const Team& team, const Cuda& space) {
  if (are_in_one_process(team)) return threads_reach_each_other(team, space);
  const std::vector<Place> places = team.all_gather(Place{process_number(), number_of_gpu(space)});
  const std::vector<int> nodes = nodes_of(team);
  std::set<ProcessNumber> processes;
  for (const Place& place : places) processes.insert(place.process);
  const bool is_one_machine = std::all_of(nodes.begin(), nodes.end(), [](int node) { return node == 0; });
  if (!is_one_machine || processes.size() < places.size()) return false;
  return known_to_reach(team, space, places);
}

bool may_wait_in_kernels(const Team& team, const Cuda& space) {
  constexpr int most_queues = 32, ranks_of_a_gpu = 4;
  const auto gpus = team.all_gather(number_of_gpu(space));
  if (std::set<GpuNumber>(gpus.begin(), gpus.end()).size() == gpus.size()) return true;
  const char* const queues = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  const bool may = queues != nullptr && std::atoi(queues) == most_queues && team.size() <= ranks_of_a_gpu;
  return team.least(may ? 1 : 0) == 1;
}

}  // namespace ostinato

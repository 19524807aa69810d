// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/one_process.hpp>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

namespace ostinato {

ProcessNumber process_number() {
  static const auto number = [] {
    std::random_device random;
    return ProcessNumber{random(), random(), random(), random(), 0};
  }();
  ProcessNumber mine = number;
  mine.back() = static_cast<std::uint32_t>(::getpid());  // a child of a fork has the rest of its parent
  return mine;
}

namespace {

/// The request of a rank, for all ranks.
struct SharedRequest {
  StopRequest request;
  std::mutex mutex;  ///< who asks

  bool is_made() {
    const std::lock_guard lock(mutex);
    return request.is_made();
  }
};

struct AnyOf {
  std::vector<std::shared_ptr<SharedRequest>> requests;
  bool stop_requested() const {
    return std::any_of(requests.begin(), requests.end(), [](const auto& request) { return request->is_made(); });
  }
};

}  // namespace

bool are_in_one_process(const Team& team) {
  const auto processes = team.all_gather(process_number());
  return std::all_of(processes.begin(), processes.end(), [](const auto& p) { return p == process_number(); });
}

StopRequest stop_of_any(const Team& team, const StopRequest& mine) {
  if (team.size() == 1 || team.most(mine ? 1 : 0) == 0 || !are_in_one_process(team)) return mine;
  const auto shown = std::make_shared<SharedRequest>();
  shown->request = mine;
  AnyOf any;
  for (const auto* const other : team.all_gather<const std::shared_ptr<SharedRequest>*>(&shown))
    if ((*other)->request) any.requests.push_back(*other);
  team.agree();  // all have taken their copies of `shown`
  return any;
}

}  // namespace ostinato

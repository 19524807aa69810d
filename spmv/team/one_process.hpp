// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/team/team.hpp>

// What ranks share that are threads of one process.

namespace ostinato {

/// A number of a process that no other one has.
using ProcessNumber = std::array<std::uint32_t, 5>;
ProcessNumber process_number();

/// Whether all ranks are threads of this process.
/// Exec      Collective, as are the next two.
bool are_in_one_process(const Team& team);

/// What the ranks show each other, as threads of one process. It stays until all of them have dropped it.
template <class T>
std::vector<std::shared_ptr<T>> shown_by_threads(const Team& team, const std::shared_ptr<T>& mine) {
  std::vector<std::shared_ptr<T>> all;
  for (const std::shared_ptr<T>* const other : team.all_gather<const std::shared_ptr<T>*>(&mine)) all.push_back(*other);
  team.agree();  // all have taken their copies of `mine`
  return all;
}

/// A request that is made once a rank of this process is asked to stop: also within a step that others have ended, or
/// in which only that one is asked. Ranks of other processes don't learn of it.
/// Exec      The requests are asked on the threads of all ranks, by one at a time.
StopRequest stop_of_any(const Team& team, const StopRequest& mine);

}  // namespace ostinato

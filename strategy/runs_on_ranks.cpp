// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/runs_on_ranks.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/team/one_process.hpp>

namespace ostinato::runs {

ostinato::detail::Deadline deadline_on(const Team& team, double seconds, const StopRequest& stop) {
  return {team.all_gather(seconds)[0], stop_of_any(team, stop)};
}

void require_equal_names(const Team& team, const std::vector<NamedOption>& options) {
  std::string mine;
  for (const auto& [what, value] : options) mine += value + '\n';
  const std::vector<Team::Bytes> all = team.all_gather_v(std::as_bytes(std::span(mine)));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    const std::string text(reinterpret_cast<const char*>(all[rank].data()), all[rank].size()),
        first(reinterpret_cast<const char*>(all[0].data()), all[0].size());
    const auto same = std::mismatch(text.begin(), text.end(), first.begin(), first.end()).first;
    const auto field = static_cast<std::size_t>(std::count(text.begin(), same, '\n'));
    throw ArgumentError(
        "the ranks have different options: " + std::string(options[std::min(field, options.size() - 1)].first) +
        " of rank " + std::to_string(rank) + " isn't that of rank 0");
  }
}

}  // namespace ostinato::runs

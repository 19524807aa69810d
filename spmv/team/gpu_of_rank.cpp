// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/gpu_of_rank.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <sstream>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/gpu_context.hpp>
#include <ostinato/spmv/team/nodes.hpp>

namespace ostinato {

namespace detail {

std::vector<int> gpus_of(const std::vector<RankOnGpus>& ranks) {
  std::map<std::pair<int, std::vector<std::string>>, int> taken;  // by the ranks of a machine that see the same
  std::vector<int> gpus;
  for (const RankOnGpus& rank : ranks) {
    const int place = taken[{rank.node, rank.seen}]++;
    gpus.push_back(rank.seen.empty() ? 0 : place % static_cast<int>(rank.seen.size()));
  }
  return gpus;
}

void require_own_gpus(const std::vector<RankOnGpus>& ranks) {
  const std::vector<int> gpus = gpus_of(ranks);
  std::map<std::string, std::size_t> owner;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].seen.empty()) continue;
    const auto [other, is_first] = owner.emplace(ranks[r].seen[static_cast<std::size_t>(gpus[r])], r);
    if (is_first) continue;
    const auto here =
        std::count_if(ranks.begin(), ranks.end(), [&](const RankOnGpus& rank) { return rank.node == ranks[r].node; });
    throw ArgumentError("ranks " + std::to_string(other->second) + " and " + std::to_string(r) +
                        " would share a GPU: " + std::to_string(here) + " ranks are on a machine where they see " +
                        std::to_string(ranks[r].seen.size()));
  }
}

}  // namespace detail

Cuda gpu_of(const Team& team, bool may_share) {
  std::string mine, name;
  for (int d = 0; d < Cuda::device_count(); ++d) mine += name_of_gpu(d) + '\n';
  const std::vector<int> nodes = nodes_of(team);
  std::vector<detail::RankOnGpus> ranks;
  for (const Team::Bytes& text : team.all_gather_v(std::as_bytes(std::span(mine)))) {
    std::istringstream names(std::string(reinterpret_cast<const char*>(text.data()), text.size()));
    ranks.push_back({nodes[ranks.size()], {}});
    while (std::getline(names, name)) ranks.back().seen.push_back(name);
  }
  if (!may_share) detail::require_own_gpus(ranks);
  return team.agreed([&] { return Cuda(detail::gpus_of(ranks)[static_cast<std::size_t>(team.rank())]); });
}

}  // namespace ostinato

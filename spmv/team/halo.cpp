// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/halo.hpp>

#include <algorithm>
#include <cstring>

namespace ostinato {

HaloPlan::HaloPlan(const Team& team, const Partition& parts, std::span<const Index> ghosts) : ghosts_(ghosts.size()) {
  const Index begin = parts.begin(team);
  below_ = static_cast<std::size_t>(std::lower_bound(ghosts.begin(), ghosts.end(), begin) - ghosts.begin());
  std::vector<Team::Letter> wanted;
  for (std::size_t k = 0; k < ghosts.size();) {
    const int owner = parts.owner(ghosts[k]);
    const auto last =
        std::lower_bound(ghosts.begin() + static_cast<std::ptrdiff_t>(k), ghosts.end(), parts.offset(owner + 1));
    const std::size_t end = static_cast<std::size_t>(last - ghosts.begin());
    from_.push_back({owner, k, end - k});
    const auto* const bytes = reinterpret_cast<const std::byte*>(ghosts.data() + k);
    wanted.push_back({owner, Team::Bytes(bytes, bytes + (end - k) * sizeof(Index))});
    k = end;
  }
  for (const Team::Letter& asked : team.exchange(wanted)) {
    const std::size_t count = asked.bytes.size() / sizeof(Index), before = given_.size();
    given_.resize(before + count);
    std::memcpy(given_.data() + before, asked.bytes.data(), asked.bytes.size());
    for (std::size_t k = before; k < given_.size(); ++k) given_[k] -= begin;
    to_.push_back({asked.rank, before, count});
  }
}

void HaloPlan::start(const Team& team, std::byte* given, std::byte* below, std::byte* above, std::size_t bytes) {
  out_.clear();
  in_.clear();
  for (const Share& share : to_) out_.push_back({share.rank, given + share.begin * bytes, share.count * bytes});
  for (const Share& share : from_) {
    std::byte* const to = share.begin < below_ ? below + share.begin * bytes : above + (share.begin - below_) * bytes;
    in_.push_back({share.rank, to, share.count * bytes});
  }
  team.start_exchange(out_, in_);
}

}  // namespace ostinato

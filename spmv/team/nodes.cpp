// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/nodes.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <span>
#include <string>

namespace ostinato {

namespace {

/// What no other machine has: the number of its start or, where that can't be read, its name.
std::string name_of_machine() {
  std::string name;
  if (std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), name) && !name.empty()) return name;
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return host;
}

}  // namespace

std::vector<int> nodes_of(const Team& team) {
  const std::string mine = name_of_machine();
  const std::vector<Team::Bytes> all = team.all_gather_v(std::as_bytes(std::span(mine)));
  std::vector<int> nodes;
  for (const Team::Bytes& name : all)
    nodes.push_back(static_cast<int>(std::find(all.begin(), all.end(), name) - all.begin()));
  return nodes;
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// The machine of each rank: the first rank that runs there. Containers of one machine are on one.
/// Exec      Collective.
std::vector<int> nodes_of(const Team& team);

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <ostinato/spmv/team/channel.hpp>

namespace ostinato::detail {

/// A channel for each rank of a team of threads, which share memory.
std::vector<std::shared_ptr<Channel>> channels_between_threads(int size);

}  // namespace ostinato::detail

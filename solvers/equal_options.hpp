// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <ostinato/solvers/options.hpp>

namespace ostinato {

class Team;

namespace detail {

/// Refuses a solve to which the ranks of a team come with other options. Callbacks, stop requests and the history may
/// differ; the time limit is that of rank 0.
/// Exec      Collective.
/// Throws    ArgumentError on all ranks, which names the option and the rank.
void require_equal_options(const Team& team, std::string_view method, std::size_t value_bytes, bool is_plain,
                           const SolveOptions& options);

}  // namespace detail

}  // namespace ostinato

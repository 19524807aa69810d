// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/solvers/equal_options.hpp>
#include <ostinato/spmv/team/team.hpp>
#include <ostinato/strategy/deadline.hpp>
#include <ostinato/strategy/runs.hpp>

// What the solvers for matrices and for stencils of ranks share.

namespace ostinato::runs {

/// "ilut:drop=1e-3" in its two parts.
inline std::pair<std::string, std::string> name_and_options(const std::string& text) {
  const std::size_t at = text.find(':');
  return at == std::string::npos ? std::pair{text, std::string()} : std::pair{text.substr(0, at), text.substr(at + 1)};
}

/// What ends the set-up of all ranks: the seconds of rank 0, from now on by a clock of each rank, and a stop that is
/// asked of one. Ranks that are threads of one process see it at their next looks, others after a step.
/// Exec      Collective. The requests are asked on the threads of all ranks, by one at a time.
ostinato::detail::Deadline deadline_on(const Team& team, double seconds, const StopRequest& stop);

/// An option by its name, and what it is.
using NamedOption = std::pair<const char*, std::string>;

/// Ranks that go different ways would wait for each other.
/// Throws    ArgumentError, on all ranks, which names the first option that differs.
void require_equal_names(const Team& team, const std::vector<NamedOption>& options);

/// run_alone() on all ranks of a space: with the same options, and where one throws, all do.
template <class Space, class T>
SolveResult run_on_ranks(std::string_view name, const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
  ostinato::detail::require_equal_options(space.team(), name, sizeof(T), m.get() == nullptr, options);
  return space.team().together([&] { return run_alone<Space, T>(name, space, a, b, x, m, options); });
}

}  // namespace ostinato::runs

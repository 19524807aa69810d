// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/selection/choice.hpp>

// Functions that ask the formats of a list for their predicted costs on a matrix.

namespace ostinato {

namespace detail {

inline Candidate candidate(std::string_view name, Proposal proposal) {
  return {.name = std::string(name),
          .parameters = std::move(proposal.parameters),
          .cost = std::move(proposal.cost),
          .plan = std::move(proposal.plan)};
}

}  // namespace detail

/// Checks the parameters of a request.
/// Throws    ArgumentError when the format doesn't accept them, or when there are parameters for a name that isn't in
///           the list.
template <class Space, class T>
void check_parameters(const FormatList<Space, T>& list, const FormatRequest& asked) {
  if (asked.parameters.empty()) return;
  const FormatEntry<Space, T>* entry = list.find(asked.name);
  if (entry == nullptr) detail::refuse_parameters(asked.name);
  entry->check_parameters(asked.parameters);
}

/// Returns each format of the list with its predicted cost. The format named by `asked` gets the parameters in `asked`;
/// the other formats choose their own.
/// Throws    ArgumentError when the named format doesn't accept the parameters.
template <class Space, class T>
std::vector<Candidate> candidates_of(const FormatList<Space, T>& list, const PlanInput& in,
                                     const FormatRequest& asked = {}) {
  std::vector<Candidate> all;
  for (const auto& entry : list) {
    all.push_back(detail::candidate(
        entry.name, entry.propose(in, same_name(asked.name, entry.name) ? std::string_view(asked.parameters) : "")));
  }
  return all;
}

/// Finds a format of the list by its full name ("cmrs:height=8,version=2"). Returns nothing when the list has no such
/// format, the format doesn't accept the parameters, or the format can't hold the matrix.
template <class Space, class T>
std::optional<Candidate> find_candidate(const FormatList<Space, T>& list, const PlanInput& in,
                                        std::string_view full_name) {
  const FormatRequest wanted = parse_format(full_name);
  const FormatEntry<Space, T>* entry = list.find(wanted.name);
  if (entry == nullptr) return {};
  try {
    Candidate found = detail::candidate(entry->name, entry->propose(in, wanted.parameters));
    return found.cost.applies() ? std::optional(std::move(found)) : std::nullopt;
  } catch (const ArgumentError&) {
    return {};
  }
}

/// Returns the variants of a format that are worth timing, the most promising first; none for a format without
/// parameters.
template <class Space, class T>
std::vector<Candidate> variants_of(const FormatList<Space, T>& list, const PlanInput& in, std::string_view name) {
  std::vector<Candidate> variants;
  if (const FormatEntry<Space, T>* entry = list.find(name)) {
    for (Proposal& p : entry->variants(in)) variants.push_back(detail::candidate(name, std::move(p)));
  }
  return variants;
}

/// Plans a format that was asked for by name. If the format needs the census of the diagonals and there is none, the
/// analysis takes the census. `in` refers to the structure of the analysis.
/// Throws    ArgumentError when the format doesn't accept the parameters.
template <class Space, class T>
Proposal propose(const Analysis<Space, T>& analysis, const FormatEntry<Space, T>& entry, const PlanInput& in,
                 std::string_view parameters) {
  Proposal proposal = entry.propose(in, parameters);
  if (proposal.cost.applies() || in.structure.census != nullptr) return proposal;
  analysis.complete();
  return in.structure.census == nullptr ? proposal : entry.propose(in, parameters);
}

/// Builds a candidate of the list. `in` is the input that the candidate was made from.
template <class Space, class T>
std::unique_ptr<BuiltFormat<Space, T>> build(const FormatEntry<Space, T>& entry, const Space& space,
                                             const SpaceCsr<Space, T>& a, const PlanInput& in, const Candidate& c) {
  if (c.plan != nullptr) return entry.build(space, a, in, {c.parameters, {}, c.plan});
  return entry.build(space, a, in, entry.propose(in, c.parameters));
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/selection/choice.hpp>

// What the formats of a list say of a matrix.

namespace ostinato {

namespace detail {

inline Candidate candidate(std::string_view name, Proposal proposal) {
  return {.name = std::string(name),
          .parameters = std::move(proposal.parameters),
          .cost = std::move(proposal.cost),
          .plan = std::move(proposal.plan)};
}

}  // namespace detail

/// Throws ArgumentError when the list has a format of that name, but not with the parameters asked for; also when it has
/// no such format and parameters are asked for.
template <class Space, class T>
void check_parameters(const FormatList<Space, T>& list, const FormatRequest& asked) {
  if (asked.parameters.empty()) return;
  const FormatEntry<Space, T>* entry = list.find(asked.name);
  if (entry == nullptr) detail::refuse_parameters(asked.name);
  entry->check_parameters(asked.parameters);
}

/// What each format of the list would cost, the one asked for with the parameters asked for.
/// Throws ArgumentError when it doesn't have these.
template <class Space, class T>
std::vector<Candidate> candidates_of(const FormatList<Space, T>& list, const PlanInput& in,
                                     const FormatRequest& asked = {}) {
  std::vector<Candidate> all;
  for (const auto& entry : list) {
    all.push_back(detail::candidate(
        entry.name, entry.propose(in, asked.name == entry.name ? std::string_view(asked.parameters) : "")));
  }
  return all;
}

/// A format of the list by its full name. Empty when there is none of that name, it doesn't have such parameters, or it
/// doesn't apply.
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

/// What a format of the list has to try out, the most promising first; nothing for one without parameters.
template <class Space, class T>
std::vector<Candidate> variants_of(const FormatList<Space, T>& list, const PlanInput& in, std::string_view name) {
  std::vector<Candidate> variants;
  if (const FormatEntry<Space, T>* entry = list.find(name)) {
    for (Proposal& p : entry->variants(in)) variants.push_back(detail::candidate(name, std::move(p)));
  }
  return variants;
}

/// Builds a candidate of the list. `in` is what the candidate was made from.
template <class Space, class T>
std::unique_ptr<BuiltFormat<Space, T>> build(const FormatEntry<Space, T>& entry, const Space& space,
                                             const SpaceCsr<Space, T>& a, const PlanInput& in, const Candidate& c) {
  if (c.plan != nullptr) return entry.build(space, a, in, {c.parameters, {}, c.plan});
  return entry.build(space, a, in, entry.propose(in, c.parameters));
}

}  // namespace ostinato

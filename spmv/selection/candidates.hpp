// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <ostinato/spmv/formats/format.hpp>

// What the formats of a list say of a matrix, and how they are built by name and parameters.

namespace ostinato {

/// Calls action(std::type_identity<F>) for the format of the list that has the name. False when none has.
template <class... F, class Action>
bool with_format(FormatList<F...>, std::string_view name, Action&& action) {
  return ((name == F::name && (action(std::type_identity<F>{}), true)) || ...);
}

/// Throws ArgumentError when no format of that name has the parameters asked for.
template <class... F>
void check_parameters(FormatList<F...> list, const FormatRequest& asked) {
  if (asked.parameters.empty()) return;
  bool has_parameters = false;
  with_format(list, asked.name, [&]<class G>(std::type_identity<G>) {
    if constexpr (HasParameters<G>) {
      G::Parameters::parse(asked.parameters);
      has_parameters = true;
    }
  });
  if (!has_parameters) throw ArgumentError("format " + asked.name + " has no parameters");
}

/// One format with the parameters in the text, or those of its own choice when there are none.
template <class F>
Candidate candidate_of(const Structure& s, const Machine& m, const std::string& parameters = {}) {
  Candidate c{.name = std::string(F::name)};
  check_parameters(FormatList<F>{}, {c.name, parameters});
  if constexpr (HasParameters<F>) {
    const auto p = parameters.empty() ? F::choose(s, m) : F::Parameters::parse(parameters);
    c.parameters = p.text();
    c.cost = F::cost(s, m, p);
  } else {
    c.cost = F::cost(s, m);
  }
  return c;
}

/// What each format of the list would cost, the one asked for with the parameters asked for.
/// Throws ArgumentError when it doesn't have these.
template <class... F>
std::vector<Candidate> candidates_of(FormatList<F...>, const Structure& s, const Machine& m,
                                     const FormatRequest& asked = {}) {
  (require_format<F>(), ...);
  return {candidate_of<F>(s, m, asked.name == F::name ? asked.parameters : "")...};
}

/// A format of the list by its full name. Empty when there is none of that name, it doesn't have such parameters, or it
/// doesn't apply.
template <class... F>
std::optional<Candidate> find_candidate(FormatList<F...> list, const Structure& s, const Machine& m,
                                        std::string_view full_name) {
  const FormatRequest wanted = parse_format(full_name);
  std::optional<Candidate> found;
  try {
    with_format(list, wanted.name,
                [&]<class G>(std::type_identity<G>) { found = candidate_of<G>(s, m, wanted.parameters); });
  } catch (const ArgumentError&) {
    return {};
  }
  return found && found->cost.applies() ? found : std::nullopt;
}

/// What a format of the list has to try out, the most promising first; nothing for one without parameters.
template <class... F>
std::vector<Candidate> variants_of(FormatList<F...> list, const Structure& s, const Machine& m, std::string_view name) {
  std::vector<Candidate> variants;
  with_format(list, name, [&]<class G>(std::type_identity<G>) {
    if constexpr (HasParameters<G>) {
      for (const auto& p : G::variants(s, m))
        variants.push_back({.name = std::string(name), .parameters = p.text(), .cost = G::cost(s, m, p)});
    }
  });
  return variants;
}

template <class F, class Space, class Matrix>
F build_format(const Space& space, Matrix&& a, const Structure& s, const std::string& parameters) {
  if constexpr (HasParameters<F>) {
    return F(space, std::forward<Matrix>(a), s, F::Parameters::parse(parameters));
  } else {
    return F(space, std::forward<Matrix>(a), s);
  }
}

}  // namespace ostinato

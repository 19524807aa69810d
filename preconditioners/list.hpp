// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <ostinato/preconditioners/level.hpp>
#include <ostinato/preconditioners/memory_budget.hpp>
#include <ostinato/preconditioners/preconditioner.hpp>
#include <ostinato/preconditioners/rows_named.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

/// An entry of the list of preconditioners.
template <class Space, class T>
struct PreconditionerEntry {
  std::string_view name;
  std::string_view description;
  std::string_view options;                    ///< "KEY=VALUES, KEY=VALUES", for help texts; empty when there are none
  std::string (*why_not)(const Structure& s);  ///< the reason against M; empty when M can be built
  void (*check)(std::string_view options);     ///< throws ArgumentError for a text that M doesn't take
  RowsNamed (*rows_named)(std::string_view options);
  /// What M keeps with the options that are the default, as far as that is known without making M.
  std::optional<MemoryPrediction> (*predict)(const Analysis<Space, T>& analysis);
  /// Announces the memory of M to the budget before taking it.
  std::unique_ptr<PreconditionerBase<Space, T>> (*build)(const Analysis<Space, T>& analysis, std::string_view options,
                                                         const StopRequest& stop, const MemoryBudget& memory);
};

namespace detail {

struct NoOptions {};

/// What M makes of a text "KEY=VALUE,KEY=VALUE" (M::parse_options); nothing where M has no options.
template <class M>
auto parsed_options(std::string_view text) {
  if constexpr (requires { M::parse_options(text); }) {
    return M::parse_options(text);
  } else {
    if (!text.empty()) throw ArgumentError(std::string(M::name) + " takes no options");
    return NoOptions{};
  }
}

template <class M>
RowsNamed rows_named(std::string_view text) {
  const auto options = parsed_options<M>(text);
  if constexpr (requires { M::rows_named(options); }) return M::rows_named(options);
  return RowsNamed::none;
}

/// What M says beforehand of its memory.
template <class M, class Analysis, class Options>
std::optional<MemoryPrediction> predicted(const Analysis& analysis, const Options& options) {
  if constexpr (requires { M::predict(analysis); }) return M::predict(analysis);
  if constexpr (requires { M::predict(analysis, options); }) return M::predict(analysis, options);
  return {};
}

template <class M, class Analysis>
M make(const Analysis& analysis, std::string_view options, const StopRequest& stop, const MemoryBudget& memory) {
  const auto parsed = parsed_options<M>(options);
  using Options = decltype(parsed);
  if (const auto known = predicted<M>(analysis, parsed)) memory.announce(*known);
  if constexpr (std::is_same_v<Options, const NoOptions>) {
    return M(analysis);
  } else if constexpr (std::is_constructible_v<M, const Analysis&, Options, const StopRequest&, const MemoryBudget&>) {
    return M(analysis, parsed, stop, memory);
  } else {
    return M(analysis, parsed);
  }
}

}  // namespace detail

/// Makes the list entry of a preconditioner class M for one space and value type. M has: name, description,
/// why_not(structure), a constructor from an Analysis, apply, bytes, space, revision; optionally what else a
/// PreconditionerBase has. One with options has them as a text `known_options` for help, parse_options(text), and
/// takes what that returns as the second argument of the constructor. One whose options refer to the numbers of the
/// rows has a static rows_named(options).
///
/// One that knows beforehand what memory it keeps says so by a static predict(analysis) or predict(analysis, options).
/// One that finds out on the way, and so takes long to make, takes a StopRequest and a MemoryBudget as the last
/// arguments of the constructor, to announce its memory there, and throws Stopped once the request is made. It may have
/// a static guess(analysis), for predict_memory() alone.
template <class M, class Space = typename M::space_type, class T = typename M::value_type>
constexpr PreconditionerEntry<Space, T> preconditioner_entry() {
  static_assert(Preconditioner<M, T>, "a preconditioner has no member: void apply(span<const T> r, span<T> z) const");
  std::string_view options;
  if constexpr (requires { M::known_options; }) options = M::known_options;
  return {M::name,
          M::description,
          options,
          &M::why_not,
          [](std::string_view text) { (void)detail::parsed_options<M>(text); },
          &detail::rows_named<M>,
          [](const Analysis<Space, T>& analysis) -> std::optional<MemoryPrediction> {
            if constexpr (requires { M::guess(analysis); }) return M::guess(analysis);
            return detail::predicted<M>(analysis, detail::parsed_options<M>({}));
          },
          [](const Analysis<Space, T>& analysis, std::string_view text, const StopRequest& stop,
             const MemoryBudget& memory) -> std::unique_ptr<PreconditionerBase<Space, T>> {
            return std::make_unique<detail::AdaptedPreconditioner<Space, T, M>>(
                analysis.space(), detail::make<M>(analysis, text, stop, memory));
          }};
}

/// The one list of preconditioners: dispatch, help and tests read it. "none" isn't in the list.
template <class Space, class T>
const std::vector<PreconditionerEntry<Space, T>>& preconditioner_list();
template <>
const std::vector<PreconditionerEntry<Host, float>>& preconditioner_list();
template <>
const std::vector<PreconditionerEntry<Host, double>>& preconditioner_list();
template <>
const std::vector<PreconditionerEntry<Cuda, float>>& preconditioner_list();
template <>
const std::vector<PreconditionerEntry<Cuda, double>>& preconditioner_list();

}  // namespace ostinato

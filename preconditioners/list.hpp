// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/level.hpp>
#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/preconditioners/contract/rows_named.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

/// An entry of the list of preconditioners. Options are a value of the options struct of M; an empty one stands for
/// those that are the default.
template <class Space, class T>
struct PreconditionerEntry {
  std::string_view name;
  std::string_view description;
  std::string (*known_options)();              ///< "KEY=VALUES, KEY=VALUES", for help texts; empty when there are none
  std::string (*why_not)(const Structure& s);  ///< the reason against M; empty when M can be built
  std::any (*parse)(std::string_view text);    ///< the options of a text; throws ArgumentError for what M doesn't take
  RowsNamed (*rows_named)(const std::any& options);
  /// What M keeps with the options that are the default, as far as that is known without making M.
  std::optional<MemoryPrediction> (*predict)(const Analysis<Space, T>& analysis);
  /// Announces the memory of M to the budget before taking it.
  /// Throws    ArgumentError for the options of another preconditioner; as the constructor of M.
  std::unique_ptr<PreconditionerBase<Space, T>> (*build)(const Analysis<Space, T>& analysis, const std::any& options,
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
using OptionsOf = decltype(parsed_options<M>({}));

template <class M>
OptionsOf<M> options_in(const std::any& value) {
  if (!value.has_value()) return {};
  if (const auto* options = std::any_cast<OptionsOf<M>>(&value)) return *options;
  throw ArgumentError(std::string(M::name) + ": the options are those of another preconditioner");
}

template <class M>
std::string known_options() {
  if constexpr (requires { M::known_options(); }) return M::known_options();
  return {};
}

template <class M>
RowsNamed rows_named(const std::any& value) {
  if constexpr (requires(const OptionsOf<M>& options) { M::rows_named(options); })
    return M::rows_named(options_in<M>(value));
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
M make(const Analysis& analysis, const std::any& value, const StopRequest& stop, const MemoryBudget& memory) {
  using Options = OptionsOf<M>;
  Options options = options_in<M>(value);
  if (const auto known = predicted<M>(analysis, options)) memory.announce(*known);
  if constexpr (std::is_same_v<Options, NoOptions>) {
    return M(analysis);
  } else if constexpr (std::is_constructible_v<M, const Analysis&, Options, const StopRequest&, const MemoryBudget&>) {
    return M(analysis, std::move(options), stop, memory);
  } else {
    return M(analysis, std::move(options));
  }
}

}  // namespace detail

/// Makes the list entry of a preconditioner class M for one space and value type. M has: name, description,
/// why_not(structure), a constructor from an Analysis, apply, bytes, space, revision; optionally what else a
/// PreconditionerBase has. One with options has parse_options(text), takes what that returns as the second argument of
/// the constructor, and says for help what they are in a text by known_options(); both come from one OptionTable
/// (option_text.hpp). One whose options refer to the numbers of the rows has a static rows_named(options).
///
/// One that knows beforehand what memory it keeps says so by a static predict(analysis) or predict(analysis, options).
/// One that finds out on the way, and so takes long to make, takes a StopRequest and a MemoryBudget as the last
/// arguments of the constructor, to announce its memory there, and throws Stopped once the request is made. It may have
/// a static guess(analysis), for predict_memory() alone.
template <class M, class Space = typename M::space_type, class T = typename M::value_type>
constexpr PreconditionerEntry<Space, T> preconditioner_entry() {
  static_assert(Preconditioner<M, T>, "a preconditioner has no member: void apply(span<const T> r, span<T> z) const");
  return {M::name,
          M::description,
          &detail::known_options<M>,
          &M::why_not,
          [](std::string_view text) { return std::any(detail::parsed_options<M>(text)); },
          &detail::rows_named<M>,
          [](const Analysis<Space, T>& analysis) -> std::optional<MemoryPrediction> {
            if constexpr (requires { M::guess(analysis); }) return M::guess(analysis);
            return detail::predicted<M>(analysis, detail::OptionsOf<M>());
          },
          [](const Analysis<Space, T>& analysis, const std::any& options, const StopRequest& stop,
             const MemoryBudget& memory) -> std::unique_ptr<PreconditionerBase<Space, T>> {
            return std::make_unique<detail::AdaptedPreconditioner<Space, T, M>>(
                analysis.space(), detail::make<M>(analysis, options, stop, memory));
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

/// The entry of a name; null when there is none.
template <class Space, class T>
const PreconditionerEntry<Space, T>* find_preconditioner(std::string_view name) {
  for (const PreconditionerEntry<Space, T>& entry : preconditioner_list<Space, T>())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace ostinato

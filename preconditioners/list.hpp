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

/// A preconditioner behind virtual functions. Only the preconditioner's own .cpp file includes its class.
template <class Space, class T>
class BuiltPreconditioner {
 public:
  virtual ~BuiltPreconditioner() = default;
  virtual void apply(std::span<const T> r, std::span<T> z) const = 0;                    ///< z = M^-1 r
  virtual bool apply_dot(std::span<const T> r, std::span<T> z, double* slot) const = 0;  ///< false when M has none
  /// As apply_dot() for vectors in float, where T is double. Does nothing unless has_mixed_dot().
  virtual void mixed_dot(std::span<const float> r, std::span<float> z, double* slot) const = 0;
  virtual bool has_mixed_dot() const = 0;
  virtual bool capturable() const = 0;
  virtual int revision() const = 0;
  virtual const Space& space() const = 0;
  virtual double seconds() const = 0;
  virtual bool equals_transpose() const = 0;
  virtual bool works_in_float() const = 0;
  virtual std::vector<PreconditionerLevel> levels() const = 0;
  virtual double rate() const = 0;          ///< by what M shrank an error on trial; 0 when it wasn't tried
  virtual bool varies() const = 0;          ///< M isn't a linear function of r, or differs from call to call
  virtual bool symmetric() const = 0;       ///< M is symmetric when A is
  virtual Index null_pivots() const = 0;    ///< IncompleteLu::null_pivots()
  virtual std::string remarks() const = 0;  ///< what was made, for messages; empty where there is nothing to say
  virtual std::size_t bytes() const = 0;
  /// Takes a matrix with new values; after an exception the preconditioner is as before. False, and nothing done, when
  /// M can't.
  virtual bool update_values(const Analysis<Space, T>& analysis) = 0;
};

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
  std::unique_ptr<BuiltPreconditioner<Space, T>> (*build)(const Analysis<Space, T>& analysis, std::string_view options,
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

template <class M>
class ErasedPreconditioner final : public BuiltPreconditioner<typename M::space_type, typename M::value_type> {
 public:
  using Space = typename M::space_type;
  using T = typename M::value_type;

  ErasedPreconditioner(const Analysis<Space, T>& analysis, std::string_view options, const StopRequest& stop,
                       const MemoryBudget& memory)
      : m_(make<M>(analysis, options, stop, memory)) {}

  void apply(std::span<const T> r, std::span<T> z) const override { m_.apply(r, z); }
  bool apply_dot(std::span<const T> r, std::span<T> z, double* slot) const override {
    if constexpr (requires { m_.apply_dot(r, z, slot); }) {
      m_.apply_dot(r, z, slot);
      return true;
    } else {
      return false;
    }
  }
  void mixed_dot(std::span<const float> r, std::span<float> z, double* slot) const override {
    if constexpr (requires { m_.mixed_dot(r, z, slot); }) m_.mixed_dot(r, z, slot);
  }
  bool has_mixed_dot() const override {
    if constexpr (requires { m_.has_mixed_dot(); }) return m_.has_mixed_dot();
    return false;
  }
  bool capturable() const override { return is_capturable<M>; }
  int revision() const override { return m_.revision(); }
  const Space& space() const override { return m_.space(); }
  double seconds() const override {
    if constexpr (requires { m_.seconds(); }) return m_.seconds();
    return 0;
  }
  bool equals_transpose() const override {
    if constexpr (requires { m_.equals_transpose(); }) return m_.equals_transpose();
    return false;
  }
  bool works_in_float() const override {
    if constexpr (requires { m_.works_in_float(); }) return m_.works_in_float();
    return false;
  }
  double rate() const override {
    if constexpr (requires { m_.rate(); }) return m_.rate();
    return 0;
  }
  bool varies() const override {
    if constexpr (requires { m_.varies(); }) return m_.varies();
    return false;
  }
  bool symmetric() const override {
    if constexpr (requires { m_.symmetric(); }) return m_.symmetric();
    return true;
  }
  Index null_pivots() const override {
    if constexpr (requires { m_.null_pivots(); }) return m_.null_pivots();
    return 0;
  }
  std::string remarks() const override {
    if constexpr (requires { m_.remarks(); }) return m_.remarks();
    return {};
  }
  std::vector<PreconditionerLevel> levels() const override {
    if constexpr (requires { m_.levels(); }) return m_.levels();
    return {};
  }
  std::size_t bytes() const override { return m_.bytes(); }
  bool update_values(const Analysis<Space, T>& analysis) override {
    if constexpr (requires { m_.update_values(analysis); }) {
      m_.update_values(analysis);
      return true;
    } else {
      return false;
    }
  }

 private:
  M m_;
};

}  // namespace detail

/// Makes the list entry of a preconditioner class M for one space and value type. M has: name, description,
/// why_not(structure), a constructor from an Analysis, apply, bytes, space, revision; optionally apply_dot,
/// is_capturable, seconds, equals_transpose, works_in_float, levels, rate, varies, symmetric, remarks, null_pivots and
/// update_values(analysis). One with options has them as a text `known_options` for help, parse_options(text), and
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
             const MemoryBudget& memory) -> std::unique_ptr<BuiltPreconditioner<Space, T>> {
            return std::make_unique<detail::ErasedPreconditioner<M>>(analysis, text, stop, memory);
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

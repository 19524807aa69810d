// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/cost/cost.hpp>
#include <ostinato/spmv/formats/contract/built_format.hpp>
#include <ostinato/spmv/formats/contract/parameters.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato {

/// The contract of a format: a class for one space and one value type with the members below. `format_entry<F>()` puts
/// the class into a list of formats. Selection, --help, `inspect`, the tests and the benchmarks go by the list.
///
///   space_type, value_type
///   static constexpr std::string_view name         the name that --format takes
///   static constexpr std::string_view description  a line for --help
///   static Cost cost(const PlanInput&)             bytes and predicted times, or why the format can't hold the matrix
///   F(space, matrix, const PlanInput&)             builds from a SpaceCsr; throws where cost() gives a reason_not. A
///                                                  format that goes on using the arrays keeps matrix.kept(space)
///   void apply(alpha, x, beta, y) const            y = alpha A x + beta y, enqueued; beta = 0 overwrites even NaN
///   std::size_t bytes() const                      bytes stored for the matrix
///
/// Optional members:
///   apply_dot, residual, lower, revision           as those of LinearMap (spmv/linear_map.hpp), for spans and one slot
///   void or bool update_values(matrix)             takes new values on the same pattern without allocation or
///                                                  analysis; false when the stored form can't hold the values: the
///                                                  format is then built anew
///   const SpaceCsr<Space, T>& csr() const          the matrix, where the format stores it so: an update of the values
///                                                  then leaves it to the first who asks to look at them
///   void generate(wait)                            compiles kernels for this matrix, in the background unless `wait`
///                                                  is set
///   std::string generated() const                  the state of the compiled kernels in words
///   static std::string why_absent()                why the format can't be used in this process, such as a library
///                                                  that isn't there; empty when it can be. `auto` asks before it takes
///                                                  the format
///
/// A format that takes decisions before the arrays are built has a `Plan`. The plan is made once; cost() and the
/// constructor take it:
///   struct Plan
///   static Plan plan(const PlanInput&)
///   static Cost cost(const PlanInput&, const Plan&)               instead of cost(const PlanInput&)
///   F(space, matrix, const PlanInput&, const Plan&)               instead of F(space, matrix, const PlanInput&)
///
/// A plan that users and the tuner choose is called `Parameters`, and has these members
/// (spmv/formats/contract/parameters.hpp helps to write them):
///   std::string text() const                       "height=8,version=2"
///   static Parameters parse(text)                  missing keys take defaults; ArgumentError names what is allowed
/// The format then has, in the place of plan():
///   static Parameters choose(const PlanInput&)
///   static std::vector<Parameters> variants(const PlanInput&)     parameters worth timing, the most promising first
template <class F>
concept Format = requires(const F& f, typename F::value_type a, std::span<const typename F::value_type> x,
                          std::span<typename F::value_type> y) {
  typename F::space_type;
  { F::name } -> std::convertible_to<std::string_view>;
  { F::description } -> std::convertible_to<std::string_view>;
  f.apply(a, x, a, y);
  { f.bytes() } -> std::same_as<std::size_t>;
};

template <class F>
concept HasParameters = requires {
  typename F::Parameters;
};

template <class F>
concept HasPlan = requires {
  typename F::Plan;
};

/// A format's plan for a matrix, with its cost.
struct Proposal {
  std::string parameters = {};                 ///< "height=8,version=2"; empty for a format without parameters
  Cost cost = {};                              ///< of a product with these parameters
  std::shared_ptr<const void> plan = nullptr;  ///< the format's Parameters or Plan, which build() takes
};

/// A format in a list, with its class erased.
template <class Space, class T>
struct FormatEntry {
  using Built = std::unique_ptr<BuiltFormat<Space, T>>;

  std::string_view name;
  std::string_view description;

  /// Plans with the parameters in a text, or with the format's own choice when the text is empty. Throws ArgumentError
  /// when the format doesn't have such parameters.
  Proposal (*propose)(const PlanInput& in, std::string_view parameters);

  /// Throws what propose() would throw for these parameters; needs no matrix.
  void (*check_parameters)(std::string_view parameters);

  /// Proposals worth timing, the most promising first; none for a format without parameters.
  std::vector<Proposal> (*variants)(const PlanInput& in);

  /// Builds the format from a proposal for the same input.
  Built (*build)(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in, const Proposal& proposal);

  /// Why the format can't be used in this process; empty when it can be.
  std::string (*why_absent)();
};

namespace detail {

/// Implements BuiltFormat by a format of class F.
template <class F>
class Erased final : public Adapted<BuiltFormat<typename F::space_type, typename F::value_type>, F> {
 public:
  using Space = typename F::space_type;
  using T = typename F::value_type;

  template <class... Args>
  Erased(const Space& space, const SpaceCsr<Space, T>& a, const Args&... args)
      : Adapted<BuiltFormat<Space, T>, F>(space, static_cast<std::size_t>(a.view().rows),
                                          static_cast<std::size_t>(a.view().cols), space, a, args...) {}

  bool update_values(const SpaceCsr<Space, T>& a) override {
    if constexpr (requires { bool(a_.update_values(a)); }) {
      return a_.update_values(a);
    } else if constexpr (requires { a_.update_values(a); }) {
      a_.update_values(a);
      return true;
    } else {
      return false;
    }
  }

  const SpaceCsr<Space, T>* csr() const override {
    if constexpr (requires { &a_.csr(); }) return &a_.csr();
    return nullptr;
  }

  void generate(bool wait) override {
    if constexpr (requires { a_.generate(wait); }) a_.generate(wait);
  }

  std::string generated() const override {
    if constexpr (requires { a_.generated(); }) return a_.generated();
    return {};
  }

 private:
  using Adapted<BuiltFormat<Space, T>, F>::a_;
};

/// Checks each member by itself, so that the compiler tells the author of a format which member is missing.
template <class F>
constexpr void require_format() {
  using T = typename F::value_type;
  using S = typename F::space_type;
  using A = SpaceCsr<S, T>;
  static_assert(
      requires { std::string_view(F::name); }, "a format has no member: static std::string_view name");
  static_assert(
      requires { std::string_view(F::description); }, "a format has no member: static std::string_view description");
  static_assert(
      requires(const F& f, T a, std::span<const T> x, std::span<T> y) { f.apply(a, x, a, y); },
      "a format has no member: void apply(T alpha, span<const T> x, T beta, span<T> y) const");
  static_assert(
      requires(const F& f) { std::size_t(f.bytes()); }, "a format has no member: std::size_t bytes() const");
  static_assert(Format<F>, "a format has a member of another type than ostinato::Format asks for");
  if constexpr (!HasParameters<F> && !HasPlan<F>) {
    static_assert(
        requires(const PlanInput& in) { Cost(F::cost(in)); },
        "a format has no member: static Cost cost(const PlanInput&)");
    static_assert(std::constructible_from<F, const S&, const A&, const PlanInput&>,
                  "a format has no constructor: F(const Space&, const SpaceCsr<Space, T>&, const PlanInput&)");
  }
}

/// Checks the members of a format with Parameters, each by itself.
template <class F>
constexpr void require_parameters() {
  using P = typename F::Parameters;
  static_assert(
      requires(const P& p) { std::string(p.text()); },
      "a format's Parameters have no member: std::string text() const");
  static_assert(
      requires(std::string_view text) { P(P::parse(text)); },
      "a format's Parameters have no member: static Parameters parse(std::string_view)");
  static_assert(
      requires(const PlanInput& in) { P(F::choose(in)); },
      "a format with Parameters has no member: static Parameters choose(const PlanInput&)");
  static_assert(
      requires(const PlanInput& in) { std::vector<P>(F::variants(in)); },
      "a format with Parameters has no member: static std::vector<Parameters> variants(const PlanInput&)");
  static_assert(
      requires(const PlanInput& in, const P& p) { Cost(F::cost(in, p)); },
      "a format with Parameters has no member: static Cost cost(const PlanInput&, const Parameters&)");
  static_assert(
      requires(const typename F::space_type& s, const SpaceCsr<typename F::space_type, typename F::value_type>& a,
               const PlanInput& in, const P& p) { F(s, a, in, p); },
      "a format with Parameters has no constructor: F(const Space&, const SpaceCsr<Space, T>&, const PlanInput&, const "
      "Parameters&)");
}

template <class F>
Proposal proposal(const PlanInput& in, typename F::Parameters p) {
  return {p.text(), F::cost(in, p), std::make_shared<const typename F::Parameters>(std::move(p))};
}

template <class F>
Proposal propose(const PlanInput& in, std::string_view parameters) {
  if constexpr (HasParameters<F>) {
    return proposal<F>(in, parameters.empty() ? F::choose(in) : F::Parameters::parse(parameters));
  } else {
    if (!parameters.empty()) refuse_parameters(F::name);
    if constexpr (HasPlan<F>) {
      auto plan = std::make_shared<const typename F::Plan>(F::plan(in));
      return {{}, F::cost(in, *plan), plan};
    } else {
      return {{}, F::cost(in), nullptr};
    }
  }
}

template <class F>
void check_parameters(std::string_view parameters) {
  if (parameters.empty()) return;
  if constexpr (HasParameters<F>) {
    F::Parameters::parse(parameters);
  } else {
    refuse_parameters(F::name);
  }
}

template <class F>
std::vector<Proposal> variants(const PlanInput& in) {
  std::vector<Proposal> all;
  if constexpr (HasParameters<F>) {
    for (auto& p : F::variants(in)) all.push_back(proposal<F>(in, std::move(p)));
  }
  return all;
}

template <class F, class Space = typename F::space_type, class T = typename F::value_type>
std::unique_ptr<BuiltFormat<Space, T>> build(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in,
                                             const Proposal& proposal) {
  if constexpr (HasParameters<F>) {
    return std::make_unique<Erased<F>>(space, a, in, *static_cast<const typename F::Parameters*>(proposal.plan.get()));
  } else if constexpr (HasPlan<F>) {
    return std::make_unique<Erased<F>>(space, a, in, *static_cast<const typename F::Plan*>(proposal.plan.get()));
  } else {
    return std::make_unique<Erased<F>>(space, a, in);
  }
}

template <class F>
std::string why_absent() {
  if constexpr (requires { F::why_absent(); }) {
    return F::why_absent();
  } else {
    return {};
  }
}

}  // namespace detail

/// The list entry of a format class.
template <class F>
FormatEntry<typename F::space_type, typename F::value_type> format_entry() {
  detail::require_format<F>();
  if constexpr (HasParameters<F>) detail::require_parameters<F>();
  return {
      F::name,           F::description,        &detail::propose<F>, &detail::check_parameters<F>, &detail::variants<F>,
      &detail::build<F>, &detail::why_absent<F>};
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/selection/select.hpp>
#include <ostinato/spmv/analysis/structure.hpp>

namespace ostinato {

template <class F>
concept HasParameters = requires {
  typename F::Parameters;
};

/// What a format is: a class template over Space and T with these members, in one file under spmv/formats/, named once
/// in spmv/formats/list.hpp. It then has its place in the selection, --help, `inspect`, the tests and the benchmarks.
///
///   static constexpr std::string_view name         as --format takes it
///   static constexpr std::string_view description  a line for --help
///   static Cost cost(structure, machine)           bytes, predicted times, or the reason why it doesn't apply
///   F(space, resident, structure)                  builds, may move from resident; throws where cost() says why not
///   void apply(alpha, x, beta, y) const            y = alpha A x + beta y, enqueued; beta = 0 overwrites even NaN
///   std::size_t bytes() const                      stored for the matrix
///
/// Optional:
///   void apply_dot(x, y, w, slot) const            y = A x, *slot = w . y, in one pass
///   void residual(x, b, r, slot) const             r = b - A x, *slot = r . r, in one pass
///   void or bool update_values(resident)           new values, same pattern; no allocation, no analysis. False when
///                                                  they don't fit what was stored: the format is built anew then
///   void generate(wait)                            compiles kernels for this matrix, beside what goes on unless `wait`
///   int revision() const                           changes when such kernels come into use
///   std::string generated() const                  what became of them
///
/// A format whose layout or kernels can be tuned has all of these as well (spmv/formats/parameters.hpp helps):
///   struct Parameters                              comparable; a default for each
///     std::string text() const                     "height=8,version=2"
///     static Parameters parse(text)                missing keys take defaults; ArgumentError names what is allowed
///   static Parameters choose(structure, machine)   by rule
///   static std::vector<Parameters> variants(structure, machine)   worth timing, the most promising first
///   static Cost cost(structure, machine, parameters)              cost(s, m) is that of choose(s, m)
///   F(space, resident, structure, parameters)      F(space, resident, structure) takes those of choose()
template <class F>
concept Format = requires(const F& f, const typename F::space_type& space,
                          Resident<typename F::space_type, typename F::value_type> r, const Structure& s,
                          const Machine& m, typename F::value_type a, std::span<const typename F::value_type> x,
                          std::span<typename F::value_type> y) {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::description } -> std::convertible_to<std::string_view>;
  { F::cost(s, m) } -> std::same_as<Cost>;
  F(space, std::move(r), s);
  f.apply(a, x, a, y);
  { f.bytes() } -> std::same_as<std::size_t>;
};

/// What require_format asks of a format that has parameters.
template <class F>
constexpr void require_parameters() {
  using P = typename F::Parameters;
  using R = Resident<typename F::space_type, typename F::value_type>;
  static_assert(std::equality_comparable<P> && std::default_initializable<P>,
                "a format's Parameters have no operator== or no defaults");
  static_assert(
      requires(const P& p) { std::string(p.text()); },
      "a format's Parameters have no member: std::string text() const");
  static_assert(
      requires(std::string_view text) { P(P::parse(text)); },
      "a format's Parameters have no member: static Parameters parse(std::string_view)");
  static_assert(
      requires(const Structure& s, const Machine& m) { P(F::choose(s, m)); },
      "a format with Parameters has no member: static Parameters choose(const Structure&, const Machine&)");
  static_assert(
      requires(const Structure& s, const Machine& m) { std::vector<P>(F::variants(s, m)); },
      "a format with Parameters has no member: static std::vector<Parameters> variants(const Structure&, const "
      "Machine&)");
  static_assert(
      requires(const Structure& s, const Machine& m, const P& p) { Cost(F::cost(s, m, p)); },
      "a format with Parameters has no member: static Cost cost(const Structure&, const Machine&, const Parameters&)");
  static_assert(std::constructible_from<F, const typename F::space_type&, R, const Structure&, const P&>,
                "a format with Parameters has no constructor: F(const Space&, Resident<Space, T>, const Structure&, "
                "const Parameters&)");
}

/// Each member by itself, so that a format that misses one is told which.
template <class F>
constexpr void require_format() {
  using T = typename F::value_type;
  using S = typename F::space_type;
  static_assert(
      requires { std::string_view(F::name); }, "a registered format has no member: static std::string_view name");
  static_assert(
      requires { std::string_view(F::description); },
      "a registered format has no member: static std::string_view description");
  static_assert(
      requires(const Structure& s, const Machine& m) { Cost(F::cost(s, m)); },
      "a registered format has no member: static Cost cost(const Structure&, const Machine&)");
  static_assert(std::constructible_from<F, const S&, Resident<S, T>, const Structure&>,
                "a registered format has no constructor: F(const Space&, Resident<Space, T>, const Structure&)");
  static_assert(
      requires(const F& f, T a, std::span<const T> x, std::span<T> y) { f.apply(a, x, a, y); },
      "a registered format has no member: void apply(T alpha, span<const T> x, T beta, span<T> y) const");
  static_assert(
      requires(const F& f) { std::size_t(f.bytes()); }, "a registered format has no member: std::size_t bytes() const");
  static_assert(Format<F>, "a registered format has a member of another type than ostinato::Format asks for");
  if constexpr (HasParameters<F>) require_parameters<F>();
}

/// A list of formats as a type. `Formats::with<F>` is the list with one more.
template <class... F>
struct FormatList {
  template <class More>
  using with = FormatList<F..., More>;
};

}  // namespace ostinato

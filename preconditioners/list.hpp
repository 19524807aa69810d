// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/preconditioners/level.hpp>
#include <ostinato/preconditioners/preconditioner.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>

namespace ostinato {

/// A preconditioner behind virtual functions. Only the preconditioner's own .cpp file includes its class.
template <class Space, class T>
class BuiltPreconditioner {
 public:
  virtual ~BuiltPreconditioner() = default;
  virtual void apply(std::span<const T> r, std::span<T> z) const = 0;                    ///< z = M^-1 r
  virtual bool apply_dot(std::span<const T> r, std::span<T> z, double* slot) const = 0;  ///< false when M has none
  virtual bool capturable() const = 0;
  virtual double seconds() const = 0;
  virtual bool works_in_float() const = 0;
  virtual std::vector<PreconditionerLevel> levels() const = 0;
  virtual double rate() const = 0;  ///< by what M shrank an error on trial; 0 when it wasn't tried
  virtual std::size_t bytes() const = 0;
};

/// An entry of the list of preconditioners.
template <class Space, class T>
struct PreconditionerEntry {
  std::string_view name;
  std::string_view description;
  std::string (*why_not)(const Structure& s);  ///< the reason against M; empty when M can be built
  std::unique_ptr<BuiltPreconditioner<Space, T>> (*build)(const Analysis<Space, T>& analysis);
};

namespace detail {

template <class M>
class ErasedPreconditioner final : public BuiltPreconditioner<typename M::space_type, typename M::value_type> {
 public:
  using Space = typename M::space_type;
  using T = typename M::value_type;

  explicit ErasedPreconditioner(const Analysis<Space, T>& analysis) : m_(analysis) {}

  void apply(std::span<const T> r, std::span<T> z) const override { m_.apply(r, z); }
  bool apply_dot(std::span<const T> r, std::span<T> z, double* slot) const override {
    if constexpr (requires { m_.apply_dot(r, z, slot); }) {
      m_.apply_dot(r, z, slot);
      return true;
    } else {
      return false;
    }
  }
  bool capturable() const override { return is_capturable<M>; }
  double seconds() const override {
    if constexpr (requires { m_.seconds(); }) return m_.seconds();
    return 0;
  }
  bool works_in_float() const override {
    if constexpr (requires { m_.works_in_float(); }) return m_.works_in_float();
    return false;
  }
  double rate() const override {
    if constexpr (requires { m_.rate(); }) return m_.rate();
    return 0;
  }
  std::vector<PreconditionerLevel> levels() const override {
    if constexpr (requires { m_.levels(); }) return m_.levels();
    return {};
  }
  std::size_t bytes() const override { return m_.bytes(); }

 private:
  M m_;
};

}  // namespace detail

/// Makes the list entry of a preconditioner class M for one space and value type. M has: name, description,
/// why_not(structure), a constructor from an Analysis, apply, bytes; optionally apply_dot, is_capturable, seconds,
/// works_in_float, levels and rate.
template <class M, class Space = typename M::space_type, class T = typename M::value_type>
PreconditionerEntry<Space, T> preconditioner_entry() {
  static_assert(Preconditioner<M, T>, "a preconditioner has no member: void apply(span<const T> r, span<T> z) const");
  return {M::name, M::description, &M::why_not,
          [](const Analysis<Space, T>& analysis) -> std::unique_ptr<BuiltPreconditioner<Space, T>> {
            return std::make_unique<detail::ErasedPreconditioner<M>>(analysis);
          }};
}

/// The one list of preconditioners: dispatch, help and tests read it. "none" isn't in the list.
template <class Space, class T>
const std::vector<PreconditionerEntry<Space, T>>& preconditioner_list();

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>

#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/spmv/analysis/structure.hpp>

namespace ostinato {

/// THE list of preconditioners: dispatch, help and tests read it.
template <class Space, class T>
using Preconditioners = std::variant<  //
    Identity,                          //
    Jacobi<Space, T>>;

struct PreconditionerInfo {
  std::string_view name;
  std::string_view description;
};

template <class... M>
constexpr std::array<PreconditionerInfo, sizeof...(M)> describe(const std::variant<M...>*) {
  return {PreconditionerInfo{M::name, M::description}...};
}

/// Names and descriptions, for help texts.
inline constexpr auto preconditioner_infos = describe(static_cast<const Preconditioners<Host, double>*>(nullptr));

/// The preconditioner that `auto` takes, and why.
struct PreconditionerChoice {
  std::string name;
  std::string reason;
};

/// Jacobi, unless the diagonal is constant (it would change nothing) or has gaps (it can't be built).
PreconditionerChoice choose_preconditioner(const Structure& s);

/// A preconditioner chosen by name at run time.
template <class Space, class T>
class AnyPreconditioner {
 public:
  /// name: "auto" or one of the list. Throws ArgumentError for an unknown name, listing the known ones; what the
  /// constructors throw.
  AnyPreconditioner(const Space& space, const CsrView<T>& a, const Structure& s, std::string_view name = "auto");

  const std::string& name() const { return choice_.name; }
  const std::string& reason() const { return choice_.reason; }
  const Preconditioners<Space, T>& variant() const { return preconditioner_; }
  std::size_t bytes() const {
    return std::visit([](const auto& m) { return m.bytes(); }, preconditioner_);
  }

 private:
  PreconditionerChoice choice_;
  Preconditioners<Space, T> preconditioner_;
};

}  // namespace ostinato

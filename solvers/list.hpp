// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <ostinato/preconditioners/synonyms.hpp>
#include <ostinato/solvers/methods/bicgstab.hpp>
#include <ostinato/solvers/methods/bicgstab2.hpp>
#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/solvers/methods/gcrodr.hpp>
#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/solvers/methods/idr.hpp>
#include <ostinato/solvers/methods/lsmr.hpp>
#include <ostinato/solvers/methods/minres.hpp>

namespace ostinato {

template <class... M>
struct MethodList {};

/// The one list of solvers: dispatch, help, reports, tests and benchmarks read it.
using Solvers = MethodList<Cg, Bicgstab, Gmres, Minres, Bicgstab2, Idr, Gcrodr, Lsmr>;

/// What a method says of itself.
struct SolverInfo {
  std::string_view name;
  std::string_view description;
  int products_per_iteration;
  RoleInAuto in_auto;
  OwnOptions own_options;
  bool needs_symmetry, needs_definiteness;
  bool needs_transpose;  ///< products with A^T count as products, too
  bool takes_varying_m, has_steady_residual, forms_large_squares;
  std::size_t (*basis_bytes)(std::size_t rows, std::size_t value_bytes, const SolveOptions& options);
  std::string (*variant)(const SolveOptions& options);

  /// Whether it takes a preconditioner that isn't symmetric, of a square matrix.
  constexpr bool takes_factors() const { return !needs_symmetry && !needs_transpose; }
};

template <class M>
constexpr SolverInfo describe() {
  return {
      M::name,
      M::description,
      M::products_per_iteration,
      M::in_auto,
      M::Options::own,
      M::needs_symmetry,
      M::needs_definiteness,
      M::needs_transpose,
      M::takes_varying_m,
      M::has_steady_residual,
      M::forms_large_squares,
      &M::basis_bytes,
      &M::variant,
  };
}

template <class... M>
constexpr std::array<SolverInfo, sizeof...(M)> describe(MethodList<M...>) {
  return {describe<M>()...};
}

inline constexpr auto solver_infos = describe(Solvers{});

/// What the method of a name says of itself; null when there is none.
constexpr const SolverInfo* find_solver(std::string_view name) {
  for (const SolverInfo& info : solver_infos)
    if (info.name == name) return &info;
  return nullptr;
}

/// Whether a solver, by its name or a synonym, takes matrices that aren't square, as least squares problems.
inline bool takes_any_shape(std::string_view name) {
  const SolverInfo* const info = find_solver(usual_name(NameOf::solver, name).name);
  return info != nullptr && info->needs_transpose;
}

namespace detail {

/// The place of the one method with a role; the number of methods where there is none, or more than one.
constexpr std::size_t place_of(RoleInAuto role) {
  std::size_t place = solver_infos.size();
  for (std::size_t i = 0; i < solver_infos.size(); ++i) {
    if (solver_infos[i].in_auto != role) continue;
    if (place != solver_infos.size()) return solver_infos.size();
    place = i;
  }
  return place;
}

}  // namespace detail

/// The method that "auto" takes in a role.
template <RoleInAuto role>
constexpr const SolverInfo& method_of_auto() {
  static_assert(detail::place_of(role) < solver_infos.size(), "a role has one method");
  return solver_infos[detail::place_of(role)];
}

/// The name of that.
template <RoleInAuto role>
inline constexpr std::string_view name_in_auto = method_of_auto<role>().name;

}  // namespace ostinato

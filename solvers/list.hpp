// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <ostinato/solvers/bicgstab.hpp>
#include <ostinato/solvers/cg.hpp>
#include <ostinato/solvers/gmres.hpp>
#include <ostinato/solvers/idr.hpp>
#include <ostinato/solvers/lsmr.hpp>
#include <ostinato/solvers/minres.hpp>

namespace ostinato {

template <class... M>
struct MethodList {};

/// The one list of solvers: dispatch, help, reports, tests and benchmarks read it.
using Solvers = MethodList<Cg, Bicgstab, Gmres, Minres, Idr, Lsmr>;

struct SolverInfo {
  std::string_view name;
  std::string_view description;
  int products_per_iteration;
};

template <class... M>
constexpr std::array<SolverInfo, sizeof...(M)> describe(MethodList<M...>) {
  return {SolverInfo{M::name, M::description, M::products_per_iteration}...};
}

inline constexpr auto solver_infos = describe(Solvers{});

}  // namespace ostinato

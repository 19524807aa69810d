// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <ostinato/solvers/bicgstab.hpp>
#include <ostinato/solvers/bicgstab2.hpp>
#include <ostinato/solvers/cg.hpp>
#include <ostinato/solvers/gcrodr.hpp>
#include <ostinato/solvers/gmres.hpp>
#include <ostinato/solvers/idr.hpp>
#include <ostinato/solvers/lsmr.hpp>
#include <ostinato/solvers/minres.hpp>

namespace ostinato {

template <class... M>
struct MethodList {};

/// The one list of solvers: dispatch, help, reports, tests and benchmarks read it.
using Solvers = MethodList<Cg, Bicgstab, Gmres, Minres, Bicgstab2, Idr, Gcrodr, Lsmr>;

struct SolverInfo {
  std::string_view name;
  std::string_view description;
  int products_per_iteration;
  bool needs_transpose;  ///< products with A^T count as products, too
};

template <class... M>
constexpr std::array<SolverInfo, sizeof...(M)> describe(MethodList<M...>) {
  return {SolverInfo{M::name, M::description, M::products_per_iteration, requires {M::needs_transpose;
}
}  // namespace ostinato
...
}
;
}

inline constexpr auto solver_infos = describe(Solvers{});

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <ostinato/preconditioners/any_preconditioner.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/operator.hpp>

namespace ostinato {

struct SolverInfo {
  std::string_view name;
  std::string_view description;
};

/// THE list of solvers: dispatch, help and tests read it.
inline constexpr std::array<SolverInfo, 3> solver_infos = {{
    {"cg", "conjugate gradients; symmetric positive definite matrices"},
    {"bicgstab", "stabilised bi-conjugate gradients; any matrix, little memory"},
    {"gmres", "restarted GMRES; any matrix, robust, keeps a basis of --restart vectors"},
}};

/// The solver that `auto` begins with, and why.
struct SolverChoice {
  std::string name;
  std::string reason;
};

/// CG when the matrix is symmetric with a positive diagonal. Otherwise GMRES while its basis takes at most 2 GB, else
/// BiCGSTAB.
SolverChoice choose_solver(const Structure& s, std::size_t value_bytes, int restart);

/// Solves A x = b with a solver chosen by name ("auto", "cg", "bicgstab", "gmres").
///
/// Under auto a solver that can't go on (CG on negative curvature, a breakdown, stagnation) hands its x on to the next
/// one; result.notes says so, and iterations, history and time go on counting.
///
/// Shapes    A: n x n.  b, x: n, in the memory of `space`. x comes in with the initial guess.
/// Throws    ArgumentError for an unknown name, listing the known ones; DimensionError; DeviceError.
template <class Space, class T>
SolveResult solve(const Space& space, const Operator<Space, T>& a, In<T> b, Out<std::type_identity_t<T>> x,
                  const AnyPreconditioner<Space, T>& m, std::string_view solver = "auto",
                  const SolveOptions& options = {});

}  // namespace ostinato

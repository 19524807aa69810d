// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <ostinato/preconditioners/preconditioner.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/linear_operator.hpp>

namespace ostinato {

/// The solver that `auto` begins with, and why.
struct SolverChoice {
  std::string name;
  std::string reason;
};

/// CG when the matrix is symmetric with a positive diagonal, MINRES when it is symmetric otherwise. Else GMRES while its
/// basis takes at most 2 GB, else BiCGSTAB.
SolverChoice choose_solver(const Structure& s, std::size_t value_bytes, int restart);

namespace detail {

/// solve() for operators and preconditioners of one class.
template <class Space, class T>
SolveResult solve_by_name(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                          const PreconditionerRef<Space, T>& m, std::string_view solver, const SolveOptions& options);

}  // namespace detail

/// Solves A x = b with a solver chosen by name: "auto", or one of the list.
///
/// Under auto a solver that can't go on (CG on negative curvature, a breakdown, stagnation) hands its x on to the next
/// one; result.notes says so, and iterations, history and time go on counting. An operator without structure() is taken
/// for one that isn't symmetric.
///
/// Shapes    A: n x n.  b, x: n, in the memory of `space`. x comes in with the initial guess.
/// Throws    ArgumentError for an unknown name, listing the known ones; DimensionError; DeviceError.
template <class Space, LinearOperator A, class M, class T = typename A::value_type>
requires Preconditioner<M, T> SolveResult solve(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                                                const M& m, std::string_view solver = "auto",
                                                const SolveOptions& options = {}) {
  return detail::solve_by_name<Space, T>(space, a, b, x, m, solver, options);
}

}  // namespace ostinato

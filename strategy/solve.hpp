// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

namespace ostinato {

namespace detail {

template <class Space, class T>
SolveResult solve_matrix(const Space& space, const Operator<Space, T>& a, In<T> b, Out<T> x, std::string_view solver,
                         const SolveOptions& options);
template <class Space, class T>
SolveResult solve_matrix(const Space& space, const StencilOperator<Space, T>& a, In<T> b, Out<T> x,
                         std::string_view solver, const SolveOptions& options);

template <class A, class Space, class T>
concept HasMatrix = std::same_as<A, Operator<Space, T>> || std::same_as<A, StencilOperator<Space, T>>;

}  // namespace detail

/// solve(space, A, b, x, solver, options) solves A x = b and chooses all that isn't named, as the program does: the
/// preconditioner (AnyPreconditioner), the solver, stronger ones where these don't get there. Solver and options may be
/// left out, each by itself.
///
/// A system with an Operator is prepared first (PreparedMatrix): rows that stand alone are solved by themselves, a
/// matrix that is symmetric but for rounding is treated as symmetric, rows of very different size are scaled. The
/// residual and the end state are those of the given system. A matrix that isn't square is solved by LSMR. For a
/// StencilOperator the preconditioner is multigrid where that pays. For other operators there is none: a preconditioner
/// needs entries.
///
/// Shapes    A: m x n. b: m, x: n, in the memory of `space`, apart from each other. On entry x holds the guess.
/// Exec      Makes a preconditioner on each call. For many solves with one matrix, make an AnyPreconditioner once.
/// Requires  An Operator whose matrix is at hand (Operator::analysis()). Without it there is no preconditioner, and a
///           note says so.
/// Throws    As solve() with a preconditioner.
template <IsSpace Space, class A, class T = typename detail::ValueOf<A>::type>
SolveResult solve(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                  std::string_view solver = "auto", const SolveOptions& options = {}) {
  if constexpr (detail::HasMatrix<A, Space, T>) {
    return detail::solve_matrix<Space, T>(space, a, b, x, solver, options);
  } else {
    return solve(space, a, b, x, Identity{}, solver, options);
  }
}

template <IsSpace Space, class A, class T = typename detail::ValueOf<A>::type>
SolveResult solve(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                  const SolveOptions& options) {
  return solve(space, a, b, x, "auto", options);
}

}  // namespace ostinato

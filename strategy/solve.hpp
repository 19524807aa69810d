// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/strategy/linear_solver.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

namespace ostinato {

namespace detail {

/// What a LinearSolver takes. Spaces of a program's own have their solvers compiled by the program.
template <class Space, class A, class T>
concept ForLinearSolver = LinearOperator<A> && Real<T> &&(std::same_as<Space, Host> || std::same_as<Space, Cuda>);

/// What is left of a limit of time after a set-up.
inline SolveOptions after(const Stopwatch& watch, SolveOptions options) {
  if (options.time_limit > 0) options.time_limit = std::max(1e-9, options.time_limit - watch.seconds());
  return options;
}

/// The result of a solve, which names the limit of time for set-up and solve together.
SolveResult with_whole_limit(SolveResult result, const SetUp& set_up, double time_limit);

}  // namespace detail

/// solve(space, A, b, x, solver, options) is a LinearSolver for one solve: it solves A x = b and chooses all that isn't
/// named. options.time_limit is for set-up and solve together. Solver and options may be left out, each by itself.
///
/// Shapes    A: m x n. b: m, x: n, in the memory of `space`, apart from each other. On entry x holds the guess.
/// Exec      Makes a preconditioner on each call. For many solves with one matrix, make a LinearSolver.
/// Requires  An Operator whose matrix is at hand (Operator::analysis()). Without it there is no preconditioner, and a
///           note says so.
/// Throws    As LinearSolver.
template <IsSpace Space, class A, class T = typename detail::ValueOf<A>::type>
SolveResult solve(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                  std::string_view solver = "auto", const SolveOptions& options = {}) {
  if constexpr (detail::ForLinearSolver<Space, A, T>) {
    const Stopwatch watch;
    LinearSolver<Space, T> system(space, a, {.solver = std::string(solver), .solve = options});
    SolveResult result = system.solve(b, x, detail::after(watch, options));
    return detail::with_whole_limit(std::move(result), system.set_up(), options.time_limit);
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

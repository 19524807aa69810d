// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato {

/// The solver that "auto" begins with, and the reason.
struct SolverChoice {
  std::string name;
  std::string reason;
};

/// What the choice of a solver asks of a preconditioner.
struct PreconditionerTraits {
  bool symmetric = true;
  bool varies = false;
  bool weak = true;  ///< it leaves many iterations, as Jacobi and ILU(0) do
  double rate = 0;   ///< by what it shrank an error on trial; 0: it wasn't tried
};

/// Chooses CG for a symmetric matrix with a positive or a negative diagonal, and MINRES for any other symmetric matrix.
/// For a nonsymmetric matrix chooses BiCGSTAB(2) with a weak preconditioner: of 30 real matrices that it and GMRES
/// solve with Jacobi or ILU(0) it takes less time on 26 (2026-11). Otherwise GMRES if there is memory for its basis
/// (basis_memory()), and BiCGSTAB where there isn't, and with a preconditioner of a rate below 0.7, with which GMRES
/// takes longer. With a preconditioner that varies BiCGSTAB might not end: convection-diffusion2d:280 with a rotating
/// velocity and multigrid:kind=plain takes GMRES 57 iterations, and BiCGSTAB more than 2000. With a preconditioner that
/// isn't symmetric the matrix is treated as nonsymmetric. Of a matrix without nonzeros nothing is known, and GMRES is
/// the safest. `value_bytes`: of a value. `memory`: bytes that the basis may take; 0: basis_memory().
SolverChoice choose_solver(const Facts& s, std::size_t value_bytes, int restart, const PreconditionerTraits& m = {},
                           std::size_t memory = 0);

namespace detail {

/// solve() behind references, so that it is compiled once for all classes of operators and preconditioners.
template <class Space, class T>
SolveResult solve_by_name(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                          const PreconditionerRef<Space, T>& m, std::string_view solver, const SolveOptions& options);

}  // namespace detail

/// solve(space, A, b, x, M, solver, options) solves A x = b with a solver chosen by name: "auto" or a name from the
/// list of solvers. Solver and options may be left out, each by itself; without M the preconditioner is chosen, too
/// (strategy/solve.hpp). A and M are of any class, as for cg() and the other methods.
///
/// With "auto", when a solver can't go on (CG on negative curvature, a breakdown, stagnation, divergence), the next
/// solver continues from the best x so far, the guess included, and result.notes says so. The returned x isn't farther
/// from the solution than the guess, by the residual. Iterations, history and time count over all solvers. An
/// operator without facts() is treated as nonsymmetric.
///
/// A preconditioner with a fallback() (one that AnyPreconditioner has chosen by itself) is watched: while it leaves
/// more than 0.7 of the residual an iteration, averaged over 20 iterations and then over 80, 320, ..., the fallback may
/// show from the x at hand, in half of that time, whether it is faster, and stays as long as it is, by a
/// model of an iteration's time (iteration_seconds()), so that equal solves decide alike. result.notes says so.
///
/// A preconditioner with a stronger() one (again one that AnyPreconditioner has chosen) is given up when the residual
/// has fallen so slowly that the stronger one is predicted to get there sooner, and when no method converges with it;
/// also when CG's Ritz values foretell that (solvers/recurrence/ritz_forecast.hpp).
/// options.effort bounds how far that goes, and options.time_limit, too: nothing is made that is predicted to be ready
/// after it, and what is being made is stopped then, or when the callback or options.stop wants an end. A method asked
/// for by name stays; CG and MINRES take no incomplete factors, so that they end with the first preconditioner.
/// result.notes has each step, its reason and its cost.
///
/// An option that differs from its default and that the solver has no use for (unused_options()) is named in
/// result.notes.
///
/// Shapes    A: n x n. b, x: n, in the memory of `space`, apart from each other. On entry x holds the initial guess.
/// Throws    ArgumentError for an unknown name, listing the known names, and for options that can't be; DimensionError;
///           DeviceError; what the callback, A or M throws. x is then finite if the guess was. std::bad_alloc and
///           DeviceMemoryError of A or M let "auto" go on with another method where there is one.
template <IsSpace Space, class A, detail::InPlaceOfM M, class T = typename detail::ValueOf<A>::type>
SolveResult solve(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x, const M& m,
                  std::string_view solver = "auto", const SolveOptions& options = {}) {
  if constexpr (detail::AreForSolvers<A, M>) {
    detail::require_values<T, false>();
    return detail::solve_by_name<Space, T>(space, detail::as_map<Space, T>(space, a), b, x,
                                           detail::as_preconditioner<Space, T>(space, m), solver, options);
  } else {
    return detail::explain<A, M>();
  }
}

template <IsSpace Space, class A, detail::InPlaceOfM M, class T = typename detail::ValueOf<A>::type>
SolveResult solve(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x, const M& m,
                  const SolveOptions& options) {
  return solve(space, a, b, x, m, "auto", options);
}

// Calls with other vectors come here.
template <IsSpace Space, class A, class B, class X, class T = typename detail::ValueOf<A>::type>
requires(!detail::AreVectors<B, X, T>) SolveResult solve(const Space&, const A&, B&&, X&&, const SolveOptions& = {}) {
  return detail::explain_vectors<A, B, X>();
}
template <IsSpace Space, class A, class B, class X, class M, class T = typename detail::ValueOf<A>::type>
requires(!detail::AreVectors<B, X, T> && !std::same_as<M, SolveOptions>) SolveResult
    solve(const Space&, const A&, B&&, X&&, const M&, const SolveOptions& = {}) {
  return detail::explain_vectors<A, B, X>();
}
template <IsSpace Space, class A, class B, class X, class M, class T = typename detail::ValueOf<A>::type>
requires(!detail::AreVectors<B, X, T>) SolveResult
    solve(const Space&, const A&, B&&, X&&, const M&, std::string_view, const SolveOptions& = {}) {
  return detail::explain_vectors<A, B, X>();
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/preconditioners/preconditioner.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/linear_operator.hpp>

namespace ostinato {

/// What a method does when its recurrence breaks down: end the solve, or restart from the recomputed residual as long
/// as the residual falls.
enum class OnBreakdown { end, restart };

namespace detail {

template <class S>
concept IsSpace = requires {
  { S::on_device } -> std::convertible_to<bool>;
};

/// What may stand in the place of a preconditioner: neither options nor the name of a solver.
template <class M>
concept InPlaceOfM = !std::same_as<M, SolveOptions> && !std::convertible_to<const M&, std::string_view>;

template <class A>
concept HasRealValues = Real<typename A::value_type>;

/// What a solver takes as A and M.
template <class A, class M>
concept AreForSolvers = HasRealValues<A> && LinearOperator<A> && Preconditioner<M, typename A::value_type>;

/// Fails to compile, with a sentence that says why A or M isn't for solvers.
template <class A, class M>
SolveResult explain() {
  if constexpr (HasRealValues<A> && LinearOperator<A>) {
    explain_preconditioner<M, typename A::value_type>();
  } else {
    explain_operator<A>();
  }
  return {};
}

}  // namespace detail

/// A method as a function object that takes operators and preconditioners of any class.
///
/// A method is a struct with a name, a description, products_per_iteration, on_breakdown, period, needs_transpose if it
/// multiplies with A^T, and
///   template <class Space, class T>
///   static SolveResult run(const Space&, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
///                          const PreconditionerRef<Space, T>& m, const SolveOptions&);
///   static std::string breakdown_text(int cause, double number, const std::string& when);   (optional)
/// breakdown_text() says what broke the recurrence down (ConvergenceState::cause, number) for SolveResult::reason; `when`
/// reads "at iteration 3". The method's .cpp file instantiates run() for Host and Cuda, float and double.
///
/// Exec      On Host several threads may solve at once, also with one const A and one const M that allow it (Operator and
///           Jacobi do, Multigrid doesn't), each with its own x. On Cuda a space is used by one thread at a time.
template <class Method>
struct Solver {
  /// Solves A x = b with a preconditioner.
  template <detail::IsSpace Space, class A, detail::InPlaceOfM M, class T = typename detail::ValueOf<A>::type>
  SolveResult operator()(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x, const M& m,
                         const SolveOptions& options = {}) const {
    if constexpr (detail::AreForSolvers<A, M>) {
      return Method::template run<Space, T>(space, OperatorRef<Space, T>(a), b, x, PreconditionerRef<Space, T>(m),
                                            options);
    } else {
      return detail::explain<A, M>();
    }
  }

  /// Solves A x = b without a preconditioner.
  template <detail::IsSpace Space, class A, class T = typename detail::ValueOf<A>::type>
  SolveResult operator()(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                         const SolveOptions& options = {}) const {
    return (*this)(space, a, b, x, Identity{}, options);
  }

  // Calls without the space come here.
  template <class A, class B, class X>
  requires(!detail::IsSpace<A>) SolveResult operator()(const A&, const B&, const X&, const SolveOptions& = {}) const {
    return explain_space<A>();
  }
  template <class A, class B, class X, detail::InPlaceOfM M>
  requires(!detail::IsSpace<A>) SolveResult operator()(const A&, const B&, const X&, const M&,
                                                       const SolveOptions& = {}) const {
    return explain_space<A>();
  }

 private:
  template <class A>
  static SolveResult explain_space() {
    static_assert(detail::never<A>,
                  "the first argument of a solver is the space, an ostinato::Host or Cuda: "
                  "cg(space, A, b, x, M, options)");
    return {};
  }
};

}  // namespace ostinato

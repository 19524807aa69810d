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

/// A method as a function object that takes operators and preconditioners of any class.
///
/// A method is a struct with a name, a description, products_per_iteration, on_breakdown, period, needs_transpose if it
/// multiplies with A^T, and
///   template <class Space, class T>
///   static SolveResult run(const Space&, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
///                          const PreconditionerRef<Space, T>& m, const SolveOptions&);
/// The method's .cpp file instantiates run() for Host and Cuda, float and double.
template <class Method>
struct Solver {
  /// Solves A x = b with a preconditioner.
  template <class Space, LinearOperator A, class M, class T = typename A::value_type>
  requires Preconditioner<M, T> SolveResult operator()(const Space& space, const A& a, In<T> b,
                                                       Out<std::type_identity_t<T>> x, const M& m,
                                                       const SolveOptions& options = {}) const {
    return Method::template run<Space, T>(space, OperatorRef<Space, T>(a), b, x, PreconditionerRef<Space, T>(m),
                                          options);
  }

  /// Solves A x = b without a preconditioner.
  template <class Space, LinearOperator A, class T = typename A::value_type>
  SolveResult operator()(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                         const SolveOptions& options = {}) const {
    return Method::template run<Space, T>(space, OperatorRef<Space, T>(a), b, x, PreconditionerRef<Space, T>(),
                                          options);
  }
};

}  // namespace ostinato

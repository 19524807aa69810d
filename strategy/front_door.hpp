// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/solvers/solver.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/strategy/device.hpp>
#include <ostinato/strategy/set_up.hpp>

namespace ostinato {

/// The x of a system in host memory, and how the solve went.
template <class T>
struct Solution : SolveResult {
  std::vector<T> x;
  SetUp set_up;
  std::string device;       ///< where it ran: "AMD EPYC 9554, 16 threads"
  DeviceSeconds predicted;  ///< of a whole answer on each device, by which "auto" chooses
};

namespace detail {

template <class T>
Solution<T> solve_on_device(const CsrView<T>& a, In<T> b, const LinearSolverOptions& options);

/// The value type of a matrix in host memory: Csr or CsrView.
template <class A>
using ValueOfCsr = std::remove_cvref_t<decltype(std::declval<const A&>().val[0])>;

template <class A>
concept IsCsr = std::same_as<A, Csr<ValueOfCsr<A>>> || std::same_as<A, CsrView<ValueOfCsr<A>>>;

}  // namespace detail

/// solve(A, b) solves A x = b, from x = 0, with a LinearSolver on the device that options.device names; "auto" takes
/// the one that is predicted to take less time, the opening of a GPU included where the process hasn't opened it yet
/// (choose_device()).
///
///   if (auto s = ostinato::solve(a, b); !s) std::cerr << s.message() << '\n';
///
/// options.solve.time_limit is for set-up and solve together. Where nothing but that of a solve is to be said,
/// SolveOptions will do: solve(a, b, {.rtol = 1e-10}). Without options rtol is usual_rtol<T>, 1e-8 or for float 1e-5.
///
/// Shapes    A: a Csr or CsrView of float or double, m x n. b: m, in host memory.
/// Exec      Waits. For many solves with one matrix, make a LinearSolver.
/// Throws    As LinearSolver; DimensionError for another length of b, before any work; DeviceError where the GPU can't
///           be used.
template <detail::IsCsr A, class T = detail::ValueOfCsr<A>>
Solution<T> solve(const A& a, In<T> b, const LinearSolverOptions& options = usual_options<T>()) {
  static_assert(Real<T>, "A holds values that are neither float nor double");
  return detail::solve_on_device<T>(a, b, options);
}
template <detail::IsCsr A, class T = detail::ValueOfCsr<A>>
Solution<T> solve(const A& a, In<T> b, const SolveOptions& options) {
  return solve(a, b, LinearSolverOptions{.solve = options});
}

// Calls with other vectors come here, then those with matrices of another library.
template <detail::IsCsr A, class B, class T = detail::ValueOfCsr<A>>
requires(!std::convertible_to<B, In<T>>) Solution<T> solve(const A&, B&&, const SolveOptions&) {
  return detail::explain_vector<B, T, true>(), Solution<T>();
}
template <detail::IsCsr A, class B, class T = detail::ValueOfCsr<A>>
requires(!std::convertible_to<B, In<T>>) Solution<T> solve(const A&, B&&, const LinearSolverOptions& = {}) {
  return detail::explain_vector<B, T, true>(), Solution<T>();
}
template <detail::ForeignMatrix A>
requires(!IsSpace<A>) Solution<double> solve(const A&, detail::Anything, const SolveOptions&) {
  return detail::explain_matrix<A>(), Solution<double>();
}
template <detail::ForeignMatrix A>
requires(!IsSpace<A>) Solution<double> solve(const A&, detail::Anything, const LinearSolverOptions& = {}) {
  return detail::explain_matrix<A>(), Solution<double>();
}

}  // namespace ostinato

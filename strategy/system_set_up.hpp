// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/preconditioners/synonyms.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/strategy/set_up.hpp>
#include <ostinato/strategy/solve_by_name.hpp>
#include <ostinato/strategy/step.hpp>

namespace ostinato::detail {

/// A system of one kind, set up: a square matrix, one for least squares, a stencil, or an operator of a user.
template <class Space, class T>
class SystemSetUp {
 public:
  explicit SystemSetUp(LinearSolverOptions given) : options(std::move(given)) {}
  virtual ~SystemSetUp() = default;

  virtual const LinearMap<Space, T>& matrix() const = 0;  ///< A in the caller's numbers
  virtual SolveResult solve(In<T> b, Out<T> x, const SolveOptions& options) = 0;
  virtual void update_values(const Analysis<Space, T>& /*given*/) {
    throw ArgumentError("LinearSolver: the system is an operator without entries, which has no new values");
  }
  virtual void expect(int /*right_sides*/) {}  ///< what is made from now on serves so many solves

  /// Tells the caller of a step.
  void report(SetUpStage stage) {
    set_up.stage = stage;
    if (options.progress) options.progress(set_up);
  }

  LinearSolverOptions options;
  SetUp set_up;
};

/// The solver with which a solve begins.
template <class Space, class T>
SolverChoice solver_choice(const LinearSolverOptions& options, const Facts& facts,
                           const PreconditionerRef<Space, T>& m) {
  const UsualName asked = usual_name(NameOf::solver, options.solver);
  if (asked.name != "auto") return {asked.name, (asked.note.empty() ? "" : asked.note + "; ") + "asked for"};
  const SolveOptions& limits = options.solve;
  return choose_solver(facts, sizeof(T), limits.restart, traits_of(m), memory_left(limits.mem_limit, m.bytes()));
}

}  // namespace ostinato::detail

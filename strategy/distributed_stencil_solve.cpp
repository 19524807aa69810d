// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/distributed_stencil_solve.hpp>

#include <span>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/distributed.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/strategy/runs_on_ranks.hpp>
#include <ostinato/strategy/step.hpp>

namespace ostinato {

namespace {

/// Throws    ArgumentError for a method that there isn't, or that needs the transpose.
SolverChoice choice_asked_for(const std::string& solver) {
  const SolverInfo* const info = find_solver(solver);
  if (info == nullptr) runs::throw_unknown_solver(solver);
  if (info->needs_transpose) throw ArgumentError(solver + ": needs the transpose, which a stencil of ranks hasn't");
  return {solver, "asked for"};
}

}  // namespace

template <class T, class Local>
DistributedStencilSolver<T, Local>::DistributedStencilSolver(const Team& team, const Stencil& stencil,
                                                             DistributedStencilOptions options, const Local& local)
    : space_(local, team), options_(std::move(options)) {
  runs::require_equal_names(team, {{"solver", options_.solver}, {"preconditioner", options_.preconditioner}});
  a_ = std::make_unique<DistributedStencil<Local, T>>(space_, stencil);
  if (options_.solver != "auto") method_ = choice_asked_for(options_.solver);
  precondition(runs::deadline_on(team, options_.solve.time_limit, options_.solve.stop));
  if (options_.solver == "auto")
    method_ = choose_solver(facts(), sizeof(T), options_.solve.restart, traits_of(preconditioning()));
}

template <class T, class Local>
void DistributedStencilSolver<T, Local>::precondition(const StopRequest& stop) {
  const std::string& asked = options_.preconditioner;
  if (asked == "auto" && try_multigrid(stop)) return;
  auto [name, how] = runs::name_and_options(asked);
  if (asked == "auto") {
    const bool changes_something = facts().missing_diagonal == 0 && !a_->constant_diagonal();
    name = changes_something ? "jacobi" : "none";
  }
  m_ = distributed_preconditioner(*a_, name, how, stop, options_.solve.mem_limit);
}

/// Takes multigrid where it can be made, and where a cycle shrinks an error well on trial.
template <class T, class Local>
bool DistributedStencilSolver<T, Local>::try_multigrid(const StopRequest& stop) {
  try {
    m_ = distributed_preconditioner(*a_, "multigrid", {}, stop, options_.solve.mem_limit);
  } catch (const Stopped&) {
    throw;
  } catch (const ArgumentError& e) {    // on all ranks; a limit of memory, too
    const std::string what = e.what();  // "what is wrong; what to do"
    preconditioner_reason_ = what.substr(0, what.find(';'));
    return false;
  }
  preconditioner_reason_ = "the matrix is on a grid, " + a_->grid().text();
  if (m_->rate() <= poor_rate(1)) return true;
  preconditioner_reason_ = "multigrid: a cycle shrinks an error too little";
  m_.reset();
  return false;
}

template <class T, class Local>
PreconditionerRef<Distributed<Local>, T> DistributedStencilSolver<T, Local>::preconditioning() const {
  return m_ == nullptr ? PreconditionerRef<Space, T>() : PreconditionerRef<Space, T>(*m_);
}

template <class T, class Local>
SolveResult DistributedStencilSolver<T, Local>::run(In<T> b, Out<T> x, const SolveOptions& options) const {
  return runs::run_on_ranks<Space, T>(method_.name, space_, *a_, b, x, preconditioning(), options);
}

template <class T, class Local>
SolveResult DistributedStencilSolver<T, Local>::solve(In<T> b, Out<T> x, const SolveOptions& options) {
  SolveResult result = run(b, x, options);
  const bool is_indefinite = result.cause == Cause::not_definite,
             has_indefinite_m = result.cause == Cause::indefinite_m;
  if (options_.solver != "auto" || !(is_indefinite || has_indefinite_m)) return result;
  if (result.iterations >= options.max_iterations) return result;
  const std::string next = is_indefinite && method_.name == "cg" ? "minres" : "gmres";
  result.notes.push_back(runs::why_next(runs::ending_of(result), options.iterations_before, next));
  method_ = {next, method_.name + " found that " + (is_indefinite ? "A" : "M") + " isn't definite"};  // from now on
  SolveResult more = run(b, x, runs::remaining(options, result));
  runs::extend(result, more);
  result.solver = more.solver;
  return result;
}

#define OSTINATO_SOLVER(Class, Space, T) template class Class<T, Space>
OSTINATO_FOR_ALL_OF(OSTINATO_SOLVER, DistributedStencilSolver);

}  // namespace ostinato

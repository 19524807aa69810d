// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/solve.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>
#include <ostinato/strategy/stencil_preconditioner.hpp>
#include <ostinato/strategy/system_solve.hpp>

namespace ostinato::detail {

namespace {

/// Asked while a preconditioner is made: whether the time is over, or the caller wants an end.
struct Deadline {
  double seconds;
  StopRequest stop;
  Stopwatch watch = {};

  bool stop_requested() const { return stop.is_made() || (seconds > 0 && watch.seconds() >= seconds); }
};

/// What is left of a limit of time after a set-up.
SolveOptions after(const Stopwatch& watch, SolveOptions options) {
  if (options.time_limit > 0) options.time_limit = std::max(1e-9, options.time_limit - watch.seconds());
  return options;
}

}  // namespace

template <class Space, class T>
SolveResult solve_matrix(const Space& space, const Operator<Space, T>& a, In<T> b, Out<T> x, std::string_view solver,
                         const SolveOptions& options) {
  require_valid(options);
  const Stopwatch watch;
  const std::optional<Analysis<Space, T>> analysis = a.analysis();
  if (!analysis) {
    SolveResult result = solve(space, a, b, x, Identity{}, solver, options);
    result.notes.emplace_back("no preconditioner was chosen: the operator doesn't keep its matrix");
    return result;
  }
  if (a.rows() != a.cols() || takes_any_shape(solver)) {
    const TransposableOperator<Space, T> both(*analysis);
    std::optional<LeastSquaresPreconditioner<Space, T>> m;
    try {
      m.emplace(*analysis, "auto", Deadline{options.time_limit, options.stop}, options.mem_limit);
    } catch (const Stopped&) {
    }
    if (m) return solve(space, both, b, x, *m, solver, after(watch, options));
    return solve(space, both, b, x, Identity{}, solver, after(watch, options));
  }
  PreparedMatrix<Space, T> prepared(*analysis, {.enabled = options.prepare, .symmetric = options.symmetric});
  std::optional<Operator<Space, T>> other;
  if (prepared.what().changes_matrix()) other.emplace(prepared.analysis());
  const Operator<Space, T>& matrix = other ? *other : a;
  std::optional<AnyPreconditioner<Space, T>> m;
  try {
    m.emplace(prepared.analysis(), "auto", Deadline{options.time_limit, options.stop}, options.mem_limit);
  } catch (const Stopped&) {
  }
  const SolveOptions left = after(watch, options);
  if (m) return solve_prepared<Space, T>(prepared, matrix, b, x, *m, solver, left);
  return solve_prepared<Space, T>(prepared, matrix, b, x, {}, solver, left);
}

template <class Space, class T>
SolveResult solve_matrix(const Space& space, const StencilOperator<Space, T>& a, In<T> b, Out<T> x,
                         std::string_view solver, const SolveOptions& options) {
  require_valid(options);
  const Stopwatch watch;
  MemoryBudget memory(space, Multigrid<Space, T>::name, options.mem_limit);
  const StencilPreconditioner<Space, T> chosen = choose_preconditioner(a, memory);
  if (chosen.multigrid) return solve(space, a, b, x, *chosen.multigrid, solver, after(watch, options));
  return solve(space, a, b, x, Identity{}, solver, after(watch, options));
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                               \
  template SolveResult solve_matrix(const Space&, const Operator<Space, T>&, In<T>, Out<T>, std::string_view,        \
                                    const SolveOptions&);                                                            \
  template SolveResult solve_matrix(const Space&, const StencilOperator<Space, T>&, In<T>, Out<T>, std::string_view, \
                                    const SolveOptions&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato::detail

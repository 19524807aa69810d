// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/solvers/list.hpp>
#include <ostinato/solvers/recurrence/restarts.hpp>
#include <ostinato/solvers/solver.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/watch.hpp>

// Runs of methods one after the other: a method by its name, the limits that are left for the next run, and one result
// of several.

namespace ostinato::runs {

template <class Space, class T>
using Run = SolveResult (*)(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>,
                            const PreconditionerRef<Space, T>&, const SolveOptions&);

template <class Space, class T, class... M>
Run<Space, T> find(std::string_view name, MethodList<M...>) {
  Run<Space, T> found = nullptr;
  (void)((name == M::name && (found = &M::template run<Space, T>, true)) || ...);
  return found;
}

[[noreturn]] inline void throw_unknown_solver(std::string_view name) {
  std::vector<std::string> known{"auto"};
  for (const SolverInfo& info : solver_infos) known.emplace_back(info.name);
  throw ArgumentError(unknown_name("solver", name, known));
}

template <class Space, class T>
SolveResult run_alone(std::string_view name, const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                      const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
  if (const Run<Space, T> method = find<Space, T>(name, Solvers{})) return method(space, a, b, x, m, options);
  throw_unknown_solver(name);
}

template <class Space, class T>
Vector<Space, T> copied(const Space& space, In<T> x) {
  Vector<Space, T> copy_of(space, x.size());
  copy<T>(space, x, copy_of.span());
  return copy_of;
}

/// Whether the x of `more` has a smaller residual than that of `all`. The norm itself may be out of range.
inline bool is_nearer(const SolveResult& more, const SolveResult& all) {
  const double now = more.relative_residual, before = all.relative_residual;
  return now < before || (std::isnan(before) && !std::isnan(now));
}

/// Takes how a further run ended.
inline void take_ending(SolveResult& to, const SolveResult& from) {
  to.status = from.status;
  to.take({from.cause, from.reason});
  to.bad_input = from.bad_input;
}

/// Takes what a further run used.
inline void take_method(SolveResult& to, const SolveResult& from) {
  to.solver = from.solver;
  to.preconditioner = from.preconditioner;
  to.preconditioner_bytes = from.preconditioner_bytes;
  to.is_direct = from.is_direct;
  to.condition = from.condition;
}

inline void take_residual(SolveResult& to, const SolveResult& from) {
  to.residual = from.residual;
  to.relative_residual = from.relative_residual;
  to.backward_error = from.backward_error;
  to.at_precision_limit = from.at_precision_limit;
  to.gradient = from.gradient;
}

/// Returns the options for the solver after `done`: the limits that are left, and a callback that continues the counts.
inline SolveOptions remaining(const SolveOptions& options, const SolveResult& done) {
  SolveOptions left = options;
  left.max_iterations = std::max(0, options.max_iterations - done.iterations);
  left.iterations_before += done.iterations;
  if (options.time_limit > 0) left.time_limit = std::max(1e-9, options.time_limit - done.seconds);
  if (options.callback) {
    left.callback = [&options, before = done.iterations, seconds = done.seconds](const Iteration& i) {
      return options.callback({i.number + before, i.relative_residual, i.seconds + seconds, i.lanczos});
    };
  }
  return left;
}

/// Adds the stages of a further run. One with what ran last is a part of that stage. What was made since belongs to the
/// first of them.
inline void add_stages(SolveResult& all, const SolveResult& more) {
  double making = all.setup_seconds;
  for (const Stage& stage : all.stages) making -= stage.setup_seconds;
  for (const Stage& next : more.stages) {
    const Stage* const last = all.stages.empty() ? nullptr : &all.stages.back();
    const bool is_same = last != nullptr && last->method == next.method &&
                         last->preconditioner == next.preconditioner &&
                         last->preconditioner_bytes == next.preconditioner_bytes;
    if (!is_same) all.stages.push_back({.method = next.method, .preconditioner = next.preconditioner});
    Stage& stage = all.stages.back();
    if (!is_same) stage.before = next.before;
    stage.iterations += next.iterations;
    stage.seconds += next.seconds;
    stage.setup_seconds += next.setup_seconds + std::max(0.0, std::exchange(making, 0));
    stage.after = next.after;
    stage.preconditioner_bytes = next.preconditioner_bytes;
  }
}

/// Adds what a further run has spent and noted.
inline void count(SolveResult& all, SolveResult& more) {
  add_stages(all, more);
  all.iterations += more.iterations;
  all.seconds += more.seconds;
  all.setup_seconds += more.setup_seconds;
  all.null_pivots = std::max(all.null_pivots, more.null_pivots);
  all.workspace_bytes = std::max(more.workspace_bytes, all.workspace_bytes);
  if (!more.history.empty()) all.history.insert(all.history.end(), more.history.begin() + 1, more.history.end());
  for (std::string& note : more.notes) all.note_once(std::move(note));
}

/// Takes the result of a further run of the same method, from the x where the last one was stopped.
inline void extend(SolveResult& all, SolveResult& more) {
  count(all, more);
  take_ending(all, more);
  take_residual(all, more);
  if (more.condition.of != all.condition.of || more.condition.value > all.condition.value)
    all.condition = more.condition;
}

/// Names the caller's limit, where the last of several runs would name what was left for that run.
inline void name_limit(SolveResult& all, const SolveOptions& options) {
  if (all.status == Status::iteration_limit) all.take({Cause::iteration_limit, limit_text(options.max_iterations)});
  if (all.status == Status::time_limit)
    all.take({Cause::time_limit, "the limit of " + short_text(options.time_limit) + " s was reached at iteration " +
                                     std::to_string(options.iterations_before + all.iterations)});
}

/// Why a solve ended while something stronger was made.
inline Reason stopped_meanwhile(const SolveResult& all, const SolveOptions& options, Cause cause) {
  const std::string what = cause == Cause::time_limit
                               ? "the limit of " + short_text(options.time_limit) + " s was reached"
                           : cause == Cause::stop_request ? "a stop was requested"
                                                          : "the callback ended the solve";
  return {cause, what + " at iteration " + std::to_string(options.iterations_before + all.iterations) +
                     ", while a stronger preconditioner was made"};
}
inline Reason stopped_meanwhile(const SolveResult& all, const SolveOptions& options) {
  const bool is_late = options.time_limit > 0 && all.seconds >= options.time_limit;
  return stopped_meanwhile(all, options,
                           is_late                  ? Cause::time_limit
                           : options.stop.is_made() ? Cause::stop_request
                                                    : Cause::callback);
}

/// How a set-up ended that was stopped after `seconds`, and what it was at.
inline void take_stopped_set_up(SolveResult& to, Status status, double limit, double seconds, const std::string& what) {
  const bool is_late = status == Status::time_limit;
  to.status = status;
  to.set_up_stopped = true;
  to.take({is_late ? Cause::time_limit : Cause::stop_request,
           (is_late ? "the limit of " + short_text(limit) + " s was reached"
                    : "a stop was requested after " + short_text(seconds) + " s") +
               what});
}

/// "cg with jacobi left 0.93 of the residual an iteration, at iteration 80"
inline std::string slow_text(const std::string& name, const Pace& pace, int iterations) {
  char text[120];
  constexpr double very_many = 10000;
  if (pace.left > very_many) {
    std::snprintf(text, sizeof text, " would take over %.0f more iterations, by its Ritz values at iteration %d",
                  very_many, iterations);
  } else if (pace.left > 0) {
    const double digit = std::pow(10, std::floor(std::log10(pace.left)) - 1);
    std::snprintf(text, sizeof text, " would take some %.0f more iterations, by its Ritz values at iteration %d",
                  std::round(pace.left / digit) * digit, iterations);
  } else {
    std::snprintf(text, sizeof text, " left %.3g of the residual an iteration, at iteration %d", pace.rate, iterations);
  }
  return name + text;
}

/// The relative residual that ends a solve for b.
template <class Space, class T>
double goal_of(const Space& space, In<T> b, const SolveOptions& options) {
  if (!(options.atol > 0)) return options.rtol;
  Vector<Space, double> square(space, 1);
  dot<T>(space, b, b, square.data());
  return relative_goal(options, std::sqrt(square.download()[0]));
}

/// How the latest of the methods ended. `iterations` counts those of all methods.
struct Ending {
  std::string solver;
  Status status;
  int iterations;
  Reason why;
};

inline Ending ending_of(const SolveResult& r) { return {r.solver, r.status, r.iterations, {r.cause, r.reason}}; }

/// Whether another method may still converge after a method that ended so.
inline bool may_try_another(const Ending& e) {
  const SolverInfo* const method = find_solver(e.solver);
  return e.status == Status::breakdown || e.status == Status::stagnated || e.status == Status::diverged ||
         (e.status == Status::not_finite && method != nullptr && method->forms_large_squares);
}

/// `before`: iterations of the whole solve before those that the ending counts.
inline std::string why_next(const Ending& r, int before, std::string_view next) {
  return r.solver + " ended as " + in_words(r.status) + " at iteration " + std::to_string(before + r.iterations) +
         " (" + r.why.text + "); went on with " + std::string(next);
}

/// Appends the result `more` of a further solver to the result `all` of the solvers before. Status, solver and
/// preconditioner become those of `more` unless its x is farther from the solution, the residual if its x is nearer.
inline void append(SolveResult& all, SolveResult more) {
  const bool nearer = is_nearer(more, all), as_near = more.relative_residual == all.relative_residual;
  count(all, more);
  if (!nearer && !as_near) {
    const std::string ended =
        more.status == Status::interrupted ? " was stopped" : " ended as " + in_words(more.status);
    const bool tell_both = more.preconditioner != all.preconditioner;
    const auto named = [&](const SolveResult& r) {
      return tell_both ? r.solver + " with " + r.preconditioner : r.solver;
    };
    all.notes.push_back(named(more) + ended + ", no nearer; x is that of " + named(all));
    // A reached limit or an interruption is reported, even though x is that of the solver before.
    const Status s = more.status;
    if (s == Status::iteration_limit || s == Status::time_limit || s == Status::interrupted) take_ending(all, more);
    return;
  }
  take_ending(all, more);
  take_method(all, more);
  if (nearer) take_residual(all, more);
}

}  // namespace ostinato::runs

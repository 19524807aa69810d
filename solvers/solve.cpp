// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/solve.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include <ostinato/preconditioners/memory_budget.hpp>
#include <ostinato/solvers/callback_guard.hpp>
#include <ostinato/solvers/no_solution.hpp>
#include <ostinato/solvers/restarts.hpp>
#include <ostinato/solvers/watch.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/message.hpp>
#include <ostinato/spmv/space/timing.hpp>
#include <ostinato/spmv/space/units.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace {

template <class Space, class T>
using Run = SolveResult (*)(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>,
                            const PreconditionerRef<Space, T>&, const SolveOptions&);

template <class Space, class T, class... M>
Run<Space, T> find(std::string_view name, MethodList<M...>) {
  Run<Space, T> found = nullptr;
  (void)((name == M::name && (found = &M::template run<Space, T>, true)) || ...);
  return found;
}

template <class Space, class T>
SolveResult run_alone(std::string_view name, const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                      const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
  if (const Run<Space, T> method = find<Space, T>(name, Solvers{})) return method(space, a, b, x, m, options);
  std::vector<std::string> known{"auto"};
  for (const SolverInfo& info : solver_infos) known.emplace_back(info.name);
  throw ArgumentError(unknown_name("solver", name, known));
}

/// Whether the x of `more` has a smaller residual than that of `all`. The norm itself may be out of range.
bool is_nearer(const SolveResult& more, const SolveResult& all) {
  const double now = more.relative_residual, before = all.relative_residual;
  return now < before || (std::isnan(before) && !std::isnan(now));
}

/// Takes how a further run ended.
void take_ending(SolveResult& to, const SolveResult& from) {
  to.status = from.status;
  to.reason = from.reason;
}

void take_residual(SolveResult& to, const SolveResult& from) {
  to.residual = from.residual;
  to.relative_residual = from.relative_residual;
  to.backward_error = from.backward_error;
  to.at_precision_limit = from.at_precision_limit;
}

/// The result of a run after `before` iterations of others, whose reason counts the run's own.
SolveResult counted_from(int before, SolveResult run) {
  constexpr std::string_view words = "at iteration ";
  const std::size_t at = run.reason.find(words);
  if (at == std::string::npos) return run;
  const std::size_t number = at + words.size();
  const std::size_t end = std::min(run.reason.find_first_not_of("0123456789", number), run.reason.size());
  run.reason.replace(number, end - number, std::to_string(before + std::stoi(run.reason.substr(number, end - number))));
  return run;
}

/// Returns the options for the solver after `done`: the limits that are left, and a callback that continues the counts.
SolveOptions remaining(const SolveOptions& options, const SolveResult& done) {
  SolveOptions left = options;
  left.max_iterations = std::max(0, options.max_iterations - done.iterations);
  if (options.time_limit > 0) left.time_limit = std::max(1e-9, options.time_limit - done.seconds);
  if (options.callback) {
    left.callback = [&options, before = done.iterations, seconds = done.seconds](const Iteration& i) {
      return options.callback({i.number + before, i.relative_residual, i.seconds + seconds});
    };
  }
  return left;
}

/// Adds what a further run has spent and noted.
void count(SolveResult& all, SolveResult& more) {
  for (const MethodChange& c : more.changes) all.changes.push_back({all.iterations + c.iteration, c.from, c.to});
  all.iterations += more.iterations;
  all.seconds += more.seconds;
  all.workspace_bytes = std::max(more.workspace_bytes, all.workspace_bytes);
  if (!more.history.empty()) all.history.insert(all.history.end(), more.history.begin() + 1, more.history.end());
  for (std::string& note : more.notes) {
    if (std::find(all.notes.begin(), all.notes.end(), note) == all.notes.end()) all.notes.push_back(std::move(note));
  }
}

/// Takes the result of a further run of the same method, from the x where the last one was stopped.
void extend(SolveResult& all, SolveResult& more) {
  count(all, more);
  take_ending(all, more);
  take_residual(all, more);
}

std::string slow_text(const Pace& pace, const std::string& name, int iterations) {
  char text[160];
  std::snprintf(text, sizeof text, "%s left %.3g of the residual an iteration, at iteration %d; ", name.c_str(),
                pace.rate, iterations);
  return text;
}

/// The relative residual that ends a solve for b.
template <class Space, class T>
double goal_of(const Space& space, In<T> b, const SolveOptions& options) {
  if (!(options.atol > 0)) return options.rtol;
  Vector<Space, double> square(space, 1);
  dot<T>(space, b, b, square.data());
  return relative_goal(options, std::sqrt(square.download()[0]));
}

/// A solve with a preconditioner that may turn out slow, and the one that takes its place where that is faster.
template <class Space, class T>
class FallbackSolve {
 public:
  FallbackSolve(std::string_view method, const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                const PreconditionerRef<Space, T>& m, const PreconditionerRef<Space, T>& simple,
                const SolveOptions& options)
      : method_(method), space_(space), a_(a), b_(b), x_(x), m_(m), simple_(simple), options_(options) {}

  /// Whenever M has been slow for a while, lets the other one show in half of that time whether it is faster. It goes
  /// on as long as it is. Then M is watched for four times as many iterations before it has to compete again: so what
  /// the trials cost stays a share of the whole.
  SolveResult run() {
    // The first five iterations of CG say too little: docs/multigrid-limits.md has cases of 18 and of 197 iterations
    // that were given up after them, for ten times as many with Jacobi.
    constexpr int first_window = 20;
    const double goal = goal_of<Space, T>(space_, b_, options_);
    SlowWatch watch(first_window, goal, options_.max_iterations);
    SolveResult all = run_with(m_, watched(options_, watch));
    for (int window = first_window; watch.stopped() && all.status == Status::interrupted; window *= 4) {
      const std::string slow = slow_text(watch.pace(), m_.name(), all.iterations);
      bool enough_memory = true;
      if (try_simple(all, slow, watch.pace(), window, goal, enough_memory)) return all;
      const SolveOptions left = remaining(options_, all);
      watch = SlowWatch(4 * window, goal, left.max_iterations);
      if (enough_memory) {
        continue_with(all, m_, watched(left, watch));
      } else {
        SolveResult more = counted_from(all.iterations, run_with(m_, left));
        extend(all, more);
      }
    }
    return all;
  }

 private:
  /// The two preconditioners are in memory together; a method counts the bytes of the one that it is given.
  SolveResult run_with(const PreconditionerRef<Space, T>& m, SolveOptions options) const {
    options.mem_limit = memory_left(options.mem_limit, m_.bytes() - std::min(m_.bytes(), m.bytes()));
    return run_alone<Space, T>(method_, space_, a_, b_, x_, m, options);
  }

  /// False when M should go on.
  bool try_simple(SolveResult& all, const std::string& slow, const Pace& pace, int window, double goal,
                  bool& enough_memory) const {
    const auto no_memory = [&](const std::string& why) {
      all.notes.push_back(slow + simple_.name() + " wasn't tried: " + why);
      return enough_memory = false;
    };
    try {
      return compete(all, slow, pace, window, goal);
    } catch (const std::bad_alloc&) {
      return no_memory("not enough memory");
    } catch (const DeviceError& e) {
      return no_memory(e.what());
    }
  }

  bool compete(SolveResult& all, const std::string& slow, const Pace& pace, int window, double goal) const {
    Trial trial(pace, 0.5 * window * pace.seconds, goal);
    const Status ending = continue_with(all, simple_, watched(remaining(options_, all), trial));
    const bool lost = trial.stopped() && ending == Status::interrupted;
    all.notes.push_back(
        slow + (lost ? simple_.name() + " was slower, went on with " + m_.name() : "went on with " + simple_.name()));
    return !lost;
  }

  /// Goes on with a preconditioner and returns how that ended. x and the residual stay those from before when it came
  /// no nearer.
  Status continue_with(SolveResult& all, const PreconditionerRef<Space, T>& m, const SolveOptions& options) const {
    Vector<Space, T> before(space_, x_.size());
    copy<T>(space_, x_, before.span());
    try {
      SolveResult more = counted_from(all.iterations, run_with(m, options));
      const Status ended = more.status;
      all.changes.push_back({all.iterations, all.preconditioner, more.preconditioner});
      all.preconditioner = more.preconditioner;
      if (is_nearer(more, all)) {
        extend(all, more);
      } else {
        copy<T>(space_, before, x_);
        count(all, more);
        take_ending(all, more);
      }
      return ended;
    } catch (...) {
      copy<T>(space_, before, x_);
      throw;
    }
  }

  std::string_view method_;
  const Space& space_;
  const OperatorRef<Space, T>& a_;
  In<T> b_;
  Out<T> x_;
  const PreconditionerRef<Space, T>&m_, &simple_;
  const SolveOptions& options_;
};

/// Runs a method. A preconditioner that has a fallback is watched.
template <class Space, class T>
SolveResult run(std::string_view name, const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
  const auto simple = m.fallback();
  if (!simple) return run_alone<Space, T>(name, space, a, b, x, m, options);
  return FallbackSolve<Space, T>(name, space, a, b, x, m, *simple, options).run();
}

/// How the latest of the methods ended. `iterations` counts those of all methods.
struct Ending {
  std::string solver;
  Status status;
  int iterations;
  std::string reason;
};

Ending ending_of(const SolveResult& r) { return {r.solver, r.status, r.iterations, r.reason}; }

/// Whether another method may still converge after a method that ended so. MINRES forms squares of the size of A M^-1,
/// which the other methods don't.
bool may_try_another(const Ending& e) {
  return e.status == Status::breakdown || e.status == Status::stagnated || e.status == Status::diverged ||
         (e.status == Status::not_finite && e.solver == Minres::name);
}

/// Method and preconditioner that ran last. The x of a result may be that of others.
struct InUse {
  std::string method, preconditioner;

  std::string text() const { return method + " with " + preconditioner; }
};

template <class Space, class T>
InUse in_use(const SolveResult& result) {
  constexpr std::string_view between = " with ";
  InUse last;
  for (auto change = result.changes.rbegin(); change != result.changes.rend(); ++change) {
    const std::size_t end = change->to.find(between);
    const std::string first = change->to.substr(0, end);
    const bool names_method = find<Space, T>(first, Solvers{}) != nullptr;
    if (names_method && last.method.empty()) last.method = first;
    if (!last.preconditioner.empty() || (names_method && end == std::string::npos)) continue;
    last.preconditioner = names_method ? change->to.substr(end + between.size()) : change->to;
  }
  if (last.method.empty()) last.method = result.solver;
  if (last.preconditioner.empty()) last.preconditioner = result.preconditioner;
  return last;
}

/// From what ran last to `next`. Names only what is another one; nothing where both are the same.
MethodChange change_between(const InUse& last, const InUse& next) {
  if (last.preconditioner == next.preconditioner)
    return last.method == next.method ? MethodChange{} : MethodChange{0, last.method, next.method};
  return {0, last.text(), next.text()};
}

std::string why_next(const Ending& r, std::string_view next) {
  return r.solver + " ended as " + in_words(r.status) + " at iteration " + std::to_string(r.iterations) + " (" +
         r.reason + "); went on with " + std::string(next);
}

/// Appends the result `more` of a further solver to the result `all` of the solvers before. Status, solver and
/// preconditioner become those of `more` unless its x is farther from the solution, the residual if its x is nearer.
/// `change`: what was given up and what went on; empty where that is the same.
void append(SolveResult& all, SolveResult more, const MethodChange& change) {
  const bool nearer = is_nearer(more, all), as_near = more.relative_residual == all.relative_residual;
  if (!change.to.empty()) all.changes.push_back({all.iterations, change.from, change.to});
  count(all, more);
  if (!nearer && !as_near) {
    const std::string ended =
        more.status == Status::interrupted ? " was stopped" : " ended as " + in_words(more.status);
    const bool tell_both = more.preconditioner != all.preconditioner;
    const auto named = [&](const SolveResult& r) {
      return tell_both ? InUse{r.solver, r.preconditioner}.text() : r.solver;
    };
    all.notes.push_back(named(more) + ended + ", no nearer; x is that of " + named(all));
    // A reached limit or an interruption is reported, even though x is that of the solver before.
    const Status s = more.status;
    if (s == Status::iteration_limit || s == Status::time_limit || s == Status::interrupted) take_ending(all, more);
    return;
  }
  take_ending(all, more);
  all.solver = more.solver;
  all.preconditioner = more.preconditioner;
  if (nearer) take_residual(all, more);
}

/// The caller's guess, for a solve that ends farther from the solution.
template <class Space, class T>
class Guess {
 public:
  Guess(const Space& space, In<T> x) : space_(space), x_(space, x.size()) { copy<T>(space, x, x_.span()); }

  void restore(Out<T> x) const { copy<T>(space_, x_, x); }

  /// x becomes the guess, and the residual of `result` that of the guess, if the solve came no nearer.
  void prefer(SolveResult& result, const OperatorRef<Space, T>& a, In<T> b, Out<T> x) {
    if (result.status == Status::converged) return;
    try {
      compare(result, a, b, x);
    } catch (const std::bad_alloc&) {
      result.notes.emplace_back("the guess wasn't compared with x: not enough memory");
    } catch (const DeviceError& e) {
      result.notes.push_back(std::string("the guess wasn't compared with x: ") + e.what());
    }
  }

 private:
  void compare(SolveResult& result, const OperatorRef<Space, T>& a, In<T> b, Out<T> x) {
    // Without an iteration, a method does no more than judge the residual.
    const SolveOptions none{.rtol = 0, .max_iterations = 0, .history = false};
    const SolveResult before = Cg::run<Space, T>(space_, a, b, x_, {}, none);
    if (!std::isfinite(before.relative_residual) || is_nearer(result, before)) return;
    restore(x);
    if (result.iterations > 0) result.notes.push_back(result.solver + " came no nearer than the guess; x is the guess");
    take_residual(result, before);
  }

  const Space& space_;
  Vector<Space, T> x_;
};

/// Lets the next solver continue from x. Restores x when the residual became larger, and when memory ran out: the
/// result of the solver before is worth more than an exception. Returns how the next solver ended, or `latest` when it
/// had no memory.
template <class Space, class T>
Ending go_on(std::string_view next, const Ending& latest, SolveResult& result, const Space& space,
             const OperatorRef<Space, T>& a, In<T> b, Out<T> x, const PreconditionerRef<Space, T>& m,
             const SolveOptions& left) {
  const auto no_memory = [&](const char* what) {
    result.notes.push_back(std::string(next) + " wasn't tried: " + what);
  };
  try {
    Vector<Space, T> before(space, x.size());
    copy<T>(space, x, before.span());
    const MethodChange change = change_between(in_use<Space, T>(result), {std::string(next), name_in_report(m)});
    try {
      SolveResult more = counted_from(result.iterations, run(next, space, a, b, x, m, left));
      if (!is_nearer(more, result)) copy<T>(space, before, x);
      Ending ending = ending_of(more);
      append(result, std::move(more), change);
      ending.iterations = result.iterations;
      return ending;
    } catch (...) {
      copy<T>(space, before, x);
      throw;
    }
  } catch (const std::bad_alloc&) {
    no_memory("not enough memory");
  } catch (const DeviceError& e) {
    no_memory(e.what());
  } catch (const MemoryLimitError& e) {
    no_memory(e.what());
  }
  return latest;
}

/// Runs the solver that auto begins with; BiCGSTAB instead when there isn't enough memory for a GMRES basis.
template <class Space, class T>
SolveResult run_first(std::string_view name, const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                      const Guess<Space, T>& guess, const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
  const auto instead = [&](const std::string& why) {
    guess.restore(x);
    SolveResult result = run<Space, T>("bicgstab", space, a, b, x, m, options);
    result.notes.insert(result.notes.begin(), "gmres gave way to bicgstab: " + why);
    return result;
  };
  if (name != "gmres") return run<Space, T>(name, space, a, b, x, m, options);
  try {
    return run<Space, T>(name, space, a, b, x, m, options);
  } catch (const std::bad_alloc&) {
    return instead("not enough memory for its basis");
  } catch (const DeviceError& e) {
    return instead(e.what());
  } catch (const MemoryLimitError& e) {  // of a flexible basis, which takes twice as much
    return instead(e.what());
  }
}

/// Whether a basis takes at most `memory` bytes. GMRES is more robust than BiCGSTAB, but with a larger one its steps
/// cost too much, or there is no room.
bool basis_is_affordable(double rows, std::size_t value_bytes, int restart, double memory) {
  constexpr int few = 50;  // with fewer vectors an automatic restart isn't worth a try
  return std::min<double>(restart == automatic_restart ? few : restart, rows) * rows *
             static_cast<double>(value_bytes) <=
         memory;
}

/// Takes that no x solves the system as the reason of a solve that failed. Returns false when that isn't known.
template <class Space, class T>
bool take_no_solution(SolveResult& result, const Space& space, const OperatorRef<Space, T>& a, In<T> b, double goal) {
  const std::string why = why_no_solution<Space, T>(space, a, b, goal);
  if (why.empty()) return false;
  result.reason = why;
  if (result.status == Status::interrupted) result.status = Status::stagnated;  // by the watch
  return true;
}

/// Solves with all methods that may serve, until one converges. `watch` is the one that the options ask. `unsolvable`
/// becomes true when no x solves the system.
template <class Space, class T>
SolveResult run_methods(const SolverChoice& first, const Structure& s, const Space& space,
                        const OperatorRef<Space, T>& a, In<T> b, Out<T> x, const PreconditionerRef<Space, T>& m,
                        const SolveOptions& options, CostWatch& watch, bool& unsolvable) {
  Guess<Space, T> guess(space, x);
  SolveResult result = run_first(first.name, space, a, b, x, guess, m, options);
  result.notes.insert(result.notes.begin(), first.name + " chosen: " + first.reason);
  guess.prefer(result, a, b, x);
  std::vector<std::string_view> others = {"gmres", "bicgstab"};
  if (s.symmetric && m.symmetric() && !m.varies()) others.insert(others.begin(), "minres");
  Ending latest = ending_of(result);
  unsolvable = may_try_another(latest) && !result.at_precision_limit &&
               take_no_solution<Space, T>(result, space, a, b, goal_of<Space, T>(space, b, options));
  if (unsolvable) return result;
  for (std::string_view next : others) {
    const SolveOptions left = remaining(options, result);
    if (!may_try_another(latest) || left.max_iterations == 0 || result.at_precision_limit) break;
    if (next == first.name) continue;
    const double memory = basis_memory(memory_left(options.mem_limit, m.bytes()));
    if (next == "gmres" && !basis_is_affordable(static_cast<double>(a.rows()), sizeof(T), options.restart, memory)) {
      result.notes.push_back("gmres wasn't tried: its basis would take over " + bytes_text(memory) +
                             "; a smaller restart makes it smaller");
      continue;
    }
    result.notes.push_back(why_next(latest, next));
    watch.forget();
    latest = go_on<Space, T>(next, latest, result, space, a, b, x, m, left);
  }
  return result;
}

/// A solve by a method, or by auto, that goes on with stronger preconditioners as long as there are any.
template <class Space, class T>
class Ladder {
 public:
  Ladder(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x, std::string_view solver,
         const SolveOptions& options)
      : space_(space), a_(a), b_(b), x_(x), solver_(solver), options_(options) {
    structure_.rows = static_cast<Index>(std::min<std::size_t>(a.rows(), std::numeric_limits<Index>::max()));
    if (a.structure() != nullptr) structure_ = *a.structure();
  }

  SolveResult climb(PreconditionerRef<Space, T> m) {
    SolveResult all = needs_factors() ? without_iterations(m) : watched_run(m, options_);
    latest_ = ending_of(all);
    if (!unsolvable_ && may_climb(all))
      unsolvable_ = take_no_solution<Space, T>(all, space_, a_, b_, goal_of<Space, T>(space_, b_, options_));
    while (!unsolvable_ && may_climb(all)) {
      // Other pivots don't make complete factors of a singular matrix better.
      if (m.name() == "lu" && latest_.reason.find("A is singular") != std::string::npos) break;
      std::string why;
      const Stopwatch watch;
      called_ = 0;
      const double seconds = options_.time_limit > 0 ? options_.time_limit - all.seconds : HUGE_VAL;
      std::optional<PreconditionerRef<Space, T>> next;
      try {
        next = m.stronger({.thorough = options_.effort == Effort::thorough,
                           .definite = all.solver == Cg::name,
                           .seconds = seconds,
                           .left = slow_ ? seconds_left() : 0,
                           .mem_limit = memory_left(options_.mem_limit, basis_bytes()),
                           .stop = Asking{*this, all, watch}},
                          why);
      } catch (const Stopped&) {
        all.seconds += watch.seconds();
        return stopped_while_making(std::move(all));
      }
      space_.wait();
      all.seconds += watch.seconds();
      if (!next) {
        if (!why.empty()) all.notes.push_back(why_stopped(m, all) + "; nothing stronger: " + why);
        if (slow_) resume(m, all);
        break;
      }
      all.notes.push_back(why_stopped(m, all) + "; went on with " + next->name() + " (" + next->remarks() + ", " +
                          bytes_text(static_cast<double>(next->bytes())) + ", in " + seconds_text(watch.seconds()) +
                          ")");
      weaker_bytes_ += m.bytes();
      m = *next;
      try {
        const MethodChange change{0, in_use<Space, T>(all).text(), InUse{method_for(m), name_in_report(m)}.text()};
        go_on(all, change, [&](const SolveOptions& left) { return watched_run(m, left); });
      } catch (const std::bad_alloc&) {
        return without_memory(std::move(all), "not enough memory");
      } catch (const DeviceError& e) {
        return without_memory(std::move(all), e.what());
      } catch (const MemoryLimitError& e) {
        return without_memory(std::move(all), e.what());
      }
    }
    return with_limit(std::move(all));
  }

 private:
  /// Asks, while a preconditioner is made, whether the time is over or the caller wants an end.
  struct Asking {
    const Ladder& ladder;
    const SolveResult& all;
    const Stopwatch& watch;

    bool stop_requested() const { return ladder.is_to_stop(all, watch.seconds()); }
  };

  bool is_to_stop(const SolveResult& all, double seconds) const {
    constexpr double between = 0.25;  // two calls of the callback
    const double now = all.seconds + seconds;
    if (options_.time_limit > 0 && now >= options_.time_limit) return true;
    if (options_.stop.is_made()) return true;
    if (!options_.callback || seconds < called_ + between) return false;
    called_ = seconds;
    return !options_.callback({all.iterations, all.relative_residual, now});
  }

  /// The result when the time was over, or the caller wanted an end, before a stronger preconditioner was made.
  SolveResult stopped_while_making(SolveResult all) const {
    all.notes.emplace_back("a stronger preconditioner was being made when the solve was stopped");
    const bool late = options_.time_limit > 0 && all.seconds >= options_.time_limit;
    all.status = late ? Status::time_limit : Status::interrupted;
    all.reason = std::string(options_.stop.is_made() ? "a stop was requested" : "the callback ended the solve") +
                 " at iteration " + std::to_string(all.iterations) + ", while a stronger preconditioner was made";
    return with_limit(std::move(all));
  }

  /// Whether there is little hope without factors: rows without a diagonal entry make a matrix indefinite or worse.
  /// Small systems are solved before factors are there, large ones are given a chance without. Factors are made on the
  /// host.
  bool needs_factors() const {
    constexpr Index fewest_rows = 100;
    constexpr Offset most_entries = 1000000;
    const Structure& s = structure_;
    return !Space::on_device && solver_ == "auto" && options_.effort != Effort::quick && s.finite &&
           s.missing_diagonal > 0 && s.empty_rows == 0 && s.rows > fewest_rows && s.nonzeros <= most_entries;
  }

  /// The result of a method that was stopped before its first iteration.
  SolveResult without_iterations(const PreconditionerRef<Space, T>& m) {
    SolveOptions none = options_;
    none.max_iterations = 0;
    SolveResult result = watched_run(m, none);
    if (result.status != Status::iteration_limit || m.stronger_seconds() == 0) return watched_run(m, options_);
    result.status = Status::interrupted;
    result.notes.clear();
    slow_ = !at_limit(result, options_);
    return result;
  }

  /// Runs the method or methods, and stops them when a stronger preconditioner is likely to take less time.
  SolveResult watched_run(const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
    const double cost = options_.effort == Effort::quick || !may_use_factors() ? 0 : m.stronger_seconds();
    goal_ = goal_of<Space, T>(space_, b_, options);
    CostWatch watch(cost, goal_, options.max_iterations);
    SolveResult result = run_all(m, cost > 0 ? watched(options, watch) : options, watch);
    slow_ = watch.stopped() && result.status == Status::interrupted;
    pace_ = watch.pace();
    if (slow_ && at_limit(result, options)) slow_ = false;
    return result;
  }

  /// Predicted, of a method that was stopped because it was slow.
  double seconds_left() const {
    if (!(pace_.rate > 0 && pace_.rate < 1)) return HUGE_VAL;
    return pace_.seconds * std::log(goal_ / pace_.residual) / std::log(pace_.rate);
  }

  /// Whether a run that was stopped had used up its iterations or its time. The status then says so.
  static bool at_limit(SolveResult& stopped, const SolveOptions& options) {
    if (stopped.iterations >= options.max_iterations) {
      stopped.status = Status::iteration_limit;
    } else if (options.time_limit > 0 && stopped.seconds >= options.time_limit) {
      stopped.status = Status::time_limit;
    }
    return stopped.status != Status::interrupted;
  }

  /// Names the caller's limit, where the last of several runs would name what was left for that run.
  SolveResult with_limit(SolveResult all) const {
    const std::string n = std::to_string(options_.max_iterations), at = std::to_string(all.iterations);
    if (all.status == Status::iteration_limit)
      all.reason = "the limit of " + n + (n == "1" ? " iteration" : " iterations") + " was reached";
    if (all.status == Status::time_limit)
      all.reason = "the limit of " + seconds_text(options_.time_limit) + " was reached at iteration " + at;
    return all;
  }

  SolveResult run_all(const PreconditionerRef<Space, T>& m, SolveOptions options, CostWatch& watch) {
    options.mem_limit = memory_left(options.mem_limit, weaker_bytes_);
    if (solver_ != "auto") return run<Space, T>(solver_, space_, a_, b_, x_, m, options);
    return run_methods<Space, T>(choice_for(m), structure_, space_, a_, b_, x_, m, options, watch, unsolvable_);
  }

  SolverChoice choice_for(const PreconditionerRef<Space, T>& m) const {
    SolverChoice choice = choose_solver(structure_, sizeof(T), options_.restart, m.rate(), m.symmetric(),
                                        memory_left(memory_left(options_.mem_limit, weaker_bytes_), m.bytes()));
    if (a_.structure() == nullptr && m.symmetric())
      choice.reason =
          "A doesn't say whether it is symmetric (structure()); name \"cg\" if A is symmetric positive definite";
    return choice;
  }

  /// The method that a run begins with.
  std::string method_for(const PreconditionerRef<Space, T>& m) const {
    return solver_ == "auto" ? choice_for(m).name : std::string(solver_);
  }

  /// Whether the method takes a preconditioner that isn't symmetric.
  bool may_use_factors() const {
    return solver_ == "auto" || solver_ == Gmres::name || solver_ == Bicgstab::name || solver_ == Bicgstab2::name ||
           solver_ == Idr::name || solver_ == Gcrodr::name;
  }

  /// A residual at the limit of the precision doesn't become smaller by other means.
  bool may_climb(const SolveResult& all) const {
    if (options_.effort == Effort::quick || !may_use_factors() || remaining(options_, all).max_iterations == 0)
      return false;
    if (options_.time_limit > 0 && all.seconds >= options_.time_limit) return false;
    const Status s = all.status;
    // Where A, b and x are finite, a preconditioner made numbers that aren't.
    const bool failed =
        s == Status::breakdown || s == Status::stagnated || s == Status::diverged || s == Status::not_finite;
    return slow_ || (failed && !all.at_precision_limit && std::isfinite(all.relative_residual));
  }

  std::string why_stopped(const PreconditionerRef<Space, T>& m, const SolveResult& all) const {
    const std::string name = latest_.solver + " with " + (m.is_identity() ? "no preconditioner" : m.name());
    if (!slow_)
      return name + " ended as " + in_words(latest_.status) + " at iteration " + std::to_string(all.iterations) + " (" +
             latest_.reason + ")";
    if (all.iterations == 0)
      return std::to_string(structure_.missing_diagonal) +
             (structure_.missing_diagonal == 1 ? " row has" : " rows have") +
             " no diagonal entry, which leaves little hope without factors";
    char text[120];
    std::snprintf(text, sizeof text, " left %.3g of the residual an iteration, at iteration %d", pace_.rate,
                  all.iterations);
    return name + text;
  }

  /// What GMRES or GCRO-DR, asked for by name, takes of the memory for as many vectors as it is asked for.
  std::size_t basis_bytes() const {
    const bool gmres = solver_ == Gmres::name, gcrodr = solver_ == Gcrodr::name;
    if ((!gmres && !gcrodr) || options_.restart == automatic_restart) return 0;
    const std::size_t column = sizeof(T) * (gmres && options_.flexible ? 2 : 1);
    const int vectors = krylov_vectors(x_.size(), column, options_.restart);
    const int kept = std::min(options_.recycle == automatic_recycle ? vectors / 5 : options_.recycle, vectors);
    return column * x_.size() *
           (static_cast<std::size_t>(vectors) + (gcrodr ? 2 * static_cast<std::size_t>(kept) + 2 : 0));
  }

  /// What was reached before is worth more than an exception.
  static SolveResult without_memory(SolveResult all, const std::string& why) {
    all.reason = "the next preconditioner wasn't applied: " + why;
    if (all.status == Status::interrupted) all.status = Status::stagnated;  // by the watch
    return all;
  }

  static std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", seconds);
    return text;
  }

  /// A slow method has the time that is left, where there is nothing else.
  void resume(const PreconditionerRef<Space, T>& m, SolveResult& all) {
    const MethodChange change = change_between(in_use<Space, T>(all), {method_for(m), name_in_report(m)});
    go_on(all, change, [&](const SolveOptions& left) {
      CostWatch none(0, 0, left.max_iterations);
      return run_all(m, left, none);
    });
  }

  /// Adds a further run, of what `change` leads to. x stays as it is when the run comes no nearer.
  template <class Run>
  void go_on(SolveResult& all, const MethodChange& change, Run run) {
    Vector<Space, T> before(space_, x_.size());
    copy<T>(space_, x_, before.span());
    try {
      const bool was_slow = all.status == Status::interrupted;  // by the watch: else there is no further run
      SolveResult more = counted_from(all.iterations, run(remaining(options_, all)));
      if (!is_nearer(more, all)) copy<T>(space_, before, x_);
      if (was_slow) take_ending(all, more);
      latest_ = ending_of(more);
      append(all, std::move(more), change);
    } catch (...) {
      copy<T>(space_, before, x_);
      throw;
    }
  }

  const Space& space_;
  const OperatorRef<Space, T>& a_;
  In<T> b_;
  Out<T> x_;
  std::string_view solver_;
  const SolveOptions& options_;
  Structure structure_;
  bool unsolvable_ = false;       ///< no x solves the system
  bool slow_ = false;             ///< the latest run was stopped because it was slow
  std::size_t weaker_bytes_ = 0;  ///< that the preconditioners given up keep
  mutable double called_ = 0;     ///< when the callback was called while a preconditioner is made
  Pace pace_;
  double goal_ = 0;  ///< relative, of the latest run
  Ending latest_{};  ///< of that run, which may have come no nearer than those before
};

}  // namespace

SolverChoice choose_solver(const Structure& s, std::size_t value_bytes, int restart, double rate,
                           bool symmetric_preconditioner, std::size_t limit) {
  constexpr double small_rate = 0.7;
  const double memory = basis_memory(limit);
  const bool is_affordable = basis_is_affordable(s.rows, value_bytes, restart, memory);
  const auto vectors = [&] {
    return std::to_string(krylov_vectors(static_cast<std::size_t>(s.rows), value_bytes, restart, memory));
  };
  const std::string too_large = "a GMRES basis would take over " + bytes_text(memory);
  if (s.cols > 0 && s.rows != s.cols) return {"lsmr", "the matrix isn't square"};  // users' structures have no cols
  if (!symmetric_preconditioner && is_affordable)
    return {"gmres", "the preconditioner isn't symmetric, and a basis of " + vectors() + " vectors is affordable"};
  if (!symmetric_preconditioner) return {"bicgstab", too_large};
  if (s.symmetric && s.positive_diagonal) return {"cg", "the matrix is symmetric with a positive diagonal"};
  if (s.symmetric && s.negative_diagonal)
    return {"cg", "the matrix is symmetric with a negative diagonal, so that cg solves -A x = -b"};
  if (s.symmetric && s.rows > 0) return {"minres", "the matrix is symmetric, but its diagonal isn't positive"};
  const std::string why = "the matrix isn't symmetric";
  // GMRES takes twice the iterations then, each with one product and one M as well, and looks at the whole basis.
  if (rate > 0 && rate < small_rate) return {"bicgstab", why + ", and the preconditioner leaves few iterations"};
  if (is_affordable) return {"gmres", why + ", and a basis of " + vectors() + " vectors is affordable"};
  return {"bicgstab", why + ", and " + too_large};
}

namespace detail {

template <class Space, class T>
SolveResult solve_by_name(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                          const PreconditionerRef<Space, T>& m, std::string_view solver, const SolveOptions& given) {
  require_valid(given);
  const CallbackGuard guard(given);  // so that std::bad_alloc of a callback isn't taken for a method's lack of memory
  const std::string asked = lower(solver);
  const bool no_other = asked == "auto" && a.rows() != a.cols();
  const std::string_view name = no_other ? Lsmr::name : asked;
  SolveResult result = Ladder<Space, T>(space, a, b, x, name, guard.options()).climb(m);
  if (const std::string unused = unused_options(given, name); !unused.empty())
    result.notes.push_back("an option had no effect: " + unused);
  if (no_other) result.notes.insert(result.notes.begin(), std::string(name) + " chosen: the matrix isn't square");
  guard.rethrow();
  return result;
}

#define OSTINATO_INSTANTIATE(Space, T)                                                          \
  template SolveResult solve_by_name(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>, \
                                     const PreconditionerRef<Space, T>&, std::string_view, const SolveOptions&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace detail

}  // namespace ostinato

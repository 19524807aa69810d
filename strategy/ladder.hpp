// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/iteration_seconds.hpp>
#include <ostinato/strategy/leaving_jacobi.hpp>
#include <ostinato/strategy/several_methods.hpp>
#include <ostinato/strategy/solve_by_name.hpp>
#include <ostinato/strategy/step.hpp>
#include <ostinato/strategy/watch.hpp>

// Stronger preconditioners one after the other, each from the x of those before.

namespace ostinato::runs {

/// A solve by a method, or by auto, that goes on with stronger preconditioners as long as there are any.
template <class Space, class T>
class Ladder {
 public:
  Ladder(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x, std::string_view solver,
         const SolveOptions& options)
      : space_(space), a_(a), b_(b), x_(x), solver_(solver), options_(options) {
    facts_.rows = static_cast<Index>(std::min<std::size_t>(a.rows(), std::numeric_limits<Index>::max()));
    if (a.facts() != nullptr) facts_ = *a.facts();
  }

  SolveResult climb(PreconditionerRef<Space, T> m) {
    SolveResult all = first_run(m);
    while (!unsolvable_ && may_climb(all)) {
      // Other pivots don't make complete factors of a singular matrix better.
      if (has_lu(m) && shows_singular(latest_.why.cause)) break;
      std::vector<Refusal> refused;
      const double cost = stronger_seconds(m);
      const Stopwatch watch;
      const PreconditionerBase<Space, T>* next = nullptr;
      try {
        next = make_stronger(m, all, watch, refused);
      } catch (const Stopped&) {
        all.seconds += watch.seconds();
        return stopped_while_making(std::move(all));
      }
      space_.wait();
      all.seconds += watch.seconds();
      all.setup_seconds += watch.seconds();
      if (!next) {
        const bool is_early = slow_ && stronger_seconds(m) > cost;  // for something that takes longer to make
        stay_with(m, all, text_of(refused), is_early);
        if (!is_early) break;
        continue;
      }
      replace(m, *next, all, watch);
      if (!run_stronger(m, all)) return all;
    }
    if (all.status == Status::iteration_limit && all.iterations < options_.max_iterations) {
      all.status = Status::stagnated;
      all.take(
          {Cause::nearly_singular, "with complete factors the residual hardly falls: A is singular, or nearly so"});
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

  /// The run with the preconditioner that the solve begins with. Looks, too, whether any x solves the system.
  SolveResult first_run(const PreconditionerRef<Space, T>& m) {
    // Factors aren't symmetric.
    SolveResult all = needs_factors() && m.symmetric() ? without_iterations(m) : watched_run(m, options_);
    latest_ = ending_of(all);
    if (!unsolvable_ && may_climb(all))
      unsolvable_ = take_no_solution<Space, T>(all, space_, a_, b_, goal_of<Space, T>(space_, b_, options_));
    return all;
  }

  /// Makes the preconditioner that is stronger than m. Null where there is none; `refused` has those that couldn't be
  /// made. The space may still be at work. `watch` measures the time that this takes.
  /// Throws    Stopped.
  const PreconditionerBase<Space, T>* make_stronger(const PreconditionerRef<Space, T>& m, const SolveResult& all,
                                                    const Stopwatch& watch, std::vector<Refusal>& refused) {
    const PreconditionerStep<Space, T>* const step = step_of(m);
    if (step == nullptr) return nullptr;
    called_ = 0;
    const double seconds = options_.time_limit > 0 ? options_.time_limit - all.seconds : HUGE_VAL;
    return step->stronger({.thorough = options_.effort == Effort::thorough,
                           .definite = is_definite(all.solver),
                           .seconds = seconds,
                           .left = slow_ ? seconds_left(all) : 0,
                           .mem_limit = memory_left(options_.mem_limit, basis_bytes()),
                           .stop = Asking{*this, all, watch}},
                          refused);
  }

  /// Notes that nothing stronger was made, and goes on with m where it was only slow. is_early: something dearer may
  /// pay later.
  void stay_with(const PreconditionerRef<Space, T>& m, SolveResult& all, const std::string& why, bool is_early) {
    if (!why.empty())
      all.notes.push_back(why_stopped(m, all) + (is_early ? "; went on all the same: " : "; nothing stronger: ") + why);
    if (slow_) resume(m, all, is_early);
  }

  /// Takes `next`, which is stronger, in place of m. `watch` has measured the time to make it.
  void replace(PreconditionerRef<Space, T>& m, const PreconditionerBase<Space, T>& next, SolveResult& all,
               const Stopwatch& watch) {
    all.notes.push_back(why_stopped(m, all) + "; went on with " + next.name() + " (" + next.remarks() + ", " +
                        bytes_text(static_cast<double>(next.bytes())) + ", in " + short_text(watch.seconds()) + " s)");
    weaker_bytes_ += m.bytes();
    m = next;
    is_first_ = false;
  }

  /// The further run, with m. False where it lacked memory: the solve is then over.
  bool run_stronger(const PreconditionerRef<Space, T>& m, SolveResult& all) {
    try {
      go_on(all, [&](const SolveOptions& left) { return watched_run(m, left); });
      return true;
    } catch (const std::bad_alloc&) {
      end_without_memory(all, "not enough memory");
    } catch (const DeviceMemoryError& e) {
      end_without_memory(all, e.what());
    } catch (const MemoryLimitError& e) {
      end_without_memory(all, e.what());
    }
    return false;
  }

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
    all.take(stopped_meanwhile(all, options_));
    return with_limit(std::move(all));
  }

  /// Whether there is little hope without factors: rows without a diagonal entry make a matrix indefinite or worse.
  /// Small systems are solved before factors are there, large ones are given a chance without, and symmetric ones
  /// sooner, which MINRES takes. Factors are made on the host.
  bool needs_factors() const {
    constexpr Index fewest_rows = 100;
    const Facts& s = facts_;
    const Offset most_entries = s.symmetric ? 100000 : 1000000;
    return !Space::has_streams && solver_ == "auto" && options_.effort != Effort::quick && s.finite &&
           s.missing_diagonal > 0 && s.empty_rows == 0 && s.rows > fewest_rows && s.nonzeros <= most_entries;
  }

  /// The result of a method that was stopped before its first iteration.
  SolveResult without_iterations(const PreconditionerRef<Space, T>& m) {
    SolveOptions none = options_;
    none.max_iterations = 0;
    SolveResult result = watched_run(m, none);
    if (result.status != Status::iteration_limit || stronger_seconds(m) == 0) return watched_run(m, options_);
    result.status = Status::interrupted;
    result.notes.clear();
    slow_ = !at_limit(result, options_);
    return result;
  }

  /// Runs the method or methods, and stops them when a stronger preconditioner is likely to take less time. What comes
  /// after fsai takes the host's time, for which a forecast isn't good enough that was measured with Jacobi, and is up
  /// to 4.2 times too long for small matrices.
  SolveResult watched_run(const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
    const double cost = options_.effort == Effort::quick || !may_use_factors() ? 0 : stronger_seconds(m);
    goal_ = goal_of<Space, T>(space_, b_, options);
    CostWatch watch(cost, goal_, options.max_iterations, has_steady_residual(method_for(m)), times_foreseen(m));
    const SolverInfo* const method = find_solver(method_for(m));
    const bool is_watched = cost > 0 && method != nullptr;
    const double seconds = is_watched ? iteration_seconds(space_, a_, m, *method, options) : 0;
    SolveResult result = run_all(m, is_watched ? watched(options, watch, seconds) : options, watch);
    slow_ = watch.stopped() && result.status == Status::interrupted;
    pace_ = watch.pace();
    if (slow_ && at_limit(result, options)) slow_ = false;
    return result;
  }

  /// What Ritz values foresee is to be multiplied with; 0: they aren't asked. Of 16 matrices, what was left after 128
  /// iterations was 0.5 to 15 times that, 1.9 as a geometric mean (shared set, 2026-11). Where a hierarchy or FSAI may
  /// come next, leaving CG for nothing costs more than it may save.
  double times_foreseen(const PreconditionerRef<Space, T>& m) const {
    if (!is_first_ || m.name() == "fsai" || a_.rows() < RitzForecast::fewest_rows) return 0;
    return Space::has_streams || a_.rows() >= fewest_rows_of_hierarchy ? 1 : 2;
  }

  static bool is_definite(std::string_view method) {
    const SolverInfo* const info = find_solver(method);
    return info != nullptr && info->needs_definiteness;
  }

  /// Whether the method makes the residual as small as it can. That of CG stays on plateaus, and falls all the faster
  /// behind them; that of BiCGSTAB jumps.
  static bool has_steady_residual(std::string_view method) {
    const SolverInfo* const info = find_solver(method);
    return info != nullptr && info->has_steady_residual;
  }

  /// Predicted, of a method that was stopped because it was slow; infinite where it doesn't get there in the iterations
  /// that are left.
  double seconds_left(const SolveResult& all) const {
    if (!(pace_.rate > 0 && pace_.rate < 1)) return HUGE_VAL;
    const double iterations = pace_.left > 0 ? pace_.left : std::log(goal_ / pace_.residual) / std::log(pace_.rate);
    return iterations > remaining(options_, all).max_iterations ? HUGE_VAL : pace_.seconds * iterations;
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

  SolveResult with_limit(SolveResult all) const {
    name_limit(all, options_);
    return all;
  }

  SolveResult run_all(const PreconditionerRef<Space, T>& m, SolveOptions options, CostWatch& watch) {
    options.mem_limit = memory_left(options.mem_limit, weaker_bytes_);
    constexpr int enough = 500;  // with complete factors, unless these are those of a singular matrix
    if (has_lu(m) && !is_first_) options.max_iterations = std::min(options.max_iterations, enough);
    if (solver_ != "auto") return run<Space, T>(solver_, space_, a_, b_, x_, m, options);
    return run_methods<Space, T>(choice_for(m), facts_, space_, a_, b_, x_, m, options, watch, unsolvable_);
  }

  static bool has_lu(const PreconditionerRef<Space, T>& m) { return m.is_complete() && !m.symmetric(); }
  static bool shows_singular(Cause cause) { return cause == Cause::singular || cause == Cause::nearly_singular; }

  SolverChoice choice_for(const PreconditionerRef<Space, T>& m) const {
    PreconditionerTraits traits = traits_of(m);
    traits.weak &= !options_.flexible;  // an option of GMRES
    SolverChoice choice = choose_solver(facts_, sizeof(T), options_.restart, traits,
                                        memory_left(memory_left(options_.mem_limit, weaker_bytes_), m.bytes()));
    if (a_.facts() == nullptr && m.symmetric())
      choice.reason =
          "A doesn't say whether it is symmetric (facts()); name \"cg\" if A is symmetric positive definite";
    return choice;
  }

  /// The method that a run begins with.
  std::string method_for(const PreconditionerRef<Space, T>& m) const {
    return solver_ == "auto" ? choice_for(m).name : std::string(solver_);
  }

  /// Whether the method takes a preconditioner that isn't symmetric.
  bool may_use_factors() const {
    const SolverInfo* const method = find_solver(solver_);
    return solver_ == "auto" || (method != nullptr && method->takes_factors());
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

  /// Iterations of the whole solve, for sentences.
  int count(const SolveResult& all) const { return options_.iterations_before + all.iterations; }

  std::string why_stopped(const PreconditionerRef<Space, T>& m, const SolveResult& all) const {
    const std::string name = latest_.solver + " with " + (m.is_identity() ? "no preconditioner" : m.name());
    if (!slow_)
      return name + " ended as " + in_words(latest_.status) + " at iteration " + std::to_string(count(all)) + " (" +
             latest_.why.text + ")";
    if (all.iterations == 0)
      return std::to_string(facts_.missing_diagonal) + (facts_.missing_diagonal == 1 ? " row has" : " rows have") +
             " no diagonal entry, which leaves little hope without factors";
    return slow_text(name, pace_, count(all));
  }

  /// What a method, asked for by name, takes of the memory for a basis of as many vectors as it is asked for.
  std::size_t basis_bytes() const {
    const SolverInfo* const method = find_solver(solver_);
    return method == nullptr ? 0 : method->basis_bytes(x_.size(), sizeof(T), options_);
  }

  /// What was reached before is worth more than an exception.
  static void end_without_memory(SolveResult& all, const std::string& why) {
    all.take({Cause::memory, "the next preconditioner wasn't applied: " + why});
    if (all.status == Status::interrupted) all.status = Status::stagnated;  // by the watch
  }

  /// A slow method has the time that is left, where there is nothing else; or until something dearer pays.
  void resume(const PreconditionerRef<Space, T>& m, SolveResult& all, bool is_watched) {
    go_on(all, [&](const SolveOptions& left) {
      if (is_watched) return watched_run(m, left);
      CostWatch none(0, 0, left.max_iterations);
      return run_all(m, left, none);
    });
  }

  /// Adds a further run. x stays as it is when the run comes no nearer.
  template <class Run>
  void go_on(SolveResult& all, Run run) {
    const Vector<Space, T> before = copied<Space, T>(space_, x_);
    try {
      const bool was_slow = all.status == Status::interrupted;  // by the watch: else there is no further run
      SolveResult more = run(remaining(options_, all));
      if (!is_nearer(more, all)) copy<T>(space_, before, x_);
      if (was_slow) take_ending(all, more);
      latest_ = ending_of(more);
      append(all, std::move(more));
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
  Facts facts_;
  bool unsolvable_ = false;       ///< no x solves the system
  bool is_first_ = true;          ///< the preconditioner is the one that the solve began with
  bool slow_ = false;             ///< the latest run was stopped because it was slow
  std::size_t weaker_bytes_ = 0;  ///< that the preconditioners given up keep
  mutable double called_ = 0;     ///< when the callback was called while a preconditioner is made
  Pace pace_;
  double goal_ = 0;  ///< relative, of the latest run
  Ending latest_{};  ///< of that run, which may have come no nearer than those before
};

}  // namespace ostinato::runs

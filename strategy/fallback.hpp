// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <new>
#include <string>
#include <string_view>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/iteration_seconds.hpp>
#include <ostinato/strategy/runs.hpp>
#include <ostinato/strategy/step.hpp>
#include <ostinato/strategy/watch.hpp>

// A preconditioner with a fallback(), which takes its place where that is faster.

namespace ostinato::runs {

/// A solve with a preconditioner that may turn out slow, and the one that takes its place where that is faster.
template <class Space, class T>
class FallbackSolve {
 public:
  FallbackSolve(std::string_view method, const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                const PreconditionerRef<Space, T>& m, const PreconditionerRef<Space, T>& simple,
                const SolveOptions& options)
      : method_(method), space_(space), a_(a), b_(b), x_(x), m_(m), simple_(simple), options_(options) {
    const SolverInfo* const info = find_solver(method);
    if (info == nullptr) return;  // refused by the run
    seconds_ = iteration_seconds(space, a, m, *info, options);
    simple_seconds_ = iteration_seconds(space, a, simple, *info, options);
  }

  /// Whenever M has been slow for a while, lets the other one show in half of that time whether it is faster. It goes
  /// on as long as it is. Then M is watched for four times as many iterations before it has to compete again: so what
  /// the trials cost stays a share of the whole.
  SolveResult run() {
    // The first five iterations of CG say too little: multigrid of 18 and of 197 iterations would be given up after
    // them, for ten times as many with Jacobi.
    constexpr int first_window = 20;
    const double goal = goal_of<Space, T>(space_, b_, options_);
    SlowWatch watch(first_window, goal, options_.max_iterations);
    SolveResult all = run_with(m_, watched(options_, watch, seconds_));
    for (int window = first_window; watch.stopped() && all.status == Status::interrupted; window *= 4) {
      const std::string slow = slow_text(m_.name(), watch.pace(), options_.iterations_before + all.iterations) + "; ";
      bool enough_memory = true;
      if (try_simple(all, slow, watch.pace(), window, goal, enough_memory)) return all;
      const SolveOptions left = remaining(options_, all);
      watch = SlowWatch(4 * window, goal, left.max_iterations);
      if (enough_memory) {
        continue_with(all, m_, watched(left, watch, seconds_));
      } else {
        SolveResult more = run_with(m_, left);
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
    } catch (const DeviceMemoryError& e) {
      return no_memory(e.what());
    }
  }

  bool compete(SolveResult& all, const std::string& slow, const Pace& pace, int window, double goal) const {
    Trial trial(pace, 0.5 * window * pace.seconds, goal);
    const Status ending = continue_with(all, simple_, watched(remaining(options_, all), trial, simple_seconds_));
    const bool lost = trial.stopped() && ending == Status::interrupted;
    all.notes.push_back(
        slow + (lost ? simple_.name() + " was slower, went on with " + m_.name() : "went on with " + simple_.name()));
    return !lost;
  }

  /// Goes on with a preconditioner and returns how that ended. x and the residual stay those from before when it came
  /// no nearer.
  Status continue_with(SolveResult& all, const PreconditionerRef<Space, T>& m, const SolveOptions& options) const {
    const Vector<Space, T> before = copied<Space, T>(space_, x_);
    try {
      SolveResult more = run_with(m, options);
      const Status ended = more.status;
      runs::take_method(all, more);
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
  double seconds_ = 0, simple_seconds_ = 0;  ///< of an iteration with m_ and with simple_, by the model
};

/// Runs a method. A preconditioner that has a fallback is watched.
template <class Space, class T>
SolveResult run(std::string_view name, const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
  const PreconditionerStep<Space, T>* const step = step_of(m);
  const PreconditionerBase<Space, T>* const fallback = step == nullptr ? nullptr : step->fallback();
  if (fallback == nullptr) return run_alone<Space, T>(name, space, a, b, x, m, options);
  const PreconditionerRef<Space, T> simple(*fallback);
  return FallbackSolve<Space, T>(name, space, a, b, x, m, simple, options).run();
}

}  // namespace ostinato::runs

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/solvers/options.hpp>
#include <ostinato/solvers/recurrence/ritz_forecast.hpp>

namespace ostinato {

/// How fast a residual falls.
struct Pace {
  double residual = 0;  ///< relative, at the latest look
  double rate = 0;      ///< by which an iteration multiplied it on average
  double seconds = 0;   ///< of an iteration, by the model
  double left = 0;      ///< iterations to the goal, by Ritz values; 0: unknown, or not by these
};

/// The relative residual that a solve is to reach, with a right-hand side of this norm.
inline double relative_goal(const SolveOptions& options, double b_norm) {
  return b_norm > 0 ? std::max(options.rtol, options.atol / b_norm) : options.rtol;
}

/// Stops a method whose residual falls slowly, from the callback of its options. Looks at windows of some iterations,
/// one after the other. A solve that would be over within one more window at its pace isn't stopped, nor is one whose
/// residual was within `goal` already: what follows then is the struggle with rounding.
class SlowWatch {
 public:
  static constexpr double slow_rate = 0.7;

  /// `goal`: the relative residual to reach, in at most `last` iterations.
  SlowWatch(int window, double goal, int last) : window_(window), goal_(goal), last_(last) {}

  bool stopped() const { return stopped_; }
  const Pace& pace() const { return pace_; }

  /// False when the method is to stop.
  bool operator()(const Iteration& now) {
    reached_ |= now.relative_residual <= goal_;
    if (base_.number == 0) base_ = now;
    const int n = now.number - base_.number;
    if (reached_ || n < window_ || now.number >= last_) return true;
    pace_ = {now.relative_residual, std::pow(now.relative_residual / base_.relative_residual, 1.0 / n),
             (now.seconds - base_.seconds) / n};
    base_ = now;
    stopped_ = pace_.rate > slow_rate && now.relative_residual * std::pow(pace_.rate, window_) > goal_;
    return !stopped_;
  }

 private:
  int window_;
  double goal_;
  int last_;
  Iteration base_;
  Pace pace_;
  bool reached_ = false, stopped_ = false;
};

/// Stops a method that falls less in a time than another one did. Looks after `seconds`, then after twice that time and
/// so on: what falls fast at first, as the rough part of an error does, may be slow in the end.
class Trial {
 public:
  Trial(const Pace& other, double seconds, double goal)
      : other_(other), from_(other.residual), seconds_(seconds), goal_(goal) {}

  bool stopped() const { return stopped_; }

  /// False when the method is to stop. One that would be over after the same fall once more goes on.
  bool operator()(const Iteration& now) {
    const double elapsed = now.seconds - since_;
    if (elapsed < seconds_) return true;
    const double fall = now.relative_residual / from_;
    stopped_ = !(fall < std::pow(other_.rate, elapsed / other_.seconds)) && !(now.relative_residual * fall < goal_);
    from_ = now.relative_residual;
    since_ = now.seconds;
    seconds_ *= 2;
    return !stopped_;
  }

 private:
  Pace other_;
  double from_, since_ = 0, seconds_, goal_;
  bool stopped_ = false;
};

/// Stops a method when it has run for a while and would take longer than something else, whose set-up takes `cost`
/// seconds and whose iterations, as long as those of the method, leave a tenth of the residual. Looks when half of the
/// cost is over, then after twice the time and so on, and after some iterations, however short: 300 of a method whose
/// residual is steady, a quarter of those that are allowed of others. It looks at how the residual fell since the look
/// before, the first time since half of that time, because the rough part of an error falls fast. A look at one of
/// these times takes in eight iterations or more. What CG tells of the eigenvalues is asked earlier (RitzForecast).
class CostWatch {
 public:
  /// `goal`: the relative residual to reach, in at most `last` iterations. `times`: of what Ritz values foresee; 0:
  /// they aren't looked at.
  CostWatch(double cost, double goal, int last, bool is_steady = true, double times = 1)
      : cost_(cost),
        first_(0.5 * cost),
        next_(0.25 * cost),
        goal_(goal),
        last_(last),
        between_(is_steady ? std::min(last / 4, most_between) : last / 4),
        next_number_(between_),
        times_(times) {}

  bool stopped() const { return stopped_; }
  const Pace& pace() const { return pace_; }  ///< when it was stopped

  /// Forgets the residuals: another method begins. The last ones of the method before may have been wrong.
  void forget() {
    base_ = start_ = {};
    has_forecast_ = false;
    least_ = HUGE_VAL;
  }

  /// False when the method is to stop.
  bool operator()(const Iteration& now) {
    constexpr int fewest = 8;  // two or three say nothing
    if (base_.number == 0) base_ = start_ = now;
    least_ = std::fmin(least_, now.relative_residual);
    if (times_ > 0) foresee(now);
    if (stopped_) return false;
    const int n = now.number - base_.number;
    const bool late = now.seconds >= next_ && n >= fewest, many = now.number >= next_number_ && n >= 2;
    if (!late && !many) return true;
    if (many || now.seconds >= first_) judge(now, n, late);
    base_ = {now.number, least_, now.seconds};
    if (late) next_ = 2 * now.seconds;
    if (many) next_number_ = now.number + std::max(1, between_);
    return !stopped_;
  }

 private:
  /// Looks at the Ritz values, from the second forecast on.
  void foresee(const Iteration& now) {
    const int n = now.number - start_.number;
    const double left = n > 0 ? times_ * forecast_(now, goal_) : 0;
    if (!(left > 0) || !std::exchange(has_forecast_, true) || !(least_ > goal_)) return;
    const double seconds = (now.seconds - start_.seconds) / n;
    stopped_ = (left - std::log10(least_ / goal_)) * seconds > cost_;
    if (stopped_) pace_ = {least_, std::pow(goal_ / least_, 1 / left), seconds, left};
  }

  /// Looks at the latest `n` iterations.
  void judge(const Iteration& now, int n, bool late) {
    pace_ = {least_, std::pow(least_ / base_.relative_residual, 1.0 / n), (now.seconds - base_.seconds) / n};
    // CG's residual may rise for long before it falls.
    const double left = pace_.rate < 1 ? std::log(goal_ / least_) / std::log(pace_.rate) : HUGE_VAL;
    const double left_of_other = std::log10(least_ / goal_);
    const bool dear = late && (left - left_of_other) * pace_.seconds > cost_;
    stopped_ = least_ > goal_ && (dear || left > last_ - now.number);
  }

  static constexpr int most_between = 300;
  double cost_, first_, next_, goal_;
  int last_, between_, next_number_;
  double times_;
  Iteration base_;             ///< at the last look
  Iteration start_;            ///< the first of the method
  bool has_forecast_ = false;  ///< of this method
  double least_ = HUGE_VAL;
  RitzForecast forecast_;
  Pace pace_;
  bool stopped_ = false;
};

/// The options with a callback that asks `watch`, too. An iteration counts for it as `seconds`, by a model
/// (iteration_seconds()): so that what it decides is the same on each run, on busy machines, too.
template <class Watch>
SolveOptions watched(SolveOptions options, Watch& watch, double seconds) {
  options.callback = [&watch, seconds, callback = std::move(options.callback)](const Iteration& now) {
    return (!callback || callback(now)) &&
           watch({now.number, now.relative_residual, seconds * now.number, now.lanczos});
  };
  return options;
}

}  // namespace ostinato

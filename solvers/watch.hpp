// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/analysis/tridiagonal.hpp>

namespace ostinato {

/// How fast a residual falls.
struct Pace {
  double residual = 0;  ///< relative, at the latest look
  double rate = 0;      ///< by which an iteration multiplied it on average
  double seconds = 0;   ///< of an iteration
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

/// Foresees how many iterations CG needs from the Ritz values of its Lanczos process (Iteration::lanczos), long before
/// the residual tells: each Krylov space reaches the small eigenvalues only a little better than the one before.
///
/// Model     To reduce the residual by a factor, CG takes some log(2 / factor) / 2 times the square root of the ratio
///           of the largest eigenvalue to the smallest that counts. The smallest of all doesn't, nor do a few that lie
///           apart, a power of ten below the others: CG gets over these one by one. The ratio of the Ritz values grows
///           with the iterations; as it grew over the latest doubling of their number, it is taken to grow once more,
///           and a part of the whole is left out for the clusters and gaps that help CG. Of what CG with Jacobi still
///           took on nine matrices (five of them real, 98 to 5,202 iterations, 2026-11), 0.05 to 1.5 was foreseen after
///           48 iterations, and 0.06 to 2.7 later: less where CG takes very long. On eight that fall into weakly joined
///           pieces it was 0.02 to 1.3 until 128.
/// Limits    Far too much is foreseen where A has few different eigenvalues, because CG then ends all at once: small
///           matrices (4.2 times what was left on nos3 after 128 iterations, 3.7 on bcsstk09), many pieces that are
///           alike, grids of few points across. To leave CG there is needless, and costs the time of what takes its
///           place.
class RitzForecast {
 public:
  static constexpr std::size_t fewest_rows = 1000;

  /// Looks anew at 32, 48, 64, 96, ..., 256 iterations. Returns the iterations that are left, or 0 where there is
  /// nothing new or too little to go by.
  double operator()(const Iteration& now, double goal) {
    constexpr std::size_t latest = 256;
    if (now.lanczos == nullptr || now.lanczos->diagonal.size() < seen_) *this = {};
    if (now.lanczos == nullptr || now.lanczos->diagonal.size() < next_ || next_ > latest) return 0;
    while (now.lanczos->diagonal.size() >= following(next_) && next_ < latest) next_ = following(next_);
    seen_ = std::exchange(next_, following(next_));
    const double spread = spread_of(*now.lanczos, seen_), before = spread_of(*now.lanczos, seen_ / 2);
    constexpr double share = 0.7;
    const double left =
        share * std::clamp(spread / before, 1.0, 2.0) * 0.5 * spread * std::log(2 * now.relative_residual / goal);
    return std::isfinite(left) ? left : 0;
  }

 private:
  /// Powers of 2, and one and a half times these.
  static std::size_t following(std::size_t size) {
    return (size & (size - 1)) == 0 ? size + size / 2 : size + size / 3;
  }

  /// The root of the ratio of the largest Ritz value to the smallest that counts, of the first `size` iterations.
  static double spread_of(const Tridiagonal& t, std::size_t size) {
    constexpr double digits = 0.01;
    const auto n = static_cast<std::ptrdiff_t>(size);
    const Tridiagonal leading{{t.diagonal.begin(), t.diagonal.begin() + n}, {t.beside.begin(), t.beside.begin() + n}};
    const double largest = eigenvalue(leading, size - 1, digits);
    return std::sqrt(largest / eigenvalue(leading, std::max<std::size_t>(1, apart(leading, largest)), digits));
  }

  /// The number of Ritz values below a gap of a power of ten, if they are a quarter of all at most; 0: there is no gap.
  static std::size_t apart(const Tridiagonal& t, double largest) {
    constexpr int powers = 13;  // of ten; what is smaller than the largest by as much is rounding
    const double step = std::sqrt(0.1);
    std::size_t before = t.diagonal.size(), below = before;
    for (int half = 0; half < 2 * powers; ++half, largest *= step) {
      const std::size_t two_before = std::exchange(before, below);
      below = eigenvalues_below(t, largest);
      if (half >= 2 && below == two_before && 4 * below <= t.diagonal.size()) return below;
    }
    return 0;
  }

  std::size_t next_ = 32, seen_ = 0;  ///< iterations of a look
};

/// Stops a method when it has run for a while and would take longer than something else, whose set-up takes `cost`
/// seconds and whose iterations, as long as those of the method, leave a tenth of the residual. Looks when `first`
/// times the cost is over, then after twice the time and so on, and after each quarter of the iterations that are
/// allowed: at how the residual fell since the look before, the first time since half of that time, because the rough
/// part of an error falls fast. A look at one of these times takes in eight iterations or more. What CG tells of the
/// eigenvalues is asked earlier (RitzForecast).
class CostWatch {
 public:
  /// `goal`: the relative residual to reach, in at most `last` iterations. foresees: whether Ritz values are looked at.
  CostWatch(double cost, double goal, int last, double first = 0.5, bool foresees = true)
      : cost_(cost),
        first_(first * cost),
        next_(0.5 * first_),
        goal_(goal),
        last_(last),
        next_number_(last_ / 4),
        foresees_(foresees) {}

  bool stopped() const { return stopped_; }
  const Pace& pace() const { return pace_; }  ///< when it was stopped

  /// Forgets the residuals: another method begins. The last ones of the method before may have been wrong.
  void forget() {
    base_ = start_ = {};
    seconds_ = HUGE_VAL;
    least_ = HUGE_VAL;
  }

  /// False when the method is to stop.
  bool operator()(const Iteration& now) {
    constexpr int fewest = 8;  // two or three say nothing
    if (base_.number == 0) base_ = now;
    least_ = std::fmin(least_, now.relative_residual);
    if (foresees_) foresee(now);
    if (stopped_) return false;
    const int n = now.number - base_.number;
    const bool late = now.seconds >= next_ && n >= fewest, many = now.number >= next_number_ && n >= 2;
    if (!late && !many) return true;
    if (many || now.seconds >= first_) judge(now, n, late);
    base_ = {now.number, least_, now.seconds};
    if (late) next_ = 2 * now.seconds;
    if (many) next_number_ = now.number + std::max(1, last_ / 4);
    return !stopped_;
  }

 private:
  /// Looks at the Ritz values, whenever a further interval has told how long an iteration takes. From the second look
  /// on the faster of the last two intervals counts: where others use the machine, one may be slow.
  void foresee(const Iteration& now) {
    if (start_.number == 0) start_ = now;
    const int n = now.number - start_.number;
    const double left = n > 0 ? forecast_(now, goal_) : 0;
    if (!(left > 0)) return;
    const double interval = (now.seconds - start_.seconds) / n, before = std::exchange(seconds_, interval);
    start_ = now;
    if (before == HUGE_VAL || !(least_ > goal_)) return;
    const double seconds = std::min(before, interval);
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

  double cost_, first_, next_, goal_;
  int last_, next_number_;
  bool foresees_;
  Iteration base_;
  Iteration start_;            ///< of the time between two forecasts
  double seconds_ = HUGE_VAL;  ///< of an iteration in the latest interval
  double least_ = HUGE_VAL;
  RitzForecast forecast_;
  Pace pace_;
  bool stopped_ = false;
};

/// The options with a callback that asks `watch`, too.
template <class Watch>
SolveOptions watched(SolveOptions options, Watch& watch) {
  options.callback = [&watch, callback = std::move(options.callback)](const Iteration& now) {
    return (!callback || callback(now)) && watch(now);
  };
  return options;
}

}  // namespace ostinato

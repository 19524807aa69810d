// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include <ostinato/solvers/recurrence/callback_guard.hpp>
#include <ostinato/solvers/recurrence/diagnosis.hpp>
#include <ostinato/solvers/recurrence/monitor.hpp>
#include <ostinato/solvers/recurrence/residual_judge.hpp>
#include <ostinato/solvers/recurrence/ritz_condition.hpp>
#include <ostinato/solvers/recurrence/scaled_system.hpp>
#include <ostinato/solvers/solver.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/shared_space.hpp>
#include <ostinato/spmv/space/sums.hpp>

// The start, the restarts and the end of a solve, which all methods share. The methods' .cpp files include this header.

namespace ostinato {

/// Returns the number of iterations in a block (Monitor). On the GPU it is a multiple of `period`, the number of
/// iterations after which the scalars of the recurrence are in their original slots again. A block is long enough to
/// make reading back cheap, and short enough that few iterations are enqueued after the end of a solve. On the CPU a
/// block has one iteration unless options.check_every says otherwise, and on the GPU so, too, when there will be few
/// and long ones: the host keeps up, and an iteration too many would count. `preconditioning`: seconds of an
/// application of M. Ranks on GPUs meet at the end of a block: those have eight iterations, or two of few, or one where
/// an iteration takes longer than the hosts take to meet.
template <class Space, class Map>
int block_length(const Space& space, const Map& a, const SolveOptions& options, int period, double preconditioning = 0,
                 bool few_iterations = false) {
  constexpr int most = ConvergenceState::ring / 4;
  const auto whole = [=](int length) {
    const int longest = most / period * period;
    return Space::has_streams ? std::min((std::min(length, most) + period - 1) / period * period, longest)
                              : std::min(length, most);
  };
  if (options.check_every > 0) return whole(options.check_every);
  if constexpr (!Space::has_streams) {
    return 1;
  } else {
    const double bytes =
        12.0 * static_cast<double>(a.rows()) * sizeof(typename Map::value_type) + static_cast<double>(a.bytes());
    constexpr double between_readbacks = 100e-6, launches = 6e-6, long_enough = 50e-6;
    const double iteration = launches + bytes / space.bandwidth() + preconditioning;
    if constexpr (SharedSpace<Space>) {  // the same on all ranks
      const bool is_long = most_of(space, iteration) > between_readbacks;
      return whole(!few_iterations ? 8 : is_long ? 1 : 2);
    }
    if (few_iterations && iteration > long_enough) return 1;
    return whole(std::clamp(2 * static_cast<int>(between_readbacks / iteration / 2), 2, 16));
  }
}

/// The same for a solve with M. Complete factors are needed once or twice; the host, or one row after the other, takes
/// long to apply them.
template <class Space, class Map, class Preconditioner>
int block_length_with(const Space& space, const Map& a, const Preconditioner& m, const SolveOptions& options,
                      int period) {
  constexpr double of_factors = 100e-6;
  const bool few = m.is_complete() || (m.rate() > 0 && m.rate() < 0.5);
  return block_length(space, a, options, period, std::max(m.seconds(), m.is_complete() ? of_factors : 0.0), few);
}

/// Decides what follows when a recurrence has stopped, by comparing the norms of the recomputed residual at the last
/// two stops.
class RestartPolicy {
 public:
  explicit RestartPolicy(OnBreakdown on_breakdown) : on_breakdown_(on_breakdown) {}

  /// True when the solve is over; status() then says how it ended.
  bool is_over(StopReason reason, double norm, double goal) {
    if (!std::isfinite(norm)) return end(Status::not_finite);
    if (norm <= goal) return end(Status::converged);
    const double fall = norm / previous_;
    previous_ = norm;
    switch (reason) {
      case StopReason::none:
      case StopReason::precision:
        return false;
      case StopReason::limit:
        return end(Status::iteration_limit);
      case StopReason::time:
        return end(Status::time_limit);
      case StopReason::interrupt:
        return end(Status::interrupted);
      case StopReason::growth:
        return end(Status::diverged);
      case StopReason::stall:
        return end(Status::stagnated);
      case StopReason::goal:
        return fall > 0.5 && end(Status::stagnated);
      case StopReason::breakdown:
        broken_ = fall > 0.99 ? broken_ + 1 : 0;
        return (on_breakdown_ == OnBreakdown::end || broken_ == (on_breakdown_ == OnBreakdown::restart ? 1 : 2)) &&
               end(Status::breakdown);
      case StopReason::not_finite:
        return fall > 0.99 && end(Status::not_finite);
      case StopReason::restart:
        idle_ = fall > 1 - 1e-5 ? idle_ + 1 : 0;
        return idle_ == 3 && end(Status::stagnated);
    }
    return end(Status::breakdown);
  }

  Status status() const { return status_; }

 private:
  bool end(Status status) {
    status_ = status;
    return true;
  }

  OnBreakdown on_breakdown_;
  Status status_ = Status::breakdown;
  double previous_ = HUGE_VAL;
  int idle_ = 0;
  int broken_ = 0;  ///< breakdowns in a row without progress
};

/// Refuses a preconditioner that varies (PreconditionerRef::varies()), for a Method whose x would then not belong to
/// its residual.
/// Throws    ArgumentError.
template <class Method, class Space, class T>
void require_fixed(const PreconditionerRef<Space, T>& m) {
  static_assert(!Method::takes_varying_m);
  if (!m.varies()) return;
  const std::string method(Method::name);
  throw ArgumentError(method + ": " + m.name() + " isn't a linear function with these options, which " + method +
                      " needs; use cg, gmres or bicgstab");
}

/// "none", or the name of M.
template <class Space, class T>
std::string name_in_report(const PreconditionerRef<Space, T>& m) {
  return m.is_identity() ? "none" : m.name();
}

/// Fills in the monitor's records, in the units of the caller's b.
template <class Space, class T>
void report(SolveResult& result, double norm, const ScaledSystem<Space, T>& system, int restarts,
            Monitor<Space>& monitor, const SolveOptions& options) {
  result.iterations = monitor.iterations();
  result.residual = system.unscaled(norm);
  result.relative_residual = norm / (system.b_norm() > 0 ? system.b_norm() : 1);
  result.history = std::move(monitor.history());
  if (result.history.empty() && options.history) result.history.push_back(result.relative_residual);
  result.seconds = monitor.seconds();
  result.preconditioner_bytes = system.m().bytes();
  result.null_pivots = system.m().null_pivots();
  result.is_direct = system.m().is_complete();
  result.condition = system.m().condition();
  if (!result.condition.is_known()) result.condition = ritz_condition(monitor.lanczos(), !system.m().is_identity());
  const double first = result.iterations > 0 ? monitor.first() : result.relative_residual;
  result.stages = {{result.solver, result.preconditioner, result.iterations, result.seconds, 0, first,
                    result.relative_residual, result.preconditioner_bytes}};
  if (restarts <= 0) return;
  result.notes.push_back(result.solver + " restarted from the recomputed residual " + std::to_string(restarts) +
                         (restarts == 1 ? " time" : " times"));
}

/// The x of the smallest recomputed residual. The rule of all methods: a solve returns this x, which may be the guess.
template <class Space, class T>
class Best {
 public:
  Best(std::size_t n, Workspace<Space>& workspace) : x_(workspace.template allocate<T>(n)) {}

  /// Takes x, with its residual norm, if none was better.
  void keep(const Space& space, In<T> x, double norm) {
    if (!is_worse(norm)) copy<T>(space, x, x_);
    if (!is_worse(norm)) norm_ = norm;
  }

  /// Whether a better x was kept.
  bool is_worse(double norm) const { return norm_ < HUGE_VAL && !(norm <= norm_); }
  void give(const Space& space, Out<T> x) const { copy<T>(space, x_, x); }

 private:
  Out<T> x_;
  double norm_ = HUGE_VAL;
};

template <class T>
constexpr const char* precision_name = is_single<T> ? "single precision" : "double precision";

/// One solve, from the caller's x and back to it: what all methods do around their recurrence. x is in the scale of the
/// system until give_back() or, where an exception ends the solve, until the destructor.
template <class Space, class T>
class Solve {
 public:
  Solve(const ScaledSystem<Space, T>& system, Out<T> x, const SolveOptions& options, int every,
        Workspace<Space>& workspace)
      : system_(system),
        x_(x),
        r_(workspace.template allocate<T>(system.b().size())),
        judge_(system, workspace),
        monitor_(system.space(), options, system.b_norm(),
                 std::max(options.rtol * system.b_norm(), system.scaled(options.atol)), every, workspace) {
    enter();
    if (system.b_norm() == 0) system.space().zero(x.data(), x.size_bytes());
  }
  ~Solve() {
    if (entered_) abandon();
  }
  Solve(const Solve&) = delete;
  Solve& operator=(const Solve&) = delete;

  Monitor<Space>& monitor() { return monitor_; }
  Out<T> r() const { return r_; }
  double norm() const { return norm_; }

  /// r = b - A x, judged anew where the norm is within the goal.
  void compute_residual(SolveResult& result) {
    norm_ = judge_.compute(x_, r_);
    if (monitor_.reason() == StopReason::none) guess_is_finite_ = !is_far(norm_) || drop_guess(result);
    computed_ = norm_;
    if (norm_ <= monitor_.goal()) {
      norm_ = judge_.assured(x_, r_, norm_, monitor_.goal());
      const double hidden = norm_ - computed_, aim = monitor_.goal() - 1.1 * hidden;
      if (norm_ > monitor_.goal() && aim > 0) monitor_.aim(aim);
    } else if (monitor_.reason() == StopReason::goal || monitor_.reason() == StopReason::restart) {
      // From a more accurate residual, a restart reaches further than the rounding in T.
      if (judge_.may_be_rounding(x_, norm_)) norm_ = judge_.best(x_, r_, norm_);
    }
  }

  /// Takes the best x so far where the residual has grown since. False when it hasn't.
  bool return_to(const Best<Space, T>& best, SolveResult& result) {
    if (!best.is_worse(norm_)) return false;
    best.give(system_.space(), x_);
    compute_residual(result);
    return true;
  }
  void keep(Best<Space, T>& best) const { best.keep(system_.space(), x_, norm_); }

  /// Repeats a recurrence that has failed, from the x where it began, as far as its smallest residual.
  template <class Recurrence>
  void replay(const Best<Space, T>& best, Slot<T> rr, Recurrence& recurrence) {
    best.give(system_.space(), x_);
    const double norm = judge_.compute(x_, r_);
    monitor_.replay([&] { recurrence(r_, rr, norm, monitor_); });
  }

  /// Judges x where the recurrence begins or has stopped. Takes the best x so far where the residual has grown since,
  /// and repeats the recurrence first where that had been nearer on its way. False when the residual hasn't grown.
  template <class Recurrence>
  bool take_nearest(const Best<Space, T>& best, Slot<T> rr, Recurrence& recurrence, SolveResult& result) {
    compute_residual(result);
    bool has_grown = return_to(best, result);
    if (has_grown && monitor_.was_nearer_than(norm_)) {
      replay(best, rr, recurrence);
      compute_residual(result);
      has_grown = return_to(best, result);
    }
    return has_grown;
  }

  /// Whether the recurrence can still see a residual that is above the goal.
  bool can_go_on() const { return computed_ > monitor_.goal() || norm_ < 2 * computed_; }

  /// A bound for what the rounding of b - A x may have changed r by; infinite where the operator doesn't tell.
  double rounding_bound() const { return judge_.bound(x_); }
  /// An estimate of the same, from some products.
  double rounding() {
    const double estimate = judge_.rounding(x_, r_).norm;
    judge_.compute(x_, r_);
    return estimate;
  }
  /// Computes r and its norm in higher precision. False, and nothing done, where the operator can't.
  bool improve_residual() {
    const double norm = judge_.best(x_, r_, HUGE_VAL);
    if (norm == HUGE_VAL) return false;
    norm_ = norm;
    return true;
  }

  void give_back(SolveResult& result) {
    give_back(result, [](In<T>, double) { return true; });
  }
  /// Gives x back in the caller's scale, finite, and looks once more at a residual that this has changed.
  /// still_least(r, norm): whether x solves a least squares problem, by its residual.
  template <class StillLeast>
  void give_back(SolveResult& result, StillLeast still_least) {
    keep_finite(result);
    judge_end(result);
    const auto lost = leave();
    if (lost.digits != 0 && guess_is_finite_) {
      enter();
      const double computed = judge_.compute(x_, r_);
      const bool is_least = result.status == Status::least_squares && still_least(r_, computed);
      norm_ = judge_.assured(x_, r_, computed, monitor_.goal());
      const bool is_lost = result.status == Status::least_squares
                               ? !is_least
                               : result.status == Status::converged && norm_ > monitor_.goal();
      if (!(norm_ <= monitor_.goal())) tell_above_goal(computed);
      result.backward_error = judge_.backward_error(x_, r_, norm_);
      out_of_range(result, lost.too_large > 0, is_lost);
      leave();
    }
    if (has_grown_) note_growth(result);
  }

 private:
  /// Tells the residual without the rounding that may be in it, unless that would be within the goal.
  void tell_above_goal(double computed) {
    const double told = judge_.told(x_, r_, computed);
    if (!(told <= monitor_.goal())) norm_ = told;
  }

  /// A note that says why the solve ended.
  static void tell(SolveResult& result, Reason reason) {
    result.notes.push_back(reason.text);
    result.take(std::move(reason));
  }

  void enter() {
    judge_.forget_x();
    system_.enter(x_);
    entered_ = true;
  }
  auto leave() {
    judge_.forget_x();
    entered_ = false;
    return system_.leave(x_);
  }

  /// After an exception: x as far as it came, finite if the guess was.
  void abandon() noexcept {
    try {
      if (guess_is_finite_) judge_.make_finite(x_);
      system_.abandon(x_);
    } catch (...) {  // the device is gone, and x with it
    }
  }

  /// A guess from which the residual is so large that nothing of b is left in it, and nothing of what follows from b.
  bool is_far(double norm) const {
    constexpr double epsilon = std::numeric_limits<real_t<T>>::epsilon(), far = 1 / (epsilon * epsilon);
    return system_.b_norm() > 0 && !(norm <= far * system_.b_norm());
  }

  /// Begins at x = 0 where the guess was finite and too far, if the residual is finite there. False when the guess
  /// wasn't finite.
  bool drop_guess(SolveResult& result) {
    if (!judge_.is_finite(x_)) return false;
    Vector<Space, T> guess(system_.space(), x_.size());
    copy<T>(system_.space(), x_, guess.span());
    system_.space().zero(x_.data(), x_.size_bytes());
    const double norm = judge_.compute(x_, r_);
    if (std::isfinite(norm)) {
      norm_ = norm;
      result.notes.emplace_back("the guess was given up for x = 0: it is too far from the solution to help");
    } else {
      copy<T>(system_.space(), guess, x_);
    }
    return true;
  }

  /// The iterates may overflow before the residual does. Where no entry of A reads x, the guess or the preconditioner
  /// may have written anything.
  void keep_finite(SolveResult& result) {
    if (judge_.is_finite(x_)) return;
    if (std::isfinite(norm_)) return drop_unread(result);  // a product that reads these elements isn't finite
    if (!guess_is_finite_) return;
    judge_.make_finite(x_);
    norm_ = judge_.compute(x_, r_);
    result.status = Status::not_finite;
    tell(result, {Cause::range, "x grew out of the range of " + std::string(precision_name<T>) +
                                    "; its elements end at the largest finite number"});
  }

  /// Elements of x that aren't finite, and that no entry of A reads, become 0.
  void drop_unread(SolveResult& result) {
    const std::string what = "elements of x that no entry of A reads weren't finite; they end at 0";
    judge_.drop_not_finite(x_);
    compute_residual(result);
    const bool is_solved =
        (result.status == Status::converged && norm_ <= monitor_.goal()) || result.status == Status::least_squares;
    if (is_solved || !guess_is_finite_) return result.notes.push_back(what);
    result.status = Status::not_finite;
    tell(result, {Cause::range, what});
  }

  /// The residual and the backward error of x, and whether rounding is what keeps the residual from falling.
  void judge_end(SolveResult& result) {
    if (result.status != Status::converged) {
      norm_ = judge_.told(x_, r_, norm_);
      if (std::isfinite(norm_) && norm_ <= monitor_.goal()) result.status = Status::converged;
    }
    result.backward_error = judge_.backward_error(x_, r_, norm_);
    const Status s = result.status;
    if (s != Status::stagnated && s != Status::breakdown && s != Status::diverged) return;
    const double rounding = judge_.rounding(x_, r_).norm;
    const bool hidden = norm_ <= 10 * rounding;
    // Rounding as large as two digits of b isn't a limit on a good x, but comes of an x that is far too large.
    has_grown_ = hidden && norm_ > 1e-2 * system_.b_norm();
    result.at_precision_limit = hidden && !has_grown_ && s != Status::diverged;
    if (result.at_precision_limit) {
      tell(result, {Cause::rounding, "||b - A x|| is at the limit of " + std::string(precision_name<T>) +
                                         ": it is about as small as the rounding of b - A x"});
    }
    judge_.compute(x_, r_);
    // What a claim needs: digits of r beyond its rounding.
    static const double clear = std::max(1e3, 1e-2 / std::sqrt(std::numeric_limits<real_t<T>>::epsilon()));
    if (norm_ > clear * rounding && solves_least_squares<Space, T>(system_, x_, r_))
      result.status = Status::least_squares;
  }

  void note_growth(SolveResult& result) const {
    char text[120];
    std::snprintf(text, sizeof text,
                  "||x|| has grown to %.1e, and its rounding hides b - A x: A may be singular or nearly so",
                  judge_.size(x_, r_));
    tell(result, {Cause::large_x, text});
  }

  void out_of_range(SolveResult& result, bool too_large, bool is_lost) const {
    if (too_large) {
      result.status = Status::not_finite;
      tell(result, {Cause::range, "the solution is too large for " + std::string(precision_name<T>) +
                                      "; its elements end at the largest finite number"});
    } else if (is_lost) {
      result.status = Status::stagnated;
      result.at_precision_limit = true;
      tell(result, {Cause::range, "the solution is too small for " + std::string(precision_name<T>) +
                                      ": its elements lost digits or became 0; scale b or A"});
    }
  }

  const ScaledSystem<Space, T>& system_;
  Out<T> x_, r_;
  ResidualJudge<Space, T> judge_;
  Monitor<Space> monitor_;
  double norm_ = 0;               ///< as judged
  double computed_ = 0;           ///< as computed in T
  bool guess_is_finite_ = false;  ///< and known to be
  bool entered_ = false;
  bool has_grown_ = false;  ///< x, so far that its rounding hides the residual
};

/// Says of a goal that wasn't reached that it is below the rounding of b.
template <class T>
void check_goal(SolveResult& result, double b_norm, double goal) {
  constexpr double unit = std::numeric_limits<real_t<T>>::epsilon() / 2;
  if (result || !(goal < unit * b_norm)) return;
  char text[160];
  std::snprintf(text, sizeof text, "the tolerance, %.2g ||b||, is below the rounding of b in %s, %.2g ||b||",
                goal / b_norm, precision_name<T>, unit);
  result.notes.emplace_back(text);
}

/// Says that a Method which says `needs_symmetry` was given a matrix without it; empty otherwise.
template <class Method, class Space, class T>
Reason why_not_symmetric(const OperatorRef<Space, T>& a) {
  if constexpr (Method::needs_symmetry) {
    const Facts* s = a.facts();
    if (s != nullptr && !s->symmetric)
      return {Cause::not_symmetric, "A isn't symmetric; " + std::string(Method::name) + " needs that"};
  }
  return {};
}

/// What ended a recurrence.
template <class Method, class Space, class T>
Reason ending_of(const SolveResult& result, const Monitor<Space>& monitor, const ScaledSystem<Space, T>& system,
                 const SolveOptions& options) {
  const std::string when = "at iteration " + std::to_string(options.iterations_before + result.iterations);
  switch (result.status) {
    case Status::converged:
      return system.b_norm() == 0 ? Reason{Cause::zero_right_side, "b = 0, and so is x"} : Reason{};
    case Status::iteration_limit:
      return {Cause::iteration_limit, limit_text(options.max_iterations)};
    case Status::time_limit:
      return {Cause::time_limit, "the limit of " + short_text(options.time_limit) + " s was reached " + when};
    case Status::interrupted:
      if (options.stop.is_made()) return {Cause::stop_request, "a stop was requested " + when};
      return {Cause::callback, "the callback ended the solve " + when};
    case Status::diverged:
      return {Cause::growth,
              "the residual grew past " + short_text(options.divergence_limit) + " times its start " + when};
    case Status::not_finite:
      return {Cause::range, "numbers left the range of " + std::string(precision_name<T>) + " " + when};
    case Status::stagnated:
      return {Cause::stalled, "the recomputed residual no longer fell " + when};
    case Status::breakdown:
      if constexpr (requires { &Method::breakdown; }) {
        return Method::breakdown(monitor.cause(), system.unscaled_energy(monitor.number()), when);
      } else {
        return {Cause::division_by_zero, "the recurrence would have divided by 0 " + when};
      }
    case Status::least_squares:  // LSMR has words of its own
      return {Cause::outside_range, outside_text(result.relative_residual)};
  }
  return {};
}

/// Why a solve ended. `x` is the caller's. Says, too, whether the input is to blame.
template <class Method, class Space, class T>
Reason reason_of(SolveResult& result, const Monitor<Space>& monitor, const ScaledSystem<Space, T>& system, In<T> x,
                 const SolveOptions& options) {
  const Status status = result.status;
  const Reason ending = ending_of<Method>(result, monitor, system, options);
  if (status == Status::least_squares && holds_for_all(system.space(), system.a().rows() == system.a().cols())) {
    const Reason seen = why_singular(system, monitor.goal());
    return seen.empty() ? ending : Reason{ending.cause, seen.text + "; " + ending.text};
  }
  if (status == Status::converged || status == Status::least_squares || status == Status::time_limit ||
      status == Status::interrupted)
    return ending;
  if (status == Status::not_finite && result.reason.empty()) {
    const NotFinite found = why_not_finite(system, x);
    result.bad_input = found.in_input;
    if (found.where.empty()) return ending;
    return {found.in_input ? Cause::bad_input : Cause::bad_preconditioner, found.where};
  }
  if (Reason why = why_not_symmetric<Method>(system.a()); !why.empty()) return why;
  if (status != Status::iteration_limit && !result.at_precision_limit) {
    if (Reason why = why_singular(system, monitor.goal()); !why.empty()) return why;
  }
  return result.reason.empty() ? ending : Reason{result.cause, result.reason};
}

/// What speaks against starting the recurrence once more; none where nothing does. restarts: -1 before the first start.
template <class Method, class Space, class T>
StopReason why_not_restarted(Solve<Space, T>& solve, const ScaledSystem<Space, T>& system, int restarts) {
  const bool hopeless =
      restarts < 0 && !why_not_symmetric<Method>(system.a()).empty() && shows_asymmetry<Space, T>(system, solve.r());
  return solve.monitor().at_limit() ? StopReason::limit
         : hopeless                 ? StopReason::breakdown
         : !solve.can_go_on()       ? StopReason::stall
                                    : StopReason::none;
}

/// How the restarts of a solve went.
struct RestartRecord {
  int restarts = -1;     ///< -1: the recurrence was never started
  bool is_guess = true;  ///< x is the guess
};

/// Starts the recurrence, again and again, until the policy says that the solve is over, and how.
template <class Method, class Space, class T, class Recurrence>
RestartRecord restart_until_over(Solve<Space, T>& solve, const ScaledSystem<Space, T>& system, Out<T> x,
                                 Workspace<Space>& workspace, Recurrence& recurrence, SolveResult& result) {
  Monitor<Space>& monitor = solve.monitor();
  Slot<T> rr = workspace.emplace(sum_t<T>{});
  RestartPolicy policy(Method::on_breakdown);
  Best<Space, T> best(x.size(), workspace);
  RestartRecord record;
  for (;;) {
    const bool has_grown = solve.take_nearest(best, rr, recurrence, result);
    record.is_guess = record.is_guess && (record.restarts < 0 || has_grown);
    if (policy.is_over(monitor.reason(), solve.norm(), monitor.goal())) break;
    const StopReason last = why_not_restarted<Method>(solve, system, record.restarts);
    if (last != StopReason::none) {
      policy.is_over(last, solve.norm(), monitor.goal());
      break;
    }
    ++record.restarts;
    solve.keep(best);
    recurrence(solve.r(), rr, solve.norm(), monitor);
    if (monitor.has_passed_its_best()) solve.replay(best, rr, recurrence);
  }
  result.status = policy.status();
  return record;
}

/// Fills in what a solve has reached, after x was given back, and why it ended. `x` is the caller's.
template <class Method, class Space, class T>
void report_ending(SolveResult& result, Solve<Space, T>& solve, const RestartRecord& record,
                   const ScaledSystem<Space, T>& system, In<T> x, const SolveOptions& options) {
  Monitor<Space>& monitor = solve.monitor();
  check_goal<T>(result, system.b_norm(), monitor.goal());
  report(result, solve.norm(), system, record.restarts, monitor, options);
  if (!result && record.is_guess && result.iterations > 0 && std::isfinite(result.relative_residual))
    result.notes.push_back(result.solver + " came no nearer than the guess; x is the guess");
  result.take(reason_of<Method, Space, T>(result, monitor, system, x, options));
  if (!result) {
    if (const Reason why = why_not_symmetric<Method>(system.a()); !why.empty()) result.notes.push_back(why.text);
  }
}

/// Runs `recurrence(r, rr, norm, monitor)` from the recomputed residual r = b - A x until the recomputed residual is
/// within the goal, or the monitor or the policy ends the solve. So no solve is reported as converged on the word of
/// the recurrence alone. Every method restarts from the true residual when its recurrence has drifted, its Krylov space
/// is full or, unless OnBreakdown::end, its recurrence has broken down. Method has `name`, `on_breakdown` and
/// `period` (see block_length; the parameter where the period depends on options), and may have `needs_symmetry`.
template <class Method, class Space, class T, class Recurrence>
SolveResult solve_with_restarts(const ScaledSystem<Space, T>& system, Out<T> x, const SolveOptions& options,
                                Workspace<Space>& workspace, Recurrence recurrence, int period = Method::period) {
  static_assert(HasLoops<Space, Sums<1>>,
                "a space needs for_each(space, n, f) and sum(space, n, f, slots) in its namespace: "
                "ostinato/spmv/space/concept.hpp");
  require_valid(options);
  SolveResult result;
  result.solver = Method::name;
  result.preconditioner = name_in_report(system.m());
  const CallbackGuard guard(options);
  Solve<Space, T> solve(system, x, guard.options(),
                        block_length_with(system.space(), system.a(), system.m(), options, period), workspace);
  const RestartRecord record = restart_until_over<Method>(solve, system, x, workspace, recurrence, result);
  solve.give_back(result);
  report_ending<Method, Space, T>(result, solve, record, system, x, options);
  result.workspace_bytes = workspace.bytes();
  guard.rethrow();
  return result;
}

}  // namespace ostinato

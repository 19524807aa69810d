// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/solvers/recurrence/convergence_state.hpp>
#include <ostinato/solvers/recurrence/workspace.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/dense/tridiagonal.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/shared_space.hpp>

namespace ostinato {

/// Why a recurrence stopped.
enum class StopReason {
  none,
  goal,     ///< the residual of the recurrence reached the goal
  restart,  ///< the Krylov space is full
  limit,    ///< on the number of iterations
  time,
  interrupt,
  breakdown,
  not_finite,
  growth,
  precision,  ///< a recurrence in float came as far as its digits go
  stall,      ///< the residual that is left can't be seen by a recurrence in T
};

/// The norms between which a recurrence in float has digits enough.
struct NormRange {
  double least = 0, most = HUGE_VAL;
};

/// Watches a solve from the host: counts iterations, keeps the history, calls the callback and checks the time limit.
///
/// A recurrence calls start(), then next() before each block of iterations, then finish(). After a block, the host
/// reads the recurrence's ConvergenceState. On Cuda the host reads a copy that was made one block ago, so that the
/// stream never runs empty. The reported results don't depend on the length of the blocks, because ConvergenceState
/// freezes by itself.
template <class Space>
class Monitor {
 public:
  /// `every`: the number of iterations in a block.
  Monitor(const Space& space, const SolveOptions& options, double b_norm, double goal, int every,
          Workspace<Space>& workspace)
      : options_(options),
        space_(space),
        readback_(space),
        unit_(b_norm > 0 ? b_norm : 1),
        goal_(goal),
        aim_(goal),
        every_(every),
        state_(workspace.emplace(ConvergenceState{})) {
    if constexpr (SharedSpace<Space>) space_.say(Ending::none);
  }

  double goal() const { return goal_; }
  int every() const { return every_; }
  int iterations() const { return iterations_; }
  StopReason reason() const { return interrupted_ && reason_ != StopReason::none ? StopReason::interrupt : reason_; }
  double seconds() const { return watch_.seconds(); }
  bool at_limit() const { return iterations_ >= options_.max_iterations; }
  std::vector<double>& history() { return history_; }
  double first() const { return first_ / unit_; }  ///< the residual where the first recurrence began; 0: none has
  /// Of the longest recurrence that is a Lanczos process; without elements where there was none.
  const Tridiagonal& lanczos() const {
    return longest_.diagonal.size() > lanczos_.diagonal.size() ? longest_ : lanczos_;
  }

  /// Lets the next recurrences stop at this norm, below the goal, because rounding hides a part of their residuals.
  void aim(double norm) { aim_ = norm; }

  /// Whether the latest recurrence, which has failed, was far nearer to the goal than at its end.
  bool has_passed_its_best() const {
    const StopReason r = reason();
    const bool is_lost = r == StopReason::growth || r == StopReason::breakdown || r == StopReason::not_finite;
    if (!is_lost && r != StopReason::limit) return false;
    return least_at_ > 0 && least_at_ < recorded_ && !(least_ > (is_lost ? 0.5 : 0.1) * latest_);
  }

  /// Whether the residual of the latest recurrence stopped falling for some iterations, far nearer to the goal than a
  /// residual that was recomputed at its end, and the recurrence hasn't been repeated. That is then as far as replay()
  /// goes.
  bool was_nearer_than(double norm) {
    if (was_replayed_ || stall_at_ == 0 || stall_ >= 0.5 * norm) return false;
    least_at_ = stall_at_;
    least_ = stall_;
    return true;
  }

  /// Repeats the latest recurrence, which run() begins from the same x, as far as the smallest of its residuals. The
  /// repeated iterations don't count, and leave no history.
  template <class Run>
  void replay(Run run) {
    const StopReason ended = reason_;
    is_replay_ = true;
    run();
    is_replay_ = false;
    was_replayed_ = true;
    reason_ = ended;
  }
  bool is_replay() const { return is_replay_; }

  /// Begins a recurrence from a residual of norm `r_norm`, which stops at the goal, or at range.least if that is
  /// larger, and beyond the divergence limit, or beyond range.most if that is smaller. The returned state is in the
  /// memory of the space.
  ConvergenceState* start(double r_norm, const NormRange& range = {}, bool is_lanczos = false) {
    if (!started_) {
      first_ = r_norm;
      limit_ = options_.divergence_limit * std::max(r_norm, unit_);
      if (options_.history) history_.push_back(r_norm / unit_);
      started_ = true;
    }
    fresh_ = ConvergenceState{};
    fresh_.goal = std::max(aim_, range.least);
    fresh_.limit = limit_ > 0 ? std::min(limit_, range.most) : range.most;
    fresh_.last = is_replay_ ? least_at_ : options_.max_iterations - iterations_;
    fresh_.least = r_norm;
    const bool is_ranged = range.most < HUGE_VAL;
    if (limit_ > 0 && !is_ranged) fresh_.limit_of_return = std::max(r_norm, unit_);
    space_.upload(state_, &fresh_, sizeof fresh_);
    block_enqueued_ = false;
    reason_ = StopReason::none;
    if (!is_replay_) begin(r_norm, is_ranged, is_lanczos);
    return state_;
  }

  /// Whether one more block of iterations may be enqueued. A recurrence that has to stop inside the block freezes by
  /// itself.
  bool next() {
    if (block_enqueued_) read_back();
    block_enqueued_ = true;
    return reason_ == StopReason::none;
  }

  /// Reads the last state. Afterwards reason() and iterations() are final for this recurrence.
  void finish() {
    while (readback_.pending() > 0) readback_.wait();
    readback_.start(state_);
    update(readback_.wait());
  }

  /// Takes a state of the recurrence: read back from the space, or passed by a method that keeps its state on the host.
  void update(const ConvergenceState& s) {
    if (is_replay_) return follow(s);
    for (; recorded_ < s.iteration; ++recorded_) {
      const int at = recorded_ % ConvergenceState::ring;
      constexpr double clearly = 0.9;  // of residuals that hardly differ, the first: x may grow meanwhile
      if (s.norms[at] < clearly * least_) {
        least_ = s.norms[at];
        least_at_ = recorded_ + 1;
      }
      constexpr int some = 10;
      if (stall_at_ == 0 && least_at_ > 0 && recorded_ + 1 - least_at_ >= some) stall_ = least_, stall_at_ = least_at_;
      if (options_.history) history_.push_back(s.norms[at] / unit_);
      if (is_lanczos_) extend_lanczos(s.alphas[at], s.rzs[at]);
    }
    iterations_ = iterations_before_ + s.iteration;
    if (s.iteration > 0) {
      before_ = latest_;
      latest_ = s.norms[(s.iteration - 1) % ConvergenceState::ring];
    }
    if (s.state != ConvergenceState::going) reason_ = reason_of(s.state);
    if (reason_ == StopReason::growth && is_ranged_ && !(limit_ > 0 && latest_ > limit_))
      reason_ = StopReason::precision;
    if (s.state == ConvergenceState::broke_down) {
      cause_ = s.cause;
      number_ = s.number;
    }
    report(s);
  }

  /// The state at the start, for a method that keeps its state on the host.
  ConvergenceState host_state() const { return fresh_; }
  void stop(StopReason reason) { reason_ = reason; }
  void break_down(int cause, double number) {
    stop(StopReason::breakdown);
    cause_ = cause;
    number_ = number;
  }

  int cause() const { return cause_; }       ///< of the latest breakdown: ConvergenceState::cause
  double number() const { return number_; }  ///< ConvergenceState::number

 private:
  void begin(double r_norm, bool is_ranged, bool is_lanczos) {
    iterations_before_ = iterations_;
    recorded_ = 0;
    is_lanczos_ = is_lanczos;
    longest_ = lanczos();
    lanczos_ = {};
    latest_ = r_norm;
    before_ = 0;
    is_ranged_ = is_ranged;
    least_ = is_ranged ? 0 : r_norm;  // vectors in float have another way on than back
    least_at_ = 0;
    stall_at_ = 0;
    was_replayed_ = false;
  }

  /// Takes a state of a repeated recurrence.
  void follow(const ConvergenceState& s) {
    if (s.state != ConvergenceState::going) reason_ = reason_of(s.state);
    if (options_.callback && !is_stopped_)
      is_stopped_ = !options_.callback({iterations_, least_ / unit_, seconds(), nullptr});
    const Ending now = ending();
    interrupted_ = interrupted_ || now == Ending::interrupt;
    if (now != Ending::none) reason_ = StopReason::interrupt;
  }

  /// What is to end the solve before its time. Where ranks share the space, what one of them has said before the last
  /// sum, so that all end in the same iteration; the clock is that of one rank.
  Ending ending() const {
    const bool is_late = options_.time_limit > 0 && seconds() > options_.time_limit;
    const Ending here = is_stopped_ ? Ending::interrupt : is_late ? Ending::time : Ending::none;
    if constexpr (SharedSpace<Space>) {
      space_.say(here == Ending::time && !space_.leads() ? Ending::none : here);
      return space_.heard();
    } else {
      return here;
    }
  }

  void read_back() {
    readback_.start(state_);
    if (readback_.pending() > Readback<Space, ConvergenceState>::most_pending) update(readback_.wait());
    while (reason_ == StopReason::none && readback_.pending() > 0 && is_about_to_end()) update(readback_.wait());
  }

  /// Whether the blocks that the host hasn't seen yet will reach the goal if the residual goes on falling as it did.
  /// The host then waits for them, instead of enqueueing iterations that would change nothing: with a strong
  /// preconditioner, those were a third of all.
  bool is_about_to_end() const {
    if (!(latest_ > 0) || !(before_ > latest_)) return false;
    return latest_ * std::pow(latest_ / before_, readback_.pending()) <= fresh_.goal;
  }

  /// Adds a row to the matrix of the Lanczos process, by an iteration of CG. Where A is negative definite, the matrix
  /// is that of -A.
  void extend_lanczos(double alpha, double rz) {
    const std::size_t k = lanczos_.diagonal.size();
    if (k == ConvergenceState::ring) return;
    const double size = std::abs(alpha), beta = k == 0 ? 0 : rz / rz_before_;
    is_lanczos_ = std::isfinite(1 / size) && (k == 0 || (std::isfinite(beta) && beta > 0));
    if (!is_lanczos_) return;
    lanczos_.diagonal.push_back(1 / size + (k == 0 ? 0 : beta / alpha_before_));
    if (k > 0) lanczos_.beside.back() = std::sqrt(beta) / alpha_before_;
    lanczos_.beside.push_back(0);
    alpha_before_ = size;
    rz_before_ = rz;
  }

  /// Calls the callback and checks the time limit.
  void report(const ConvergenceState& s) {
    const double norm = s.iteration > 0 ? s.norms[(s.iteration - 1) % ConvergenceState::ring] / unit_ : 0;
    if (options_.callback && !is_stopped_ && s.iteration > 0 && iterations_ > last_reported_) {
      last_reported_ = iterations_;
      is_stopped_ = !options_.callback({iterations_, norm, seconds(), lanczos_.diagonal.empty() ? nullptr : &lanczos_});
    }
    const Ending now = ending();
    if (now == Ending::interrupt && !std::exchange(interrupted_, true)) reason_ = StopReason::interrupt;
    if (reason_ == StopReason::none && now == Ending::time) reason_ = StopReason::time;
  }

  static StopReason reason_of(int state) {
    switch (state) {
      case ConvergenceState::reached_goal:
        return StopReason::goal;
      case ConvergenceState::broke_down:
        return StopReason::breakdown;
      case ConvergenceState::not_a_number:
        return StopReason::not_finite;
      case ConvergenceState::spent:
        return StopReason::limit;
      default:
        return StopReason::growth;
    }
  }

  const SolveOptions& options_;
  Space space_;
  Readback<Space, ConvergenceState> readback_;
  Stopwatch watch_;
  double unit_, goal_, aim_, limit_ = 0, first_ = 0;
  int every_;
  ConvergenceState* state_;  ///< in the memory of the space
  ConvergenceState fresh_;
  StopReason reason_ = StopReason::none;
  int cause_ = 0;
  double number_ = 0;
  bool started_ = false;
  bool is_stopped_ = false;      ///< by the callback of this process
  bool interrupted_ = false;     ///< by a callback; final, whatever else stops the recurrence
  int iterations_ = 0;           ///< finished iterations of all recurrences
  int iterations_before_ = 0;    ///< finished iterations of the recurrences before this one
  bool block_enqueued_ = false;  ///< whether this recurrence has enqueued a block
  int recorded_ = 0;             ///< iterations of this recurrence that are in the history
  bool is_lanczos_ = false;      ///< alphas and rzs of this recurrence are those of a Lanczos process, lanczos_
  Tridiagonal lanczos_, longest_;
  double alpha_before_ = 0, rz_before_ = 0;  ///< of the last iteration in lanczos_
  double latest_ = 0, before_ = 0;           ///< residual norms after the last two blocks that the host has seen
  bool is_ranged_ = false;                   ///< the latest recurrence has a NormRange
  double least_ = 0;                         ///< the smallest residual norm of the latest recurrence
  int least_at_ = 0;                         ///< the iteration of this recurrence that had it; 0: none
  double stall_ = 0;                         ///< the residual norm where it first stopped falling
  int stall_at_ = 0;                         ///< that iteration; 0: none
  bool is_replay_ = false, was_replayed_ = false;
  int last_reported_ = 0;  ///< value of iterations_ at the last call of the callback
  std::vector<double> history_;
};

}  // namespace ostinato

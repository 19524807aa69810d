// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/solvers/convergence_state.hpp>
#include <ostinato/solvers/workspace.hpp>
#include <ostinato/spmv/space/timing.hpp>

namespace ostinato {

/// Why a recurrence ended.
enum class Pause {
  none,
  goal,     ///< its own residual says converged
  restart,  ///< its Krylov space is full
  limit,    ///< iterations
  time,
  interrupt,
  breakdown,
  not_finite,
  growth,
};

/// Watches a solve from the host: counts, keeps the history, asks the callback and the clock, at every look.
///
/// A recurrence calls start(), then next() before each iteration, then finish(). Looks come every `every` iterations;
/// on Cuda what a look sees was posted one look ago, so the stream never runs empty. What is reported doesn't depend on
/// when the looks come, because Progress freezes by itself.
template <class Space>
class Monitor {
 public:
  Monitor(const Space& space, const SolveOptions& options, double b_norm, double goal, int every,
          Workspace<Space>& workspace)
      : options_(options),
        space_(space),
        mailbox_(space),
        unit_(b_norm > 0 ? b_norm : 1),
        goal_(goal),
        every_(every),
        progress_(workspace.put(Progress{})) {}

  double goal() const { return goal_; }
  int every() const { return every_; }
  int iterations() const { return iterations_; }
  Pause pause() const { return stopped_ && pause_ != Pause::none ? Pause::interrupt : pause_; }
  double seconds() const { return watch_.seconds(); }
  bool at_limit() const { return iterations_ >= options_.max_iterations; }
  std::vector<double>& history() { return history_; }

  /// Begins a recurrence from a residual of this norm. The progress returned is in the memory of the space.
  Progress* start(double r_norm) {
    if (!started_) {
      limit_ = options_.divergence_limit * std::max(r_norm, unit_);
      if (options_.history) history_.push_back(r_norm / unit_);
      started_ = true;
    }
    fresh_ = Progress{};
    fresh_.goal = goal_;
    fresh_.limit = limit_;
    fresh_.last = options_.max_iterations - iterations_;
    space_.upload(progress_, &fresh_, sizeof fresh_);
    before_ = iterations_;
    seen_ = 0;
    begun_ = false;
    pause_ = Pause::none;
    return progress_;
  }

  /// May one more block of iterations be enqueued? The recurrence freezes by itself where it is to stop inside the
  /// block.
  bool next() {
    if (begun_) look();
    begun_ = true;
    return pause_ == Pause::none;
  }

  /// Takes what is still under way. From now on pause() and iterations() are final for this recurrence.
  void finish() {
    while (mailbox_.under_way() > 0) mailbox_.take();
    mailbox_.post(progress_);
    observe(mailbox_.take());
  }

  /// Takes the state of a recurrence, from a look or, for methods that keep their recurrence on the host, from there.
  void observe(const Progress& p) {
    for (; seen_ < p.iteration; ++seen_) {
      if (options_.history) history_.push_back(p.norms[seen_ % Progress::ring] / unit_);
    }
    iterations_ = before_ + p.iteration;
    if (p.state != Progress::going) pause_ = meaning(p.state);
    ask(p);
  }

  /// A recurrence that is kept on the host: its progress, fresh.
  Progress host_progress() const { return fresh_; }
  void pause(Pause why) { pause_ = why; }

 private:
  void look() {
    mailbox_.post(progress_);
    if (mailbox_.under_way() > Mailbox<Space, Progress>::ahead) observe(mailbox_.take());
  }

  void ask(const Progress& p) {
    const double norm = p.iteration > 0 ? p.norms[(p.iteration - 1) % Progress::ring] / unit_ : 0;
    if (options_.callback && !stopped_ && p.iteration > 0 && iterations_ > told_) {
      told_ = iterations_;
      stopped_ = !options_.callback({iterations_, norm, seconds()});
      if (stopped_) pause_ = Pause::interrupt;
    }
    if (pause_ == Pause::none && options_.time_limit > 0 && seconds() > options_.time_limit) pause_ = Pause::time;
  }

  static Pause meaning(int state) {
    switch (state) {
      case Progress::reached_goal:
        return Pause::goal;
      case Progress::broke_down:
        return Pause::breakdown;
      case Progress::not_a_number:
        return Pause::not_finite;
      case Progress::spent:
        return Pause::limit;
      default:
        return Pause::growth;
    }
  }

  const SolveOptions& options_;
  Space space_;
  Mailbox<Space, Progress> mailbox_;
  Stopwatch watch_;
  double unit_, goal_, limit_ = 0;
  int every_;
  Progress* progress_;
  Progress fresh_;
  Pause pause_ = Pause::none;
  bool started_ = false;
  bool stopped_ = false;  ///< by the callback: for good, whatever else ended the recurrence
  int iterations_ = 0;    ///< finished, over all recurrences
  int before_ = 0;        ///< of which before this recurrence
  bool begun_ = false;    ///< a block of this recurrence has been enqueued
  int seen_ = 0;          ///< of which are in the history
  int told_ = 0;          ///< up to which the callback has been told
  std::vector<double> history_;
};

}  // namespace ostinato

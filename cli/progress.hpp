// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>

namespace ostinato::cli {

/// A line on the terminal that is rewritten in place and shows the current work. Silent when stderr isn't a terminal. A
/// phase of over a second gets the per cent of its progress, or the seconds that it has taken.
class LiveLine {
 public:
  explicit LiveLine(bool wanted);
  ~LiveLine() { clear(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  /// "reading A.mtx". The progress is looked at until the next call of a member.
  void phase(std::string_view what, const Progress* progress = nullptr);
  void iteration(const Iteration& now);  ///< at most ten times a second
  void clear();

 private:
  void rewrite(const std::string& text);
  void tick(const std::stop_token& stop);

  bool on_;
  std::mutex mutex_;  ///< of what follows
  std::string phase_;
  const Progress* progress_ = nullptr;
  Stopwatch since_;
  bool dirty_ = false;
  double shown_ = -1;
  Stopwatch watch_;
  std::jthread ticker_;  ///< last, so that the thread ends first
};

/// From this call on, Ctrl-C (SIGINT) and SIGTERM end the program at once with exit code 130.
void exit_on_interrupt();

/// While an InterruptFlag exists, Ctrl-C and SIGTERM only raise the flag, so that the solve can stop at its next
/// callback and what it has is written. A second Ctrl-C ends the program.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  bool raised() const;
};

/// A stop request by the flag, which outlives it.
struct StopOnInterrupt {
  const InterruptFlag* flag;
  bool stop_requested() const { return flag->raised(); }
};

}  // namespace ostinato::cli

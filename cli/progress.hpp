// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/space/timing.hpp>

namespace ostinato::cli {

/// A line on the terminal that is rewritten in place and shows the current work. Silent when stderr isn't a terminal.
class LiveLine {
 public:
  explicit LiveLine(bool wanted);
  ~LiveLine() { clear(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  void phase(std::string_view what);     ///< "reading A.mtx"
  void iteration(const Iteration& now);  ///< at most ten times a second
  void clear();

 private:
  void rewrite(const std::string& text);

  bool on_;
  bool dirty_ = false;
  double shown_ = -1;
  Stopwatch watch_;
};

/// From this call on, Ctrl-C (SIGINT) and SIGTERM end the program at once with exit code 130.
void exit_on_interrupt();

/// While an InterruptFlag exists, Ctrl-C and SIGTERM only raise the flag, so that the solve can stop at its next callback
/// and what it has is written. A second Ctrl-C ends the program.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  bool raised() const;
};

}  // namespace ostinato::cli

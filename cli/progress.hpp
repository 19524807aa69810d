// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/space/timing.hpp>

namespace ostinato::cli {

/// One line on the terminal, rewritten in place: what is going on. Silent when stderr isn't a terminal.
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

/// From here on, Ctrl-C ends the program with exit code 130 at once.
void exit_on_interrupt();

/// While it lives, a first Ctrl-C only raises a flag, so that the solve can stop at its next look. A second one kills.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  bool raised() const;
};

}  // namespace ostinato::cli

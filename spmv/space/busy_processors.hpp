// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ostinato::detail {

/// Knows whether other programs leave this process no more than one processor, so that its other threads would come
/// late to each step. It looks at the number of running tasks of the machine, every 20 ms at most. Beside eight busy
/// processes on two processors, where the threads of OpenMP wait for each other, solves take a tenth of the time
/// (2026-11). No bit depends on it.
class BusyProcessors {
 public:
  using Clock = std::chrono::steady_clock;

  /// Whether `processors` are taken but for one. running() returns the number of running tasks of the machine, this
  /// process's own included, or 0 where it isn't known. `threads` is the number of threads that this process works
  /// with.
  template <class Running>
  bool are_taken(int processors, int threads, Clock::time_point now, Running running) {
    constexpr std::chrono::milliseconds between_looks{20};
    if (now < next_look_) return taken_;
    next_look_ = now + between_looks;
    // Threads that had work lately count as running: they wait for work without sleeping. At worst they sleep, and one
    // processor too many is taken for free.
    const int others = running() - (had_work_ ? threads : 1);
    taken_ = others > 0 && others >= processors - 1;
    had_work_ = !taken_;
    return taken_;
  }

 private:
  Clock::time_point next_look_ = {};
  bool taken_ = false, had_work_ = true;
};

}  // namespace ostinato::detail

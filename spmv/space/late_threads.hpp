// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>

namespace ostinato::detail {

/// Remembers parallel work for which the other threads came so late that one thread alone would have been faster, as
/// happens where other programs keep the processors busy. Such work is done by one thread for a while: for 20 times as
/// long as was lost, so that at most a twentieth of the time is lost, but for a second at most.
class LateThreads {
 public:
  using Clock = std::chrono::steady_clock;
  using Chunk = void (*)(const void*, std::size_t, std::size_t);

  static double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  /// Whether the work that is called `chunk` and `count` had better be done by one thread.
  bool are_expected(Chunk chunk, std::size_t count, Clock::time_point now) const {
    const Place& place = places_[index(chunk, count)];
    return now < place.until && place.chunk == chunk && place.count == count;
  }

  /// The work took from `start` to `end`; the threads together worked for `worked` seconds. Returns whether a thread
  /// came late.
  bool note(Chunk chunk, std::size_t count, Clock::time_point start, Clock::time_point end, double worked) {
    constexpr double usual = 1e-3, most = 1;  // to wake sleeping threads takes less than `usual`
    const double lost = seconds(start, end) - worked;
    if (lost < usual) return false;
    places_[index(chunk, count)] = {
        chunk, count,
        end + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(20 * lost, most)))};
    return true;
  }

 private:
  struct Place {
    Chunk chunk = nullptr;
    std::size_t count = 0;
    Clock::time_point until = {};
  };

  static std::size_t index(Chunk chunk, std::size_t count) { return (std::hash<Chunk>{}(chunk) / 16 + count) % places; }

  static constexpr std::size_t places = 64;
  std::array<Place, places> places_ = {};
};

/// Knows whether other programs leave this process no more than one processor, so that its other threads would come
/// late at once. It looks at the number of running tasks of the machine, every 20 ms at most.
class BusyProcessors {
 public:
  using Clock = LateThreads::Clock;

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

  /// The next call of are_taken() looks, because a thread came late.
  void look_again() { next_look_ = {}; }

 private:
  Clock::time_point next_look_ = {};
  bool taken_ = false, had_work_ = true;
};

}  // namespace ostinato::detail

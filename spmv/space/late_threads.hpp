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

  /// The work took from `start` to `end`; the threads together worked for `worked` seconds.
  void note(Chunk chunk, std::size_t count, Clock::time_point start, Clock::time_point end, double worked) {
    constexpr double usual = 1e-3, most = 1;  // to wake sleeping threads takes less than `usual`
    const double lost = seconds(start, end) - worked;
    if (lost < usual) return;
    places_[index(chunk, count)] = {
        chunk, count,
        end + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(20 * lost, most)))};
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

}  // namespace ostinato::detail

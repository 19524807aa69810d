// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace ostinato {

/// Wall-clock seconds, lap by lap.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  double lap() {
    const Clock::time_point now = Clock::now();
    const double passed = std::chrono::duration<double>(now - lap_).count();
    lap_ = now;
    return passed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point lap_ = start_;
};

/// Seconds that `calls` calls of f() take on the space, the wait for the last included.
template <class Space, class F>
double batch_seconds(const Space& space, int calls, F&& f) {
  space.wait();
  const Stopwatch watch;
  for (int k = 0; k < calls; ++k) f();
  space.wait();
  return watch.seconds();
}

/// The middle one of some times, the upper of two. Leaves them in another order.
inline double median(std::vector<double>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Median over `repetitions` of the time that f() takes on the space, after one call that isn't counted. Each timed
/// batch repeats f until it is long against the clock and the wait.
///
/// A wait for a GPU takes some 10 us, which is then half a per cent.
template <class Space, class F>
double median_seconds(const Space& space, int repetitions, F&& f) {
  constexpr double long_enough = 2e-3;
  int calls = 1;
  while (batch_seconds(space, calls, f) < long_enough && calls < 1024) calls *= 2;
  std::vector<double> times;
  for (int k = 0; k < repetitions; ++k) times.push_back(batch_seconds(space, calls, f) / calls);
  return median(times);
}

}  // namespace ostinato

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

/// Median over `repetitions` of the time that f() takes on the space, after one call that isn't counted. Each timed
/// batch repeats f until it is long against the clock and the wait.
///
/// A wait for a GPU takes some 10 us, which is then half a per cent.
template <class Space, class F>
double median_seconds(const Space& space, int repetitions, F&& f) {
  constexpr double long_enough = 2e-3;
  const auto batch = [&](int calls) {
    space.wait();
    Stopwatch watch;
    for (int k = 0; k < calls; ++k) f();
    space.wait();
    return watch.seconds();
  };
  int calls = 1;
  while (batch(calls) < long_enough && calls < 1024) calls *= 2;
  std::vector<double> times;
  for (int k = 0; k < repetitions; ++k) times.push_back(batch(calls) / calls);
  std::nth_element(times.begin(), times.begin() + repetitions / 2, times.end());
  return times[static_cast<std::size_t>(repetitions / 2)];
}

}  // namespace ostinato

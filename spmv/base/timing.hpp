// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace ostinato {

/// A stopwatch in wall-clock seconds: seconds() counts from the construction, lap() from the previous lap().
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

/// Seconds that `calls` calls of f() take on the space, including the wait for the last call.
template <class Space, class F>
double batch_seconds(const Space& space, int calls, F&& f) {
  space.wait();
  const Stopwatch watch;
  for (int k = 0; k < calls; ++k) f();
  space.wait();
  return watch.seconds();
}

/// The median of the times; of an even number of times, the upper of the two middle times. Reorders `times`.
inline double median(std::vector<double>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Median over `repetitions` batches of the seconds that a call of f() takes on the space. Warm-up batches come first.
/// The warm-up chooses the number of calls in a batch, at most 1024, so that a batch takes 2 ms or more. The wait for a
/// GPU, some 10 us, is then half a per cent.
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

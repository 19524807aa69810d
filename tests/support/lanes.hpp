// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

// Threads as the lanes of a group, to run the functions of a GPU on the host.

namespace ostinato::test {

/// A barrier whose threads sleep: std::barrier is slow where threads outnumber cores.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    if (++arrived_ == threads_) {
      arrived_ = 0;
      ++round_;
      all_arrived_.notify_all();
    } else {
      all_arrived_.wait(lock, [this, round = round_] { return round != round_; });
    }
  }

 private:
  int threads_, arrived_ = 0, round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_arrived_;
};

/// Calls f(number, barrier) on each of `lanes` threads.
template <class F>
void run_lanes(int lanes, F f) {
  Barrier all(lanes);
  std::vector<std::thread> threads;
  for (int l = 0; l < lanes; ++l) threads.emplace_back([&f, &all, l] { f(l, all); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ostinato::test

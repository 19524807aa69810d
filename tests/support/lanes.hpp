// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/index.hpp>

// Threads as the lanes of a group, to run the functions of a GPU on the host.

namespace ostinato::test {

/// A barrier whose threads sleep: std::barrier is slow where threads outnumber cores.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  /// Whether all threads that have arrived came with true.
  bool arrive_and_wait(bool with = true) {
    std::unique_lock lock(mutex_);
    all_true_ = all_true_ && with;
    if (++arrived_ == threads_) {
      arrived_ = 0;
      ++round_;
      result_ = std::exchange(all_true_, true);
      all_arrived_.notify_all();
    } else {
      all_arrived_.wait(lock, [this, round = round_] { return round != round_; });
    }
    return result_;  // of this round: the next one ends when this thread has arrived again
  }

 private:
  int threads_, arrived_ = 0, round_ = 0;
  bool all_true_ = true, result_ = true;
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

/// A lane that is a thread (spmv/algebra/product_rows.hpp).
struct ThreadLane {
  int number, count;
  Barrier* barrier;

  int lane() const { return number; }
  int lanes() const { return count; }
  void sync() const { barrier->arrive_and_wait(); }
  bool all(bool b) const { return barrier->arrive_and_wait(b); }
  template <class I>
  static I load(const I* p) {
    return std::atomic_ref<I>(*const_cast<I*>(p)).load();
  }
  static Index swap_if(Index* p, Index old, Index v) {
    std::atomic_ref<Index>(*p).compare_exchange_strong(old, v);
    return old;
  }
  static int add(int* p, int v) { return std::atomic_ref<int>(*p).fetch_add(v); }
  static void set_bit(std::uint32_t* p, std::uint32_t bit) { std::atomic_ref<std::uint32_t>(*p).fetch_or(bit); }
};

/// Calls f(lane) on each of `lanes` threads.
template <class F>
void run_thread_lanes(int lanes, F f) {
  run_lanes(lanes, [&f, lanes](int number, Barrier& all) { f(ThreadLane{number, lanes, &all}); });
}

}  // namespace ostinato::test

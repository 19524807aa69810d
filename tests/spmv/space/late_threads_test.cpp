// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/late_threads.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <ostinato/spmv/space/host.hpp>

namespace ostinato::test {
namespace {

using namespace std::chrono_literals;
using detail::LateThreads;

constexpr LateThreads::Clock::time_point start{};

void chunk(const void*, std::size_t, std::size_t) {}
void other_chunk(const void*, std::size_t, std::size_t) {}

/// Has work for which one thread would have taken 1 ms end at `end`.
LateThreads after_lateness(LateThreads::Clock::time_point end) {
  LateThreads late;
  late.note(chunk, 7, start, end, 1e-3);
  return late;
}

TEST(LateThreads, AreExpectedForTwentyTimesAsLongAsWasLost) {
  const auto end = start + 5ms;
  const LateThreads late = after_lateness(end);

  EXPECT_TRUE(late.are_expected(chunk, 7, end));
  EXPECT_TRUE(late.are_expected(chunk, 7, end + 79ms));
  EXPECT_FALSE(late.are_expected(chunk, 7, end + 81ms));
}

TEST(LateThreads, AreExpectedForASecondAtMost) {
  const auto end = start + 1h;
  const LateThreads late = after_lateness(end);

  EXPECT_TRUE(late.are_expected(chunk, 7, end + 999ms));
  EXPECT_FALSE(late.are_expected(chunk, 7, end + 1001ms));
}

TEST(LateThreads, AreExpectedForThatWorkOnly) {
  const auto end = start + 5ms;
  const LateThreads late = after_lateness(end);

  EXPECT_FALSE(late.are_expected(chunk, 8, end));
  EXPECT_FALSE(late.are_expected(chunk, 7 + 64, end)) << "has the same place";
  EXPECT_FALSE(late.are_expected(other_chunk, 7, end));
}

TEST(LateThreads, ArentExpectedAfterWorkThatPaid) {
  LateThreads late;
  const auto end = start + 5ms;

  late.note(chunk, 7, start, end, 9e-3);
  EXPECT_FALSE(late.are_expected(chunk, 7, end));

  late.note(chunk, 7, end - 900us, end, 1e-6);  // to wake the threads takes as long
  EXPECT_FALSE(late.are_expected(chunk, 7, end));
}

/// Lets threads sleep for 20 ms, as if their processor were busy: by a signal whose handler sleeps.
class Delay {
 public:
  Delay() {
    struct sigaction action = {};
    action.sa_handler = [](int) {
      asleep_ = true;
      const timespec time{0, 20'000'000};
      ::nanosleep(&time, nullptr);
    };
    ::sigaction(SIGUSR1, &action, &before_);
  }
  ~Delay() { ::sigaction(SIGUSR1, &before_, nullptr); }
  Delay(const Delay&) = delete;
  Delay& operator=(const Delay&) = delete;

  void send_to(pid_t thread) {
    asleep_ = false;
    ASSERT_EQ(::tgkill(::getpid(), thread, SIGUSR1), 0);
    while (!asleep_) std::this_thread::yield();
  }

 private:
  static inline std::atomic<bool> asleep_ = false;
  struct sigaction before_ = {};
};

/// The threads that take the parts of a loop.
std::vector<pid_t> threads_of_a_loop(const Host& host) {
  std::vector<pid_t> threads(static_cast<std::size_t>(host.threads()));
  parallel_for(host, threads.size(), [&](std::size_t k) { threads[k] = ::gettid(); });
  return threads;
}

// A loop for which a thread was late is run by the caller alone. On a busy machine that may take some attempts: the
// time for which it holds may be over before the next loop.
TEST(LateThreads, ArentWaitedForAgain) {
  const Host host;
  if (host.threads() == 1) GTEST_SKIP() << "there is one thread";
  Delay delay;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::vector<pid_t> threads = threads_of_a_loop(host);
    const auto other = std::find_if(threads.begin(), threads.end(), [](pid_t t) { return t != ::gettid(); });
    if (other == threads.end()) return;
    delay.send_to(*other);
  }
  FAIL() << "the caller never worked alone";
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/late_threads.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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
using detail::BusyProcessors;
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

/// Asks at `now` on a machine where `running` tasks run.
bool taken(BusyProcessors& busy, int processors, int threads, LateThreads::Clock::time_point now, int running) {
  return busy.are_taken(processors, threads, now, [=] { return running; });
}

bool taken_at_first(int processors, int threads, int running) {
  BusyProcessors busy;
  return taken(busy, processors, threads, start, running);
}

TEST(BusyProcessors, AreTakenWhenOneIsLeft) {
  EXPECT_FALSE(taken_at_first(2, 2, 2)) << "its own threads";
  EXPECT_TRUE(taken_at_first(2, 2, 3));
  EXPECT_FALSE(taken_at_first(16, 16, 30));
  EXPECT_TRUE(taken_at_first(16, 16, 31));
  EXPECT_FALSE(taken_at_first(16, 4, 18));
  EXPECT_TRUE(taken_at_first(16, 4, 19));
  EXPECT_FALSE(taken_at_first(1, 4, 4)) << "there are no others";
  EXPECT_FALSE(taken_at_first(2, 2, 0)) << "unknown";
}

TEST(BusyProcessors, AreTakenByOneWhileTheOtherThreadsSleep) {
  BusyProcessors busy;

  EXPECT_TRUE(taken(busy, 2, 2, start, 4));
  EXPECT_TRUE(taken(busy, 2, 2, start + 20ms, 2));
  EXPECT_FALSE(taken(busy, 2, 2, start + 40ms, 1));
  EXPECT_FALSE(taken(busy, 2, 2, start + 60ms, 2)) << "its own threads, which had work";
}

TEST(BusyProcessors, AreLookedAtEveryTwentyMillisecondsOrAfterLateness) {
  BusyProcessors busy;
  int looks = 0;
  const auto look_at = [&](auto now) {
    return busy.are_taken(2, 2, now, [&] {
      ++looks;
      return 4;
    });
  };

  EXPECT_TRUE(look_at(start));
  EXPECT_TRUE(look_at(start + 19ms));
  EXPECT_EQ(looks, 1);
  EXPECT_TRUE(look_at(start + 20ms));
  EXPECT_EQ(looks, 2);
  busy.look_again();
  EXPECT_TRUE(look_at(start + 21ms));
  EXPECT_EQ(looks, 3);
}

/// Processes that keep processors busy.
class Neighbours {
 public:
  explicit Neighbours(long count) {
    for (long k = 0; k < count; ++k) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
        }
      }
      if (child > 0) children_.push_back(child);
    }
  }
  ~Neighbours() {
    for (const pid_t child : children_) ::kill(child, SIGKILL);
    for (const pid_t child : children_) ::waitpid(child, nullptr, 0);
  }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

 private:
  std::vector<pid_t> children_;
};

// Each loop is another one, so that no thread can have come late to it before.
TEST(BusyProcessors, LeaveALoopToItsCaller) {
  const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_COUNT(&mine) != processors || processors > 16)
    GTEST_SKIP() << "there are processors for others only, or too many";
  const Host host;
  if (host.threads() == 1) GTEST_SKIP() << "there is one thread";
  const Neighbours neighbours(processors);
  int alone = 0;
  for (int k = 0; k < 100; ++k) {
    std::vector<pid_t> threads(static_cast<std::size_t>(1000 + k));
    parallel_for(host, threads.size(), [&](std::size_t i) { threads[i] = ::gettid(); });
    alone += std::count(threads.begin(), threads.end(), ::gettid()) == 1000 + k;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_GT(alone, 50);
}

}  // namespace
}  // namespace ostinato::test

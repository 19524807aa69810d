// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/busy_processors.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <ostinato/spmv/space/host.hpp>

namespace ostinato::test {
namespace {

using namespace std::chrono_literals;
using detail::BusyProcessors;

constexpr BusyProcessors::Clock::time_point start{};

/// Asks at `now` on a machine where `running` tasks run.
bool taken(BusyProcessors& busy, int processors, int threads, BusyProcessors::Clock::time_point now, int running) {
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

TEST(BusyProcessors, AreLookedAtEveryTwentyMilliseconds) {
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

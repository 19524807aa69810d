// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/nested_dissection.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <new>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/at_once.hpp"
#include "support/failing_new.hpp"
#include "support/matrices.hpp"
#include "support/reference.hpp"

// What a call of METIS leaves behind in the process: the turn of the next call, the generator of rand(), threads.

namespace ostinato::test {
namespace {

class NestedDissectionInAProcess : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_nested_dissection) GTEST_SKIP() << "this build has no METIS";
    small_ = graph_of("mesh2d", 20);
    order_ = nested_dissection(small_);
  }

  static Graph graph_of(const char* family, Index n) {
    const Csr<double> a = generate<double>(family, {.n = n});
    return symmetric_graph(a.row_ptr, a.col);
  }

  const Graph& small() const { return small_; }
  const std::vector<Index>& order() const { return order_; }

  /// Whether one of some processes, forked at once, finds the order. One that waits for ever is killed: where other
  /// threads run, the C library or a sanitizer may hold a lock of its own as a process forks.
  bool child_finds_the_order() const {
    std::array<pid_t, 4> children{};
    for (pid_t& child : children) {
      child = ::fork();
      if (child != 0) continue;
      ::alarm(30);
      ::_exit(nested_dissection(small_) == order_ ? 0 : 1);
    }
    bool found = false;
    for (const pid_t child : children) {
      int status = 1;
      found |= ::waitpid(child, &status, 0) == child && status == 0;
    }
    return found;
  }

 private:
  Graph small_;
  std::vector<Index> order_;
};

TEST_F(NestedDissectionInAProcess, LeavesTheTurnToTheNextCallWhicheverAllocationFails) {
  int failures = 0;
  for (bool failed = true; failed; failures += failed ? 1 : 0) {
    {
      const FailingNew fails(failures);
      try {
        static_cast<void>(nested_dissection(small()));
        failed = false;
      } catch (const std::bad_alloc&) {
      }
    }
    ASSERT_EQ(nested_dissection(small()), order()) << "allocation " << failures;
  }
  EXPECT_GE(failures, 3) << "the turn, the arrays, the task";
}

/// Gives new threads a stack that no address space has.
class NoRoomForStacks {
 public:
  NoRoomForStacks() {
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    ::pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
    ::pthread_setattr_default_np(&huge);
  }
  ~NoRoomForStacks() { ::pthread_setattr_default_np(&before_); }
  NoRoomForStacks(const NoRoomForStacks&) = delete;
  NoRoomForStacks& operator=(const NoRoomForStacks&) = delete;

 private:
  pthread_attr_t before_;
};

TEST_F(NestedDissectionInAProcess, TellsMissingMemoryForAThread) {
  {
    const NoRoomForStacks none;
    EXPECT_EQ(message_of<MemoryLimitError>([&] { nested_dissection(small()); }),
              "nested_dissection: there is no memory for the thread of METIS, or the system allows no more threads; "
              "another order takes no thread");
  }
  EXPECT_EQ(nested_dissection(small()), order());
}

TEST_F(NestedDissectionInAProcess, WorksInAForkedProcess) {
  EXPECT_TRUE(child_finds_the_order());
  const Graph large = graph_of("poisson2d", 300);
  EXPECT_THROW(nested_dissection(large, AtOnce()), Stopped);
  EXPECT_TRUE(child_finds_the_order()) << "METIS runs in the thread of the parent, which the child hasn't got";
  EXPECT_EQ(nested_dissection(small()), order());
}

std::array<int, 5> draws() {
  std::array<int, 5> numbers{};
  for (int& n : numbers) n = ::rand();
  return numbers;
}

TEST_F(NestedDissectionInAProcess, LeavesTheNumbersOfTheProgramAsTheyAre) {
  for (const unsigned seed : {1u, 42u, 12345u}) {
    ::srand(seed);
    const auto before = draws(), after = draws();
    ::srand(seed);
    EXPECT_EQ(draws(), before);
    static_cast<void>(nested_dissection(small()));
    EXPECT_EQ(draws(), after) << seed;
    ::srand(seed);
    EXPECT_EQ(draws(), before) << "METIS' state is still there";
  }
}

TEST_F(NestedDissectionInAProcess, LeavesTheNumbersOfTheProgramWhenItFails) {
  ::srand(7);
  const auto before = draws(), after = draws();
  ::srand(7);
  EXPECT_EQ(draws(), before);
  {
    const NoRoomForStacks none;
    EXPECT_THROW(nested_dissection(small()), MemoryLimitError);
  }
  for (const int allocation : {0, 1, 2}) {
    const FailingNew fails(allocation);
    EXPECT_THROW(nested_dissection(small()), std::bad_alloc);
  }
  EXPECT_EQ(draws(), after);
}

TEST_F(NestedDissectionInAProcess, LeavesASeedAfterAStop) {
  EXPECT_THROW(nested_dissection(graph_of("poisson2d", 300), AtOnce()), Stopped);
  ::srand(7);
  static_cast<void>(nested_dissection(small()));  // waits for the one that was left alone
  ::srand(7);
  const auto numbers = draws();
  static_cast<void>(nested_dissection(small()));
  ::srand(7);
  EXPECT_EQ(draws(), numbers);
}

TEST_F(NestedDissectionInAProcess, FindsTheSameOrderWhateverTheProgramDraws) {
  const Graph g = graph_of("mesh2d", 60);
  const std::vector<Index> expected = nested_dissection(g);
  std::array<char, 8> short_state{};  // another generator than that of 128 bytes
  char* const before = ::initstate(3, short_state.data(), short_state.size());
  EXPECT_EQ(nested_dissection(g), expected);
  const auto numbers = draws();
  ::srand(3);
  EXPECT_EQ(draws(), numbers) << "the state that the program set is back";
  EXPECT_EQ(::setstate(before), short_state.data());
  ::srand(99);
  EXPECT_EQ(nested_dissection(g), expected);
}

}  // namespace
}  // namespace ostinato::test

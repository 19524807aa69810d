// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/parallel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "support/matrices.hpp"
#include "support/reference.hpp"

// for_each and sum on the host. On a GPU they can be called from CUDA sources only; tests of steps, such as
// vector_steps_test.cpp and solvers/methods/cg_steps_test.cpp, cover both spaces.

namespace ostinato::test {
namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 31, host_block - 1, host_block, host_block + 1, 5 * host_block + 17};

/// What a functor records during one call of for_each or sum: the calls of its members, and the sum.
struct Seen {
  int elements = 0;
  int skipped = 0;
  int finished = 0;
  double total = 0;
};

struct Refusing {
  Seen* seen;
  bool prepare() { return false; }
  void skipped() { ++seen->skipped; }
  Sums<1> operator()(std::size_t) const {
    ++seen->elements;
    return {{1}};
  }
  void finish(const Sums<1>&) { ++seen->finished; }
};

struct Finishing {
  const double* x;
  Seen* seen;
  double factor = 0;
  bool prepare() {
    factor = 2;
    return true;
  }
  Sums<1> operator()(std::size_t i) const { return {{factor * x[i]}}; }
  void finish(const Sums<1>& sums) {
    ++seen->finished;
    seen->total = sums.v[0];
  }
};

struct ValueAndSquare {
  const double* x;
  Sums<2> operator()(std::size_t i) const { return {{x[i], x[i] * x[i]}}; }
};

/// A Kokkos may keep the threads' shares of a loop in one place for all loops.
TEST(ParallelFor, CallsEachIndexOnceForSeveralThreadsAtOnce) {
  constexpr std::size_t loops = 2000;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t k = 0; k < loops; ++k) {
        std::vector<int> calls(2 + (k + t) % 7);
        parallel_for(Host(), calls.size(), [p = calls.data()](std::size_t i) { ++p[i]; });
        wrong += std::all_of(calls.begin(), calls.end(), [](int n) { return n == 1; }) ? 0 : 1;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ParallelFor, CallsEachIndexOnceWithinAnotherLoop) {
  std::vector<std::atomic<int>> calls(3 * 5);
  parallel_for(Host(), 3,
               [p = calls.data()](std::size_t k) { parallel_for(Host(), 5, [=](std::size_t i) { ++p[k * 5 + i]; }); });
  for (const auto& n : calls) EXPECT_EQ(n, 1);
}

TEST(ParallelFor, CallsEachIndexOnce) {
  for (const std::size_t count : sizes) {
    std::vector<int> calls(count + 1);

    parallel_for(Host(), count, [p = calls.data()](std::size_t k) { ++p[k]; });

    for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(calls[k], 1) << k << " of " << count;
    EXPECT_EQ(calls[count], 0);
  }
}

TEST(ForEach, TouchesEachElementOnce) {
  for (const std::size_t n : sizes) {
    std::vector<int> calls(n + 1);

    for_each(Host(), n, [p = calls.data()](std::size_t i) { ++p[i]; });

    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(calls[i], 1) << i << " of " << n;
    EXPECT_EQ(calls[n], 0);
  }
}

TEST(ForEach, DoesNothingButSkippedWhenPrepareSaysNo) {
  Seen seen;

  for_each(Host(), 10000, Refusing{&seen});

  EXPECT_EQ(seen.skipped, 1);
  EXPECT_EQ(seen.elements, 0);
}

TEST(Sum, AddsEachElementOnce) {
  for (const std::size_t n : sizes) {
    const std::vector<double> ones(n, 1);
    double slots[] = {-1, -1, -1};

    sum(Host(), n, ValueAndSquare{ones.data()}, slots);

    EXPECT_EQ(slots[0], static_cast<double>(n));
    EXPECT_EQ(slots[1], static_cast<double>(n));
    EXPECT_EQ(slots[2], -1);
  }
}

TEST(Sum, IsAsGoodAsLongDouble) {
  for (const std::size_t n : sizes) {
    const auto x = random_vector<double>(static_cast<Index>(n), n);
    ReferenceRow want{0, 0, static_cast<Offset>(n)};
    for (const double v : x) {
      want.value += v;
      want.magnitude += std::abs(v);
    }
    double slots[] = {-1, -1};

    sum(Host(), n, ValueAndSquare{x.data()}, slots);

    EXPECT_EQ(difference(std::vector<double>{slots[0]}, {want}), "");
  }
}

TEST(Sum, GivesTheSameBitsEachTime) {
  const auto x = random_vector<double>(100003, 1);
  double first[2], next[2];
  sum(Host(), x.size(), ValueAndSquare{x.data()}, first);

  for (int k = 0; k < 50; ++k) {
    sum(Host(), x.size(), ValueAndSquare{x.data()}, next);
    ASSERT_EQ(first[0], next[0]);
    ASSERT_EQ(first[1], next[1]);
  }
}

TEST(Sum, HandsTheTotalToFinishOnceAndNeedsNoSlot) {
  for (const std::size_t n : sizes) {
    const std::vector<double> ones(n, 1);
    Seen seen;

    sum(Host(), n, Finishing{ones.data(), &seen}, nullptr);

    EXPECT_EQ(seen.finished, 1);
    EXPECT_EQ(seen.total, 2 * static_cast<double>(n));
  }
}

TEST(Sum, LeavesTheSlotAloneWhenPrepareSaysNo) {
  Seen seen;
  double slot = 42;

  sum(Host(), 10000, Refusing{&seen}, &slot);

  EXPECT_EQ(slot, 42);
  EXPECT_EQ(seen.skipped, 1);
  EXPECT_EQ(seen.elements, 0);
  EXPECT_EQ(seen.finished, 0);
}

TEST(Sum, KeepsNothingOfALongerOneBefore) {
  const std::vector<double> ones(20000, 1);
  double slots[2];
  sum(Host(), 20000, ValueAndSquare{ones.data()}, slots);

  sum(Host(), 3, ValueAndSquare{ones.data()}, slots);

  EXPECT_EQ(slots[0], 3);
}

TEST(Atomic, CountsEveryThread) {
  int count = 0, largest = 0;

  parallel_for(Host(), 100000, [&](std::size_t k) {
    Atomic<Host>::add(&count, 1);
    Atomic<Host>::max(&largest, static_cast<int>(k));
  });

  EXPECT_EQ(Atomic<Host>::load(&count), 100000);
  EXPECT_EQ(Atomic<Host>::load(&largest), 99999);
}

TEST(Host, CopiesAndZeroesBlocksOfAnySize) {
  const Host host;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20, (std::size_t{3} << 20) + 5}) {
    const std::vector<char> from(bytes + 1, 'a');
    std::vector<char> to(bytes + 1, 'b');

    host.copy(to.data(), from.data(), bytes);
    const bool copied = std::all_of(to.begin(), to.end() - 1, [](char c) { return c == 'a'; });
    host.zero(to.data(), bytes);
    const bool zeroed = std::all_of(to.begin(), to.end() - 1, [](char c) { return c == 0; });

    EXPECT_TRUE(copied && zeroed) << bytes;
    EXPECT_EQ(to.back(), 'b');
  }
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/host.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/memory.hpp>

#include "support/matrices.hpp"
#include "support/run_self.hpp"

namespace ostinato::test {
namespace {

// Made before main, when Kokkos can't be initialised yet: this program would end there.
const Host early_host;
const Csr<double> early_matrix = stencil<double>(5000, 5000, 70, 1);
const Operator<Host, double> early_operator(early_host, early_matrix, {.format = "csr"});

TEST(HostBeforeMain, IsAHostLikeAnyOther) {
  EXPECT_EQ(early_host.threads(), Host().threads());
  EXPECT_EQ(early_host.description(), Host().description());
}

TEST(HostBeforeMain, AssemblesAndMultipliesTheSameBits) {
  const Csr<double> matrix = stencil<double>(5000, 5000, 70, 1);
  EXPECT_EQ(early_matrix.row_ptr, matrix.row_ptr);
  EXPECT_EQ(early_matrix.col, matrix.col);
  EXPECT_EQ(early_matrix.val, matrix.val);
  const std::vector<double> x = random_vector<double>(5000, 2);
  std::vector<double> early(5000), late(5000);
  early_operator.apply(1.0, x, 0.0, early);
  Operator<Host, double>(Host(), matrix, {.format = "csr"}).apply(1.0, x, 0.0, late);
  EXPECT_EQ(early, late);
}

TEST(Host, RefusesThreadsThatThereIsNoRoomFor) {
  EXPECT_THROW(Host(-1), ArgumentError);
  EXPECT_THROW(Host(513), ArgumentError);
  EXPECT_THROW(Host(Host().threads() + 1), ArgumentError) << "the pool has fewer";
}

/// "3; 3 tasks": the threads of a Host, and all that the process has.
void print_threads(const Host& host) {
  const auto tasks = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  std::printf("threads: %d; %d tasks\n", host.threads(), static_cast<int>(tasks));
}

TEST(HostThreads, DISABLED_Print) { print_threads(Host()); }
TEST(HostThreads, DISABLED_PrintOfTwo) { print_threads(Host(2)); }

// 2^31 and more overflow OpenMP's int.
constexpr std::int64_t too_many[] = {600, 3000, 33000, 100000, 2147483648, 4294967296, 4294968296};

TEST(HostThreads, AreAtMost512) {
  const auto threads = [](std::int64_t asked) {
    return line_of_disabled_case("HostThreads.DISABLED_Print", "threads: ", asked);
  };
  EXPECT_EQ(threads(3), "3; 3 tasks");
  for (const std::int64_t asked : too_many) EXPECT_EQ(threads(asked), "512; 512 tasks") << asked;
}

TEST(HostThreads, AreNoMoreThanAskedForWhateverTheEnvironmentSays) {
  for (const std::int64_t asked : too_many)
    EXPECT_EQ(line_of_disabled_case("HostThreads.DISABLED_PrintOfTwo", "threads: ", asked), "2; 2 tasks") << asked;
}

/// The threads on which a long loop runs.
std::size_t threads_of_loop(const Host& host) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  parallel_for(host, 1000, [&](std::size_t) {
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  return ids.size();
}

TEST(HostThreads, DISABLED_PrintOfOrders) {
  const auto matrix = stencil<double>(5000, 5000, 70, 1);  // makes the pool
  const Host all;
  const int pool = all.threads();
  const Host two(2);
  bool fewer = two.threads() == 2 && all.threads() == pool && Host().threads() == 2 && threads_of_loop(two) <= 2;
  const Host one(1);
  fewer &= one.threads() == 1 && two.threads() == 2 && Host().threads() == 1 && threads_of_loop(one) == 1;
  std::string refused;
  try {
    (void)Host(pool + 1);
  } catch (const ArgumentError& e) {
    refused = e.what();
  }
  std::printf("orders: %d %s %s\n", pool, fewer ? "fewer" : "wrong", refused.c_str());
}

/// README reads a matrix first, and makes the Host then.
TEST(HostThreads, AreOfThePoolWhateverCameFirst) {
  const std::string line = line_of_disabled_case("HostThreads.DISABLED_PrintOfOrders", "orders: ", 3);
  EXPECT_EQ(line.rfind("3 fewer Host: 4 threads asked for, but the pool has 3", 0), 0u) << line;
}

TEST(ParallelFor, ThrowsWhatACallThrows) {
  const Host host;
  for (const std::size_t bad : {0, 1, 500, 999}) {
    std::atomic<int> calls = 0;
    const auto work = [&](std::size_t k) {
      ++calls;
      if (k == bad) throw std::bad_alloc();
    };
    EXPECT_THROW(parallel_for(host, 1000, work), std::bad_alloc);
    EXPECT_GT(calls, 0);
  }
  std::atomic<int> calls = 0;
  parallel_for(host, 1000, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1000) << "a loop after one that failed";
}

TEST(ParallelFor, ThrowsTheFirstOfSeveralExceptions) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      parallel_for(Host(), 1000, [](std::size_t k) { throw std::out_of_range(std::to_string(k)); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::out_of_range& e) {
      EXPECT_STREQ(e.what(), "0");
    }
  }
}

TEST(HostMemory, IsAtMostTheMemoryOfTheMachine) {
  const std::size_t machine =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_GT(host_memory(), std::size_t{1} << 20);
  EXPECT_LE(host_memory(), machine);
}

TEST(HostMemory, IsFreeInPart) {
  EXPECT_GT(free_host_memory(), std::size_t{1} << 20);
  EXPECT_LE(free_host_memory(), host_memory());
  EXPECT_LE(Host().free_bytes(), host_memory());
}

}  // namespace
}  // namespace ostinato::test

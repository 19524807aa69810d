// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/late_threads.hpp>

#include <gtest/gtest.h>

#include <chrono>

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

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/late_threads.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace ostinato::test {
namespace {

using namespace std::chrono_literals;
using detail::LateThreads;

void chunk(const void*, std::size_t, std::size_t) {}
void other_chunk(const void*, std::size_t, std::size_t) {}

TEST(LateThreads, AreExpectedForTwentyTimesAsLongAsWasLost) {
  LateThreads late;
  const LateThreads::Clock::time_point start{}, end = start + 5ms;

  late.note(chunk, 7, start, end, 1e-3);  // one thread would have taken 1 ms

  EXPECT_TRUE(late.are_expected(chunk, 7, end));
  EXPECT_TRUE(late.are_expected(chunk, 7, end + 79ms));
  EXPECT_FALSE(late.are_expected(chunk, 7, end + 81ms));
}

TEST(LateThreads, AreExpectedForASecondAtMost) {
  LateThreads late;
  const LateThreads::Clock::time_point start{}, end = start + 1h;

  late.note(chunk, 7, start, end, 1e-3);

  EXPECT_TRUE(late.are_expected(chunk, 7, end + 999ms));
  EXPECT_FALSE(late.are_expected(chunk, 7, end + 1001ms));
}

TEST(LateThreads, AreExpectedForThatWorkOnly) {
  LateThreads late;
  const LateThreads::Clock::time_point start{}, end = start + 5ms;

  late.note(chunk, 7, start, end, 1e-3);

  EXPECT_FALSE(late.are_expected(chunk, 8, end));
  EXPECT_FALSE(late.are_expected(chunk, 7 + 64, end)) << "has the same place";
  EXPECT_FALSE(late.are_expected(other_chunk, 7, end));
}

TEST(LateThreads, ArentExpectedAfterWorkThatPaid) {
  LateThreads late;
  const LateThreads::Clock::time_point start{}, end = start + 5ms;

  late.note(chunk, 7, start, end, 9e-3);
  EXPECT_FALSE(late.are_expected(chunk, 7, end));

  late.note(chunk, 7, end - 900us, end, 1e-6);  // to wake the threads takes as long
  EXPECT_FALSE(late.are_expected(chunk, 7, end));
}

}  // namespace
}  // namespace ostinato::test

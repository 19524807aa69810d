// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/sum_parts.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::test {
namespace {

TEST(SumParts, HasEachBlockOnce) {
  for (const std::size_t blocks : {0, 1, 255, 257, 2048, 2049, 8192, 100003}) {
    SCOPED_TRACE(blocks);
    std::vector<Sums<2>> sums(blocks);
    double first = 0, second = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      sums[b] = {{static_cast<double>(b % 1000), static_cast<double>(7 * b)}};
      first += sums[b].v[0], second += sums[b].v[1];
    }
    const Sums<2> total = detail::sum_in_lanes(sums.data(), blocks);
    EXPECT_EQ(total.v[0], first);
    EXPECT_EQ(total.v[1], second);
  }
}

/// Blocks 0 and 8192 are of one lane where 32 groups have 256 lanes each, so they go before block 1.
TEST(SumParts, AddsInTheOrderOfLanes) {
  std::vector<Sums<1>> sums(8193);
  sums[0] = {{1e16}}, sums[1] = {{1}}, sums[8192] = {{-1e16}};
  EXPECT_EQ(detail::sum_in_lanes(sums.data(), sums.size()).v[0], 1);
  sums.resize(2048);
  EXPECT_EQ(detail::sum_in_lanes(sums.data(), sums.size()).v[0], 1e16);
}

}  // namespace
}  // namespace ostinato::test

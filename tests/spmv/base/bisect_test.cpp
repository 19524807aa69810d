// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include <ostinato/spmv/base/bisect.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::test {
namespace {

TEST(Bisect, FindsTheFirstPast) {
  for (int length = 0; length <= 33; ++length) {
    for (int first = 0; first <= length; ++first)
      EXPECT_EQ(detail::bisect(0, length, [=](int i) { return i >= first; }), first) << length;
  }
}

TEST(Bisect, ReachesTheLargestNumbers) {
  constexpr Index most = std::numeric_limits<Index>::max();
  EXPECT_EQ(detail::bisect(Index{0}, most, [](Index) { return false; }), most);
  EXPECT_EQ(detail::bisect(Index{1}, most, [](Index i) { return i >= most - 1; }), most - 1);
}

}  // namespace
}  // namespace ostinato::test

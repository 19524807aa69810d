// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <ostinato/spmv/base/divider.hpp>

#include "support/matrices.hpp"

namespace ostinato::test {
namespace {

constexpr Offset largest = std::numeric_limits<Index>::max();

/// Compares with a division for the numbers around some multiples of the divisor, and for the largest numbers.
void expect_quotients(Index divisor, Random& random) {
  const Divider by(divisor);
  const auto expect = [&](Offset n) {
    n = std::clamp<Offset>(n, 0, largest);
    ASSERT_EQ(by.quotient(static_cast<Index>(n)), n / divisor) << n << " / " << divisor;
  };
  for (int k = 0; k < 20; ++k) {
    const Offset multiple =
        Offset{divisor} * below(random, static_cast<Index>(largest / std::max<Offset>(divisor, 2)) + 1);
    for (Offset n = multiple - 1; n <= multiple + 1; ++n) expect(n);
  }
  for (Offset n = largest - 2; n <= largest; ++n) expect(n);
  expect(0);
}

TEST(Divider, DividesAsADivisionDoes) {
  Random random(3);
  for (Index divisor = 1; divisor <= 5000; ++divisor) expect_quotients(divisor, random);
  for (int bit = 12; bit < 31; ++bit) {
    for (const Offset divisor : {(Offset{1} << bit) - 1, Offset{1} << bit, (Offset{1} << bit) + 1})
      expect_quotients(static_cast<Index>(divisor), random);
  }
  for (int k = 0; k < 5000; ++k) expect_quotients(1 + below(random, static_cast<Index>(largest - 1)), random);
  expect_quotients(static_cast<Index>(largest), random);
}

}  // namespace
}  // namespace ostinato::test

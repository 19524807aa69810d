// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include <ostinato/spmv/space/scan.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class Scan : public SpaceTest<Case> {
 protected:
  std::vector<Offset> scanned(const std::vector<Offset>& counts) const {
    auto there = this->template put<Offset>(counts);
    exclusive_scan(this->space(), there);
    return there.download();
  }
};

TYPED_TEST_SUITE(Scan, EverySpace, SpaceNames);

TYPED_TEST(Scan, AddsWhatComesBefore) {
  EXPECT_EQ(this->scanned({3, 0, 4, 99}), (std::vector<Offset>{0, 3, 3, 7}));
  EXPECT_EQ(this->scanned({-17}), (std::vector<Offset>{0}));
  EXPECT_EQ(this->scanned({}), (std::vector<Offset>{}));
}

TYPED_TEST(Scan, IsTheSumInOrderForEverySize) {
  Random random(1);
  for (const std::size_t n : {0, 1, 31, 33, 597, 1023, 1024, 16382, 16383, 16384, 32767, 32768, 100000}) {
    std::vector<Offset> counts(n + 1), want(n + 1);
    for (Offset& c : counts) c = below(random, 1000);
    for (std::size_t i = 0; i < n; ++i) want[i + 1] = want[i] + counts[i];

    EXPECT_EQ(this->scanned(counts), want) << n;
  }
}

TYPED_TEST(Scan, CountsPast32Bits) {
  const std::vector<Offset> counts(100, Offset{1} << 40);

  EXPECT_EQ(this->scanned(counts).back(), Offset{99} << 40);
}

}  // namespace
}  // namespace ostinato::test

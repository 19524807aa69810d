// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/readback.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/vector.hpp>

#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class DownloadBehindOn : public SpaceTest<Case> {};

TYPED_TEST_SUITE(DownloadBehindOn, EverySpace, SpaceNames);

TYPED_TEST(DownloadBehindOn, HasTheElementsOfItsStart) {
  using Space = typename TypeParam::Space;
  for (const std::size_t n : {0, 1, 33, 597, 100000}) {
    std::vector<Offset> many(n);
    std::iota(many.begin(), many.end(), Offset{7});
    auto there = this->template put<Offset>(many);
    const auto number = this->template put<double>(std::vector<double>{2.5});
    std::vector<Offset> back(n, -1), back_later(n, -1), unread(n, -1);
    double one = 0;

    DownloadBehind<Space> first(this->space(),
                                {{back.data(), there.data(), there.bytes()}, copied(one, number.data())});
    this->space().zero(there.data(), there.bytes());
    DownloadBehind<Space> later(this->space(), {{back_later.data(), there.data(), there.bytes()}});
    { const DownloadBehind<Space> left(this->space(), {{unread.data(), there.data(), there.bytes()}}); }
    first.finish();
    later.finish();

    EXPECT_EQ(back, many);
    EXPECT_EQ(one, 2.5);
    EXPECT_EQ(back_later, std::vector<Offset>(n, 0));
  }
}

}  // namespace
}  // namespace ostinato::test

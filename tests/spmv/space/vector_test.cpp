// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/vector.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class VectorOn : public SpaceTest<Case> {};

TYPED_TEST_SUITE(VectorOn, EverySpace, SpaceNames);

TYPED_TEST(VectorOn, IsMadeOfAnother) {
  using T = typename TypeParam::T;
  using Array = Vector<typename TypeParam::Space, T>;
  for (const Index n : {0, 1, 100, 100000}) {
    const std::vector<T> values = random_vector<T>(n, 1);
    const Array first = this->put(values);

    const Array second(this->space(), first);
    Array third(this->space(), values.size(), T{1});
    third.upload(first);

    EXPECT_EQ(second.download(), values);
    EXPECT_EQ(third.download(), values);
    EXPECT_TRUE(n == 0 || second.data() != first.data());
  }
}

TYPED_TEST(VectorOn, HoldsAValueInEachElement) {
  using T = typename TypeParam::T;
  for (const std::size_t n : {0, 1, 1023, 1024, 1025, 5000, 300001}) {
    for (const T value : {T{0}, T{-1.5}})
      EXPECT_EQ((Vector<typename TypeParam::Space, T>(this->space(), n, value).download()), std::vector<T>(n, value));
  }
}

}  // namespace
}  // namespace ostinato::test

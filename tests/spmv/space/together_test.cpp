// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/together.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <ostinato/spmv/operator.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class TogetherOn : public SpaceTest<Case> {};

TYPED_TEST_SUITE(TogetherOn, EverySpace, SpaceNames);

TYPED_TEST(TogetherOn, CopiesArraysOfAllSizes) {
  for (const std::size_t n : {0, 1, 33, 597, 100000}) {
    std::vector<Offset> many(n);
    std::iota(many.begin(), many.end(), Offset{7});
    const std::vector<char> few = {'a', 'b', 'c'};
    const auto there = this->template put<Offset>(many);
    const auto chars = this->template put<char>(few);
    const auto number = this->template put<double>(std::vector<double>{2.5});
    std::vector<Offset> back(n);
    std::vector<char> few_back(few.size());
    double one = 0;
    download(this->space(), {{few_back.data(), chars.data(), few.size()},
                             {back.data(), there.data(), there.bytes()},
                             copied(one, number.data())});
    EXPECT_EQ(back, many);
    EXPECT_EQ(few_back, few);
    EXPECT_EQ(one, 2.5);
  }
}

TYPED_TEST(TogetherOn, OperatorsThatAreMadeTogetherMultiply) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  EXPECT_FALSE(MadeTogether::is_on());
  const Csr<T> a = scattered<T>(597, 597, 5, true, 1);
  const std::vector<T> ones(597, T{1});
  const auto x = this->put(ones);
  Vector<Space, T> y(this->space(), ones.size()), z(this->space(), ones.size());
  const Operator<Space, T> alone(this->space(), a, {.format = "csr"});
  alone.apply(1, x, 0, y);
  for (const char* format : {"csr", "sliced-ell"}) {
    const MadeTogether together;
    EXPECT_TRUE(MadeTogether::is_on());
    Operator<Space, T> part(this->space(), a, {.format = format});
    part.apply(1, x, 0, z);
    const std::vector<T> want = y.download(), found = z.download();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(found[i], want[i], 1e-4) << format << " row " << i;
    EXPECT_EQ(part.update_values(a.view(), same_pattern), Update::refilled);
  }
  EXPECT_FALSE(MadeTogether::is_on());
}

}  // namespace
}  // namespace ostinato::test

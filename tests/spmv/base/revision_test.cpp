// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/revision.hpp>

#include <gtest/gtest.h>

#include <set>

namespace ostinato::test {
namespace {

TEST(Revision, IsNeverThatOfAnotherStateOrObject) {
  Revision a, b;
  std::set<int> numbers = {a.number(), b.number()};
  a.renew();
  numbers.insert(a.number());
  a = b;
  numbers.insert(a.number());
  const Revision copy(a);
  numbers.insert(copy.number());

  EXPECT_EQ(numbers.size(), 5u);
  EXPECT_GE(*numbers.begin(), 0);
}

}  // namespace
}  // namespace ostinato::test

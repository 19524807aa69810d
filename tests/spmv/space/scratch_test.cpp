// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/scratch.hpp>

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

TEST(Scratch, GivesEachBorrowerAnArrayOfItsOwn) {
  const Scratch<Host, double> scratch(Host(), 3);
  double *first = nullptr, *second = nullptr;
  {
    auto one = scratch.borrow(), two = scratch.borrow();
    first = one.data();
    second = two.data();
    EXPECT_NE(first, second);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(first[i] + second[i], 0) << i;
    one.data()[1] = 5;
  }
  auto again = scratch.borrow(), other = scratch.borrow();
  EXPECT_TRUE((again.data() == first && other.data() == second) || (again.data() == second && other.data() == first));
}

TEST(Scratch, GivesALoneBorrowerTheSameArrayAndItsContents) {
  Scratch<Host, double> scratch(Host(), 2);
  scratch.borrow().data()[1] = 7;
  const Scratch<Host, double> moved = std::move(scratch);

  EXPECT_EQ(moved.borrow().data()[1], 7);
  EXPECT_EQ(moved.size(), 2u);
  EXPECT_EQ(moved.bytes(), 2 * sizeof(double));
}

TEST(Scratch, MayBeEmpty) {
  const Scratch<Host, float> scratch(Host(), 0);
  EXPECT_EQ(scratch.borrow().data(), nullptr);
  EXPECT_EQ((Scratch<Host, float>().bytes()), 0u);
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/row_errors.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class RowErrorsOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using Space = typename Case::Space;

  RowErrors of(const Csr<Value>& a, const std::vector<Value>& x, const std::vector<Value>& b,
               double tolerance = 0) const {
    const SpaceCsr<Space, Value> on(this->space(), a);
    return row_errors<Value>(this->space(), on.view(), this->put(x), this->put(b), tolerance);
  }
};
TYPED_TEST_SUITE(RowErrorsOn, EverySpace, SpaceNames);

TYPED_TEST(RowErrorsOn, AreZeroForASolution) {
  using T = typename TypeParam::T;
  const RowErrors e = this->of(dense<T>({{2, 1}, {1, 3}}), {1, 3}, {5, 10});

  EXPECT_EQ(e.componentwise, 0);
  EXPECT_EQ(e.by_row, 0);
  EXPECT_EQ(e.unsolved, 0);
}

// Row 1: |r| = 4, its terms 3 * 2 + 1 * 1 + 3 = 10, its row 4 * 2 + 3.
TYPED_TEST(RowErrorsOn, AreRelativeToTheTermsOfARow) {
  using T = typename TypeParam::T;
  const RowErrors e = this->of(dense<T>({{1, 0}, {3, -1}}), {2, -1}, {2, 3});

  EXPECT_DOUBLE_EQ(e.componentwise, 4.0 / 10);
  EXPECT_DOUBLE_EQ(e.by_row, 4.0 / 11);
  EXPECT_EQ(e.unsolved, 1);
}

TYPED_TEST(RowErrorsOn, SeeASmallRowBesideAHugeOne) {
  using T = typename TypeParam::T;
  const T huge = is_single<T> ? T(1e20) : T(1e30);
  const RowErrors e = this->of(dense<T>({{static_cast<double>(huge), 0}, {-1, 2}}), {1, 0}, {huge, 5}, 1e-7);

  EXPECT_DOUBLE_EQ(e.componentwise, 1);
  EXPECT_EQ(e.unsolved, 1);
}

TYPED_TEST(RowErrorsOn, LeaveOutEquationsWhereXIsNextToNothing) {
  using T = typename TypeParam::T;
  const T little = T(1e-12);
  const RowErrors e = this->of(diagonal_matrix<T>({1, 1}), {1, little}, {1, 0}, 1e-7);

  EXPECT_DOUBLE_EQ(e.componentwise, 1);
  EXPECT_EQ(e.unsolved, 0);
}

TYPED_TEST(RowErrorsOn, CountARowWithoutEntries) {
  using T = typename TypeParam::T;
  const RowErrors e = this->of(from_triplets<T>(2, 2, std::vector<Triplet<T>>{{0, 0, 1}}), {1, 5}, {1, 1});

  EXPECT_DOUBLE_EQ(e.componentwise, 1);
  EXPECT_EQ(e.unsolved, 1);
}

TYPED_TEST(RowErrorsOn, LargestDifferenceIsThatOfAnyElement) {
  using T = typename TypeParam::T;
  std::vector<T> x(70000, T{1});
  const auto difference = [&] { return largest_difference<T>(this->space(), this->put(x), 1); };
  EXPECT_EQ(difference(), 0);
  for (const std::size_t k : {std::size_t{0}, std::size_t{40001}, x.size() - 1}) {
    x[k] = T{-2};
    EXPECT_EQ(difference(), 3) << k;
    x[k] = T{1};
  }
  x[5] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_TRUE(std::isnan(difference()));
  EXPECT_EQ(largest_difference<T>(this->space(), this->put(std::vector<T>()), 1), 0);
}

}  // namespace
}  // namespace ostinato::test

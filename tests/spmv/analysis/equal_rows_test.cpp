// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/equal_rows.hpp>

#include <gtest/gtest.h>

#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class EqualRowsOn : public SpaceTest<Case> {
 protected:
  EqualRows of(const Csr<typename Case::T>& a) const {
    const SpaceCsr<typename Case::Space, typename Case::T> on(this->space(), a);
    return equal_rows(this->space(), on.view());
  }
  bool may_have(const Csr<typename Case::T>& a) const {
    const SpaceCsr<typename Case::Space, typename Case::T> on(this->space(), a);
    return may_have_equal_rows(this->space(), on.view());
  }
};
TYPED_TEST_SUITE(EqualRowsOn, EverySpace, SpaceNames);

TYPED_TEST(EqualRowsOn, AreCountedBehindTheFirst) {
  using T = typename TypeParam::T;
  const EqualRows found = this->of(dense<T>({{1, 2, 0}, {3, 0, 1}, {1, 2, 0}, {3, 0, 1}, {1, 2, 0}, {1, 2, 1}}));

  EXPECT_EQ(found.count, 3);
  EXPECT_EQ(found.first, 2);
  EXPECT_EQ(found.as, 0);
}

TYPED_TEST(EqualRowsOn, HaveEqualColumnsAndValues) {
  using T = typename TypeParam::T;
  EXPECT_EQ(this->of(dense<T>({{1, 2, 0}, {1, 0, 2}, {0, 1, 2}, {2, 1, 0}, {-1, -2, 0}})).count, 0);
  EXPECT_EQ(this->of(generate<T>("poisson2d", {.n = 20})).count, 0);
}

TYPED_TEST(EqualRowsOn, OfASymmetricMatrixRepeatTheDiagonal) {
  using T = typename TypeParam::T;
  EXPECT_TRUE(this->may_have(dense<T>({{2, 2, 1}, {2, 2, 1}, {1, 1, 3}})));
  EXPECT_TRUE(this->may_have(dense<T>({{2, 1, 2}, {1, 3, 0}, {2, 0, 3}}))) << "may, but hasn't";
  EXPECT_FALSE(this->may_have(dense<T>({{2, 1, 1}, {1, 2, -2}, {1, -2, 3}})));
  EXPECT_FALSE(this->may_have(generate<T>("poisson2d", {.n = 20})));
}

}  // namespace
}  // namespace ostinato::test

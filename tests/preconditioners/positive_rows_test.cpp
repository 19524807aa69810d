// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/positive_rows.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class PositiveRowsOn : public SpaceTest<Case> {
 protected:
  template <class T>
  bool mostly(const Csr<T>& a) const {
    return is_mostly_positive(this->space(), SpaceCsr<typename Case::Space, T>(this->space(), a.view()).view());
  }
};

TYPED_TEST_SUITE(PositiveRowsOn, EverySpace, SpaceNames);

TYPED_TEST(PositiveRowsOn, TellsStiffnessFromDiffusion) {
  using T = typename TypeParam::T;
  for (const bool negative : {false, true}) {
    const auto signed_as = [&](Csr<T> a) {
      for (T& v : a.val) v = negative ? -v : v;
      return a;
    };
    EXPECT_TRUE(this->mostly(signed_as(generate<T>("elasticity3d", {.n = 6}))));
    EXPECT_TRUE(this->mostly(signed_as(generate<T>("elasticity3d", {.n = 13})))) << "only some of the rows";
    EXPECT_FALSE(this->mostly(signed_as(generate<T>("mesh3d", {.n = 8}))));
    EXPECT_FALSE(this->mostly(signed_as(generate<T>("mesh2d", {.n = 90})))) << "only some of the rows";
    EXPECT_FALSE(this->mostly(signed_as(generate<T>("poisson2d", {.n = 20}))));
  }
}

TYPED_TEST(PositiveRowsOn, CountsTheEntriesBesideTheDiagonal) {
  using T = typename TypeParam::T;
  EXPECT_FALSE(this->mostly(dense<T>({{9, 1, -4}, {1, 9, -4}, {-4, -4, 9}}))) << "a fifth, and no more";
  EXPECT_TRUE(this->mostly(dense<T>({{9, 1.5, -4}, {1.5, 9, -4}, {-4, -4, 9}}))) << "two rows of three";
  EXPECT_FALSE(this->mostly(dense<T>({{9, 1}, {-1, 9}}))) << "half, and no more";
  EXPECT_FALSE(this->mostly(dense<T>({{2, 0}, {0, 2}}))) << "nothing beside the diagonal";
  EXPECT_FALSE(this->mostly(from_triplets<T>(0, 0, {})));
  EXPECT_FALSE(this->mostly(from_triplets<T>(3, 3, {}))) << "empty rows";
}

TYPED_TEST(PositiveRowsOn, TellsDominantRows) {
  using T = typename TypeParam::T;
  const auto dominant = [&](const Csr<T>& a) {
    return is_mostly_dominant(this->space(), SpaceCsr<typename TypeParam::Space, T>(this->space(), a.view()).view());
  };
  EXPECT_TRUE(dominant(dense<T>({{9, 1, -4}, {1, 9, -4}, {-4, -4, 4}}))) << "two rows of three";
  EXPECT_TRUE(dominant(dense<T>({{-9, 1, -4}, {1, -9, -4}, {-4, -4, 4}}))) << "by size";
  EXPECT_FALSE(dominant(dense<T>({{9, 1}, {-9, 9}}))) << "half, and no more";
  EXPECT_FALSE(dominant(dense<T>({{100, 99}, {-99, 100}}))) << "by 1 % alone";
  EXPECT_FALSE(dominant(generate<T>("poisson2d", {.n = 90}))) << "as large as the sum, and no larger";
  EXPECT_FALSE(dominant(generate<T>("elasticity3d", {.n = 13})));
  EXPECT_TRUE(dominant(dense<T>({{2, 0}, {0, 2}})));
  EXPECT_FALSE(dominant(from_triplets<T>(3, 3, {}))) << "empty rows";
  EXPECT_FALSE(dominant(from_triplets<T>(0, 0, {})));
}

}  // namespace
}  // namespace ostinato::test

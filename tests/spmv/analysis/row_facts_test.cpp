// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/row_facts.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class RowFactsOn : public SpaceTest<Case> {
 protected:
  using Real = typename Case::T;
  using Space = typename Case::Space;

  RowFacts<Space, Real> of(const Csr<Real>& a) const {
    const Analysis<Space, Real> analysis(this->space(), a);
    return row_facts(this->space(), analysis.matrix().view(), analysis.structure());
  }
};
TYPED_TEST_SUITE(RowFactsOn, EverySpace, SpaceNames);

TYPED_TEST(RowFactsOn, TellTheKindsOfRows) {
  using T = typename TypeParam::T;
  const auto facts = this->of(from_triplets<T>(
      5, 5, std::vector<Triplet<T>>{{0, 0, 2}, {0, 1, 1}, {1, 1, 3}, {2, 2, 0}, {2, 0, 0}, {4, 3, 5}, {4, 4, 0}}));

  EXPECT_EQ(facts.kinds.download(),
            (std::vector{RowKind::general, RowKind::diagonal, RowKind::zero, RowKind::zero, RowKind::general}));
  EXPECT_EQ(facts.diagonal_rows, 1);
  EXPECT_EQ(facts.zero_rows, 2);
}

TYPED_TEST(RowFactsOn, TellTheSizesOfRows) {
  using T = typename TypeParam::T;
  const auto facts = this->of(dense<T>({{1024, 1, 0}, {0, -0.25, 0.125}, {0, 0, 3}}));

  EXPECT_EQ(facts.largest_exponent, 10);
  EXPECT_EQ(facts.least_exponent, -2);
  EXPECT_EQ(facts.spread(), 12);
}

TYPED_TEST(RowFactsOn, TellRowsThatAddUpToZero) {
  using T = typename TypeParam::T;

  EXPECT_TRUE(this->of(generate<T>("poisson2d", {.n = 6, .periodic = true})).sums_vanish);
  EXPECT_FALSE(this->of(generate<T>("poisson2d", {.n = 6})).sums_vanish);
  EXPECT_FALSE(this->of(diagonal_matrix<T>({1, 2})).sums_vanish) << "no general row";
  EXPECT_TRUE(this->of(dense<T>({{1, -1, 0}, {-1, 1, 0}, {0, 0, 7}})).sums_vanish) << "of the general rows";
}

TYPED_TEST(RowFactsOn, TellHowFarAMatrixIsFromSymmetric) {
  using T = typename TypeParam::T;
  constexpr double unit = std::numeric_limits<T>::epsilon();
  const T changed = T{-1} * (1 + 4 * std::numeric_limits<T>::epsilon());

  EXPECT_EQ(this->of(dense<T>({{4, -1}, {-1, 4}})).asymmetry, 0);
  const auto near = this->of(dense<T>({{4, -1}, {static_cast<double>(changed), 4}}));
  EXPECT_NEAR(near.asymmetry, unit, 1e-3 * unit) << "4 eps of rows of size 4";
  EXPECT_TRUE(near.is_nearly_symmetric());
  EXPECT_FALSE(this->of(dense<T>({{4, -1}, {-1.01, 4}})).is_nearly_symmetric());
  EXPECT_FALSE(this->of(dense<T>({{4, -1}, {0, 4}})).is_nearly_symmetric()) << "in pattern";
}

// An entry that is small beside one row may be large beside the other.
TYPED_TEST(RowFactsOn, MeasureAsymmetryByTheSmallerRow) {
  using T = typename TypeParam::T;
  const double large = is_single<T> ? 1e12 : 1e25;

  EXPECT_FALSE(this->of(dense<T>({{large, 1}, {2, 3}})).is_nearly_symmetric());
}

TYPED_TEST(RowFactsOn, OfALargeMatrixAreThoseOfItsRows) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("poisson2d", {.n = 150});
  const auto at = static_cast<std::size_t>(a.row_ptr[12345]);
  for (std::size_t k = at; k < static_cast<std::size_t>(a.row_ptr[12346]); ++k) a.val[k] *= T{4096};

  const auto facts = this->of(a);

  EXPECT_EQ(facts.spread(), 12);
  EXPECT_EQ(facts.zero_rows, 0);
  EXPECT_FALSE(facts.is_nearly_symmetric());
}

TYPED_TEST(RowFactsOn, TakeMatricesWithoutRows) {
  EXPECT_EQ(this->of(Csr<typename TypeParam::T>{0, 0, {0}, {}, {}}).zero_rows, 0);
}

}  // namespace
}  // namespace ostinato::test

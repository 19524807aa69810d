// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/accurate_residual.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/operator.hpp>

#include "support/exact_residual.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class AccurateResidualOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  struct Computed {
    std::vector<Value> r;
    double norm;
  };

  Computed compute(const Csr<Value>& a, double outer, double inner, const std::vector<Value>& x,
                   const std::vector<Value>& b) const {
    const SpaceCsr<typename Case::Space, Value> matrix(this->space(), a.view());
    const auto on_x = this->put(x), on_b = this->put(b);
    auto r = this->put(std::vector<Value>(b.size()));
    auto slot = this->template put<double>({-1});
    accurate_residual<Value>(this->space(), matrix.view(), outer, inner, on_x, on_b, r.span(), slot.data());
    return {r.download(), std::sqrt(slot.download()[0])};
  }
};

TYPED_TEST_SUITE(AccurateResidualOn, EverySpace, SpaceNames);

TYPED_TEST(AccurateResidualOn, SeesWhatRoundingHides) {
  using T = typename TypeParam::T;
  const T third = T{1} / T{3};

  const auto [r, norm] = this->compute(dense<T>({{3}}), 1, 1, {third}, {1});

  EXPECT_EQ(r[0], static_cast<T>(1 - 3 * static_cast<long double>(third)));
  EXPECT_GT(norm, 0);
}

TYPED_TEST(AccurateResidualOn, IsRightToTheLastDigitsWhereTheTermsCancel) {
  using T = typename TypeParam::T;
  Random random(5);
  for (int k = 0; k < 50; ++k) {
    std::vector<T> row = random_vector<T>(40, static_cast<std::uint64_t>(k)),
                   x = random_vector<T>(40, static_cast<std::uint64_t>(k) + 1000);
    T sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += row[j] * x[j];
    std::vector<Triplet<T>> triplets;
    for (Index j = 0; j < 40; ++j) triplets.push_back({0, j, row[static_cast<std::size_t>(j)]});
    const auto a = from_triplets<T>(1, 40, triplets);

    const auto computed = this->compute(a, 1, 1, x, {sum});

    const double truth = static_cast<double>(exact_residual(a.view(), x, {sum}).norm);
    EXPECT_NEAR(computed.norm, truth, 1e-12 * truth + 1e-30);
  }
}

// 1 is left of terms so large that twice the digits don't show it.
TYPED_TEST(AccurateResidualOn, IsNotSmallerThanTheTruthWhereTwiceTheDigitsArentEnough) {
  if (is_single<typename TypeParam::T>) GTEST_SKIP() << "products of floats are exact";
  using T = typename TypeParam::T;
  const T large = std::ldexp(T{1}, 120), middle = std::ldexp(T{1}, 60);
  const auto a = dense<T>({{large, middle, 1, -middle, -large}});
  const std::vector<T> x = {1 + std::ldexp(T{1}, -40), 1, 1, 1, 1 + std::ldexp(T{1}, -40)};

  for (const T b : {T{0}, T{2}, -middle}) {
    const auto computed = this->compute(a, 1, 1, x, {b});
    const double truth = static_cast<double>(exact_residual(a.view(), x, {b}).norm);

    EXPECT_GE(computed.norm, truth * (1 - 1e-15));
    EXPECT_GE(std::abs(computed.r[0]), truth * (1 - 1e-15));
    EXPECT_LE(computed.norm, truth + 10) << "and not much larger";
  }
}

TYPED_TEST(AccurateResidualOn, AppliesThePowersBeforeTheProducts) {
  using T = typename TypeParam::T;
  const int large = std::numeric_limits<T>::max_exponent - 8;
  const double down = std::ldexp(1.0, -large / 2);

  const auto [r, norm] = this->compute(dense<T>({{std::ldexp(T{3}, large), 0}, {1, 1}}), down, down, {5, 0}, {1, 1});

  EXPECT_EQ(r[0], 1 - 15 * std::ldexp(1.0, large - large / 2 * 2));
  EXPECT_EQ(r[1], 1);
  EXPECT_EQ(norm, std::hypot(static_cast<double>(r[0]), 1));
}

TYPED_TEST(AccurateResidualOn, NanStaysNan) {
  using T = typename TypeParam::T;

  EXPECT_TRUE(std::isnan(this->compute(dense<T>({{std::numeric_limits<T>::quiet_NaN()}}), 1, 1, {1}, {1}).norm));
}

TYPED_TEST(AccurateResidualOn, OperatorHasItAsLongAsTheAnalysisLives) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("poisson2d", {.n = 5});
  auto analysis = std::make_unique<Analysis<typename TypeParam::Space, T>>(this->space(), a);
  Operator<typename TypeParam::Space, T> op(*analysis), changed(*analysis);
  const auto x = this->put(std::vector<T>(25, 1)), b = this->put(std::vector<T>(25, 1));
  auto r = this->put(std::vector<T>(25));
  auto slot = this->template put<double>({-1});
  const auto known = [&](const auto& o) {
    return o.accurate_residual(1, 1, x.span(), b.span(), r.span(), slot.data());
  };
  changed.update_values(a.view());

  EXPECT_TRUE(known(op));
  EXPECT_FALSE(known(changed)) << "the values of the analysis may be others";
  analysis.reset();
  EXPECT_FALSE(known(op));
}

}  // namespace
}  // namespace ostinato::test

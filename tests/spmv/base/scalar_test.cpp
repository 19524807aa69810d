// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/scalar.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

namespace ostinato::test {
namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

static_assert(Real<float> && Real<double> && Real<const double> && !Real<C> && !Real<Z>);
static_assert(Scalar<C> && Scalar<Z> && !Scalar<int> && !Scalar<long double> && !Scalar<std::vector<double>>);
static_assert(is_complex<C> && is_complex<Z> && !is_complex<double>);
static_assert(is_single<float> && is_single<C> && !is_single<double> && !is_single<Z>);
static_assert(std::is_same_v<real_t<C>, float> && std::is_same_v<real_t<Z>, double>);
static_assert(std::is_same_v<sum_t<float>, double> && std::is_same_v<sum_t<C>, Z> && std::is_same_v<sum_t<Z>, Z>);
static_assert(std::is_same_v<low_t<double>, float> && std::is_same_v<low_t<Z>, C>);
static_assert(std::is_same_v<Slot<float>, double*> && std::is_same_v<Slot<C>, Z*>);

TEST(Scalar, ProductIsFormedInDouble) {
  const float a = 1 + 0x1p-20f, b = 1 - 0x1p-20f;
  EXPECT_EQ(product_of(a, b), 1 - 0x1p-40);
  EXPECT_EQ(abs2(a), (1 + 0x1p-20) * (1 + 0x1p-20));
  EXPECT_EQ(product_of(C(a, 0), C(0, b)), Z(0, 1 - 0x1p-40));
  EXPECT_EQ(abs2(C(3, -4)), 25);
}

TEST(Scalar, ConjugateOfARealIsItself) {
  EXPECT_EQ(conj(-2.5), -2.5);
  EXPECT_EQ(conj(Z(1, 2)), Z(1, -2));
  EXPECT_EQ(real_part(-2.5f), -2.5f);
  EXPECT_EQ(real_part(Z(1, 2)), 1);
}

TEST(Scalar, MagnitudeDoesNotOverflow) {
  EXPECT_EQ(magnitude(-3.0f), 3);
  EXPECT_EQ(magnitude(Z(3 * 0x1p600, -4 * 0x1p600)), 5 * 0x1p600);
  EXPECT_TRUE(std::isnan(magnitude(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Scalar, PartsLieBesideEachOther) {
  Z z[] = {{1, 2}, {3, 4}};
  double d[] = {5};
  EXPECT_EQ(parts_of(z)[3], 4);
  EXPECT_EQ(parts_of(d), d);
  EXPECT_EQ(parts_of_value<Z>, 2u);
  EXPECT_EQ(parts_of_value<double>, 1u);
}

}  // namespace
}  // namespace ostinato::test

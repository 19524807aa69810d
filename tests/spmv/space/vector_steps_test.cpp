// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/vector_steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/steps.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class VectorSteps : public StepsTest<Case> {};

TYPED_TEST_SUITE(VectorSteps, EverySpace, SpaceNames);

TYPED_TEST(VectorSteps, CopyScaleAndMultiplyAreElementWise) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    const auto x = this->vector(n, 1), d = this->vector(n, 2);
    const auto hx = x.download(), hd = d.download();
    auto copied = this->vector(n, 3), scaled = this->vector(n, 4), multiplied = this->vector(n, 5);

    copy<T>(this->space(), x, copied);
    scale<T>(this->space(), T(2.5), x, scaled);
    multiply<T>(this->space(), d, x, multiplied);

    EXPECT_EQ(copied.download(), hx);
    this->expect_elements(scaled, [&](std::size_t i) { return sum_of(2.5L * hx[i], 0); });
    this->expect_elements(multiplied, [&](std::size_t i) { return sum_of(1.0L * hd[i] * hx[i], 0); });
  }
}

TYPED_TEST(VectorSteps, ScaleMayWorkInPlace) {
  using T = typename TypeParam::T;
  auto x = this->put(std::vector<T>{1, -2, 3});

  scale<T>(this->space(), T(-2), x, x);

  EXPECT_EQ(x.download(), (std::vector<T>{-2, 4, -6}));
}

TYPED_TEST(VectorSteps, DotAddsInDouble) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    const auto x = this->vector(n, 1), y = this->vector(n, 2);
    double* xy = this->slot(0);
    double* xx = this->slot(1);

    dot<T>(this->space(), x, y, xy);
    dot<T>(this->space(), x, x, xx);

    this->expect_dot(xy, x.download(), y.download());
    this->expect_dot(xx, x.download(), x.download());
  }
}

TYPED_TEST(VectorSteps, DotOfNothingIsZero) {
  using T = typename TypeParam::T;
  const Vector<typename TypeParam::Space, T> nothing(this->space(), 0);
  double* slot = this->slot(0, 42);

  dot<T>(this->space(), nothing, nothing, slot);

  EXPECT_EQ(this->at(slot), 0);
}

TYPED_TEST(VectorSteps, DotGivesTheSameBitsEachTime) {
  using T = typename TypeParam::T;
  const auto x = this->vector(100003, 1), y = this->vector(100003, 2);
  double* slot = this->slot(0);
  dot<T>(this->space(), x, y, slot);
  const double first = this->at(slot);
  for (int k = 0; k < 20; ++k) {
    dot<T>(this->space(), x, y, slot);
    ASSERT_EQ(this->at(slot), first);
  }
}

TYPED_TEST(VectorSteps, SubtractFromIsDifferenceAndSquare) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    const auto b = this->vector(n, 1);
    auto q = this->vector(n, 2), r = this->vector(n, 3);
    const auto hb = b.download(), hq = q.download();
    double* rr = this->slot(0);
    double* rr_in_place = this->slot(1);

    subtract_from<T>(this->space(), b, q, r, rr);
    subtract_from<T>(this->space(), b, q, q, rr_in_place);

    this->expect_elements(r, [&](std::size_t i) { return sum_of(hb[i], -1.0L * hq[i]); });
    this->expect_dot(rr, r.download(), r.download());
    EXPECT_TRUE(same_bits(q.download(), r.download()));
    EXPECT_EQ(this->at(rr_in_place), this->at(rr));
  }
}

TYPED_TEST(VectorSteps, MultiplyDotIsMultiplyThenDot) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    const auto d = this->vector(n, 1), r = this->vector(n, 2);
    auto fused = this->vector(n, 3), plain = this->vector(n, 4);
    double* rz = this->slot(0);

    multiply_dot<T>(this->space(), d, r, fused, rz);
    multiply<T>(this->space(), d, r, plain);

    EXPECT_TRUE(same_bits(fused.download(), plain.download()));
    this->expect_dot(rz, r.download(), fused.download());
  }
}

TYPED_TEST(VectorSteps, RefuseAVectorThatIsTooShort) {
  using T = typename TypeParam::T;
  const auto& space = this->space();
  const auto five = this->put(std::vector<T>(5)), four = this->put(std::vector<T>(4));
  auto to_five = this->put(std::vector<T>(5)), to_four = this->put(std::vector<T>(4));
  auto slot = this->template put<double>({0});
  EXPECT_THROW(copy<T>(space, five, to_four.span()), DimensionError);
  EXPECT_THROW(scale<T>(space, T{2}, four, to_five.span()), DimensionError);
  EXPECT_THROW(dot<T>(space, five, four, slot.data()), DimensionError);
  EXPECT_THROW(subtract_from<T>(space, five, four, to_five.span(), slot.data()), DimensionError);
  EXPECT_THROW(subtract_from<T>(space, four, five, to_five.span(), slot.data()), DimensionError);
  EXPECT_THROW(multiply<T>(space, four, five, to_five.span()), DimensionError);
  EXPECT_THROW(multiply_dot<T>(space, five, four, to_five.span(), slot.data()), DimensionError);
  EXPECT_THROW(to_five.upload(std::vector<T>(4)), DimensionError);
  EXPECT_THROW(to_four.upload(std::vector<T>(5)), DimensionError);
  EXPECT_NO_THROW(to_four.upload(std::vector<T>(4)));
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/gmres_steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/steps.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class GmresSteps : public StepsTest<Case> {};

TYPED_TEST_SUITE(GmresSteps, EverySpace, SpaceNames);

TYPED_TEST(GmresSteps, AccumulateAdds) {
  using T = typename TypeParam::T;
  const auto more = this->put(std::vector<T>{1, 2, 3, 100});
  auto h = this->put(std::vector<T>{10, 20, 30, 40});

  accumulate<T>(this->space(), 3, more.data(), h.data());

  EXPECT_EQ(h.download(), (std::vector<T>{11, 22, 33, 40}));
}

TYPED_TEST(GmresSteps, NormaliseMakesUnitLength) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    auto w = this->vector(n, 1);
    const auto before = w.download();
    auto norm = this->put(std::vector<T>{-1});
    double* ww = this->slot(0);
    dot<T>(this->space(), w, w, ww);

    normalise<T>(this->space(), ww, w, norm.data());

    const long double length = std::sqrt(static_cast<long double>(this->at(ww)));
    EXPECT_NEAR(norm.download()[0], static_cast<double>(length), 1e-6 * static_cast<double>(length));
    this->expect_elements(w, [&](std::size_t i) { return sum_of(before[i] / length, 0); });
  }
}

TYPED_TEST(GmresSteps, NormaliseOfZeroIsZero) {
  using T = typename TypeParam::T;
  auto w = this->put(std::vector<T>(33, 0));
  auto norm = this->put(std::vector<T>{-1});

  normalise<T>(this->space(), this->slot(0, 0), w, norm.data());

  EXPECT_EQ(norm.download()[0], 0);
  EXPECT_EQ(w.download(), std::vector<T>(33, 0));
}

}  // namespace
}  // namespace ostinato::test

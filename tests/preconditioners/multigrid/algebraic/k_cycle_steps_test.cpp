// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/k_cycle_steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <ostinato/spmv/space/parallel.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

using algebraic::KSlots;

/// What two steps make of given directions.
struct Steps {
  std::vector<float> x, residual;  ///< the residual after the first step
};

template <class Case>
class KCycleSteps : public SpaceTest<Case> {
 protected:
  /// c and d are the directions, v = A c and w = A d.
  Steps steps(const std::vector<float>& r, const std::vector<float>& c, const std::vector<float>& v,
              const std::vector<float>& d, const std::vector<float>& w, bool is_cg) const {
    const auto& space = this->space();
    const std::size_t n = r.size();
    auto b = this->put(r), x = this->put(d);
    const auto dc = this->put(c), dv = this->put(v), dd = this->put(d), dw = this->put(w);
    auto slots = this->put(std::vector<double>(KSlots::count));
    double* const s = slots.data();
    sum(space, n, algebraic::FirstSums{is_cg ? dc.data() : dv.data(), dv.data(), b.data()}, s + KSlots::test1_v);
    sum(space, n, algebraic::FirstResidual{{s}, dv.data(), b.data()}, s + KSlots::left);
    sum(space, n, algebraic::SecondSums{is_cg ? dd.data() : dw.data(), dv.data(), dw.data(), b.data()},
        s + KSlots::test2_v);
    for_each(space, n, algebraic::CombineSteps{{s}, dc.data(), x.data()});
    return {x.download(), b.download()};
  }
};

TYPED_TEST_SUITE(KCycleSteps, EverySpace, SpaceNames);

std::vector<float> combined(double p, const std::vector<float>& a, double q, const std::vector<float>& b) {
  std::vector<float> sum(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    sum[i] = static_cast<float>(p * static_cast<double>(a[i]) + q * static_cast<double>(b[i]));
  return sum;
}

/// (2 + i mod 3) on the diagonal, -1 beside it, and a skew part.
std::vector<float> times_a(const std::vector<float>& x, double skew) {
  const std::size_t n = x.size();
  std::vector<float> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    double total = static_cast<double>(2 + i % 3) * static_cast<double>(x[i]);
    if (i > 0) total += (-1 - skew) * static_cast<double>(x[i - 1]);
    if (i + 1 < n) total += (-1 + skew) * static_cast<double>(x[i + 1]);
    y[i] = static_cast<float>(total);
  }
  return y;
}

/// The residual of the best x in the span of two directions is orthogonal to both tests.
TYPED_TEST(KCycleSteps, FindTheBestCombination) {
  for (const bool is_cg : {true, false}) {
    for (const Index n : {31, 33, 597}) {
      const double skew = is_cg ? 0 : 0.5;
      const auto r = random_vector<float>(n, 1), c = random_vector<float>(n, 2), d = random_vector<float>(n, 3);
      const auto v = times_a(c, skew), w = times_a(d, skew);
      const Steps made = this->steps(r, c, v, d, w, is_cg);
      const auto left = combined(1, r, -1, times_a(made.x, skew));
      const double size = std::sqrt(dot_of(r, r));
      for (const auto& test : {is_cg ? c : v, is_cg ? d : w})
        EXPECT_NEAR(dot_of(test, left), 0, 1e-5 * size * std::sqrt(dot_of(test, test))) << n;
      EXPECT_NEAR(dot_of(is_cg ? c : v, made.residual), 0, 1e-4 * size * std::sqrt(dot_of(v, v)));
    }
  }
}

TYPED_TEST(KCycleSteps, EndAfterAFirstStepThatDoes) {
  const Index n = 597;
  const auto c = random_vector<float>(n, 2), d = random_vector<float>(n, 3);
  const auto v = times_a(c, 0), w = times_a(d, 0);
  const auto r = combined(2, v, 1e-3, d);  // the first step leaves 1e-3 d, or so
  const Steps made = this->steps(r, c, v, d, w, true);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(made.x[i], 2 * c[i], 0.01);
  const double alpha = dot_of(c, r) / dot_of(c, v);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_FLOAT_EQ(made.x[i], static_cast<float>(alpha) * c[i]);
}

TYPED_TEST(KCycleSteps, TakeADirectionThatIsNone) {
  const Index n = 33;
  const auto r = random_vector<float>(n, 1), c = random_vector<float>(n, 2), d = random_vector<float>(n, 3);
  const std::vector<float> zero(r.size(), 0.0f);
  // A c = 0: the cycle alone. d = 0, and d = c: the first step alone.
  EXPECT_EQ(this->steps(r, c, zero, d, times_a(d, 0), true).x, c);
  EXPECT_EQ(this->steps(zero, zero, zero, zero, zero, true).x, zero);
  const auto v = times_a(c, 0);
  const double alpha = dot_of(c, r) / dot_of(c, v);
  for (const auto& second : {zero, c}) {
    const Steps made = this->steps(r, c, v, second, times_a(second, 0), true);
    for (std::size_t i = 0; i < c.size(); ++i) EXPECT_FLOAT_EQ(made.x[i], static_cast<float>(alpha) * c[i]);
  }
}

TYPED_TEST(KCycleSteps, TakeTheCycleWhereTheCurvatureIsNegative) {
  const Index n = 33;
  const auto r = random_vector<float>(n, 1), c = random_vector<float>(n, 2), d = random_vector<float>(n, 3);
  const auto v = combined(-1, times_a(c, 0), 0, c), w = combined(-1, times_a(d, 0), 0, d);
  EXPECT_EQ(this->steps(r, c, v, d, w, true).x, c);
}

}  // namespace
}  // namespace ostinato::test

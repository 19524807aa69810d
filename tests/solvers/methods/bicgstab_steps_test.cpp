// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/bicgstab_steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/method_steps.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class BicgstabSteps : public MethodStepsTest<Case> {};

TYPED_TEST_SUITE(BicgstabSteps, EverySpace, SpaceNames);

TYPED_TEST(BicgstabSteps, UpdatePBeginsWithR) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const std::vector<T> nan(33, std::numeric_limits<T>::quiet_NaN());
  const auto r = this->vector(33, 1), v = this->put(nan);
  auto p = this->put(nan);

  update_p<T>(this->space(), workspace.emplace(BicgstabScalars{.rho = 2}), r, v, p, this->state({}));

  EXPECT_EQ(p.download(), r.download());
}

TYPED_TEST(BicgstabSteps, UpdatePIsItsFormula) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  ConvergenceState later;
  later.iteration = 3;
  for (const Index n : step_sizes) {
    const auto r = this->vector(n, 1), v = this->vector(n, 2);
    auto p = this->vector(n, 3);
    const auto hr = r.download(), hv = v.download(), hp = p.download();
    BicgstabScalars* s = workspace.emplace(BicgstabScalars{.rho = 3, .rho_old = 2, .alpha = 0.5, .omega = 0.25});

    update_p<T>(this->space(), s, r, v, p, this->state(later));

    this->expect_elements(p, [&](std::size_t i) {
      const Want inner = sum_of(hp[i], -0.25L * hv[i]);
      return Want{hr[i] + 3 * inner.value, std::abs(1.0L * hr[i]) + 3 * inner.magnitude};
    });
  }
}

TYPED_TEST(BicgstabSteps, UpdateSTakesAlphaOfV) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : step_sizes) {
    const auto v = this->vector(n, 1);
    auto r = this->vector(n, 2), kept = this->vector(n, 2);
    const auto hv = v.download(), hr = r.download();

    update_s<T>(this->space(), workspace.emplace(BicgstabScalars{.rho = 3, .s0v = 4}), v, r, this->state({}));
    update_s<T>(this->space(), workspace.emplace(BicgstabScalars{.rho = 3, .s0v = 0}), v, kept, this->state({}));

    this->expect_elements(r, [&](std::size_t i) { return sum_of(hr[i], -0.75L * hv[i]); });
    EXPECT_EQ(kept.download(), hr);
  }
}

TYPED_TEST(BicgstabSteps, DotsTsTtAreTwoDots) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : step_sizes) {
    const auto t = this->vector(n, 1), r = this->vector(n, 2);
    BicgstabScalars* s = workspace.emplace(BicgstabScalars{});

    dots_ts_tt<T>(this->space(), s, t, r, this->state({}));

    this->expect_dot(&s->ts, t.download(), r.download());
    this->expect_dot(&s->tt, t.download(), t.download());
  }
}

TYPED_TEST(BicgstabSteps, UpdateXRIsItsFormula) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : step_sizes) {
    const auto p = this->vector(n, 1), s_hat = this->vector(n, 2), t = this->vector(n, 3), s0 = this->vector(n, 4);
    auto x = this->vector(n, 5), r = this->vector(n, 6);
    const auto hp = p.download(), hs = s_hat.download(), ht = t.download(), hx = x.download(), hr = r.download();
    BicgstabScalars* s = workspace.emplace(BicgstabScalars{.rho = 3, .s0v = 4, .ts = 1, .tt = 8, .s0s0 = 1});

    update_x_r<T>(this->space(), s, p, s_hat, t, s0, x, r, this->state({}));

    this->expect_elements(x, [&](std::size_t i) {
      const Want inner = sum_of(0.75L * hp[i], 0.125L * hs[i]);
      return Want{hx[i] + inner.value, std::abs(1.0L * hx[i]) + inner.magnitude};
    });
    this->expect_elements(r, [&](std::size_t i) { return sum_of(hr[i], -0.125L * ht[i]); });
    this->expect_dot(&s->rr, r.download(), r.download());
    this->expect_dot(&s->rho, s0.download(), r.download());
    const auto after = read_scalar(this->space(), s);
    EXPECT_EQ(after.rho_old, 3);
    EXPECT_EQ(after.alpha, 0.75);
    EXPECT_EQ(after.omega, 0.125);
    EXPECT_EQ(this->state().iteration, 1);
    EXPECT_DOUBLE_EQ(this->state().norms[0], std::sqrt(after.rr));
  }
}

TYPED_TEST(BicgstabSteps, UpdateXRKeepsXFinite) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& scalars : {BicgstabScalars{.rho = 3, .s0v = nan, .ts = 1, .tt = 8, .s0s0 = 1},
                              BicgstabScalars{.rho = 3, .s0v = 4, .ts = 1, .tt = nan, .s0s0 = 1},
                              BicgstabScalars{.rho = nan, .s0v = 4, .ts = 1, .tt = 8, .s0s0 = 1}}) {
    const auto p = this->vector(33, 1), s_hat = this->vector(33, 2), t = this->vector(33, 3), s0 = this->vector(33, 4);
    auto x = this->vector(33, 5), r = this->vector(33, 6);
    const auto before = x.download();

    update_x_r<T>(this->space(), workspace.emplace(scalars), p, s_hat, t, s0, x, r, this->state({}));

    EXPECT_EQ(x.download(), before);
    EXPECT_EQ(this->state().state, ConvergenceState::not_a_number);
  }
}

TYPED_TEST(BicgstabSteps, FrozenBicgstabChangesNothing) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const int state : end_states) {
    const auto t = this->vector(33, 1), s0 = this->vector(33, 2);
    auto x = this->vector(33, 3), r = this->vector(33, 4), p = this->vector(33, 5);
    const auto hx = x.download(), hr = r.download(), hp = p.download();
    const BicgstabScalars before{.rho = 3, .rho_old = 2, .s0v = 4, .ts = 1, .tt = 8, .rr = 5, .s0s0 = 1};
    BicgstabScalars* s = workspace.emplace(before);
    ConvergenceState* frozen = this->state(stopped_by(state));

    update_p<T>(this->space(), s, r, t, p, frozen);
    update_s<T>(this->space(), s, t, r, frozen);
    dots_ts_tt<T>(this->space(), s, t, r, frozen);
    update_x_r<T>(this->space(), s, p, p, t, s0, x, r, frozen);

    EXPECT_EQ(x.download(), hx);
    EXPECT_EQ(r.download(), hr);
    EXPECT_EQ(p.download(), hp);
    const BicgstabScalars after = read_scalar(this->space(), s);
    EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0);
    EXPECT_EQ(this->state().iteration, 0);
  }
}

}  // namespace
}  // namespace ostinato::test

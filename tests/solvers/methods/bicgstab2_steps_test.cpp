// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/bicgstab2_steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/method_steps.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class Bicgstab2Steps : public MethodStepsTest<Case> {
 protected:
  /// beta = 0.5 * 3 / 2 = 0.75 and alpha = 3 / 4 first, beta = 0.75 * 2 / 3 = 0.5 and alpha = 2 / 8 second.
  static Bicgstab2Scalars scalars() {
    return {.rho_first = 3,
            .gamma_first = 4,
            .rho_second = 2,
            .gamma_second = 8,
            .alpha_old = 0.5,
            .rho_old = 2,
            .omega_1 = 0.5,
            .omega_2 = 0.25,
            .s0s0 = 1};
  }
};

TYPED_TEST_SUITE(Bicgstab2Steps, EverySpace, SpaceNames);

TYPED_TEST(Bicgstab2Steps, UpdateUBeginsWithR) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const auto r = this->vector(33, 1);
  auto u = this->put(std::vector<T>(33, std::numeric_limits<T>::quiet_NaN()));

  update_u<T>(this->space(), workspace.emplace(Bicgstab2Scalars{.rho_first = 2}), r, u.span(), this->state({}));

  EXPECT_EQ(u.download(), r.download());
}

TYPED_TEST(Bicgstab2Steps, TheBicgStepsAreTheirFormulas) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  Bicgstab2Scalars* scalars = workspace.emplace(this->scalars());
  for (const Index n : step_sizes) {
    const auto s = this->vector(n, 1), w = this->vector(n, 2);
    auto r = this->vector(n, 3), u = this->vector(n, 4), v = this->vector(n, 5), x = this->vector(n, 6);
    const auto hs = s.download(), hr = r.download(), hu = u.download(), hv = v.download(), hx = x.download(),
               hw = w.download();

    update_u<T>(this->space(), scalars, r, u.span(), this->state({}));
    this->expect_elements(u, [&](std::size_t i) { return sum_of(hr[i], -0.75L * hu[i]); });
    this->space().upload(u.data(), hu.data(), hu.size() * sizeof(T));

    update_v_u<T>(this->space(), scalars, s, r, v.span(), u.span(), this->state({}));
    this->expect_elements(v, [&](std::size_t i) { return sum_of(hs[i], -0.5L * hv[i]); });
    this->expect_elements(u, [&](std::size_t i) { return sum_of(hr[i], -0.5L * hu[i]); });

    update_r_x<T>(this->space(), scalars, s, w, r.span(), x.span(), this->state({}));
    this->expect_elements(r, [&](std::size_t i) { return sum_of(hr[i], -0.75L * hs[i]); });
    this->expect_elements(x, [&](std::size_t i) { return sum_of(hx[i], 0.75L * hw[i]); });
    this->space().upload(r.data(), hr.data(), hr.size() * sizeof(T));

    update_r_s<T>(this->space(), scalars, s, w, r.span(), x.span(), this->state({}));
    this->expect_elements(r, [&](std::size_t i) { return sum_of(hr[i], -0.25L * hs[i]); });
  }
}

TYPED_TEST(Bicgstab2Steps, OmegasMinimiseTheResidual) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  Bicgstab2Scalars* scalars = workspace.emplace(Bicgstab2Scalars{});
  for (const Index n : {31, 597, step_sizes[4]}) {
    const auto s = this->vector(n, 1), t = this->vector(n, 2), r = this->vector(n, 3);
    const auto hs = s.download(), ht = t.download(), hr = r.download();

    choose_omegas<T>(this->space(), scalars, r, s, t, this->state({}));

    const Bicgstab2Scalars now = read_scalar(this->space(), scalars);
    double along_s = 0, along_t = 0, size = 0;
    for (std::size_t i = 0; i < hr.size(); ++i) {
      const double rest = hr[i] - now.omega_1 * hs[i] - now.omega_2 * ht[i];
      along_s += rest * hs[i];
      along_t += rest * ht[i];
      size += static_cast<double>(hr[i]) * hr[i];
    }
    EXPECT_NEAR(along_s, 0, 1e-10 * size);
    EXPECT_NEAR(along_t, 0, 1e-10 * size);
  }
}

TYPED_TEST(Bicgstab2Steps, OmegaOfLinearlyDependentVectorsIsFinite) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  Bicgstab2Scalars* scalars = workspace.emplace(Bicgstab2Scalars{});
  const auto r = this->put(std::vector<T>{4, 2}), s = this->put(std::vector<T>{2, 0}),
             t = this->put(std::vector<T>{6, 0}), zero = this->put(std::vector<T>{0, 0});

  choose_omegas<T>(this->space(), scalars, r, s, t, this->state({}));
  EXPECT_EQ(read_scalar(this->space(), scalars).omega_2, 0);
  EXPECT_EQ(read_scalar(this->space(), scalars).omega_1, 2);
  choose_omegas<T>(this->space(), scalars, r, zero, zero, this->state({}));
  EXPECT_EQ(read_scalar(this->space(), scalars).omega_1, 0);
}

TYPED_TEST(Bicgstab2Steps, UpdateXRUIsItsFormulaAndRecords) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : step_sizes) {
    const auto s = this->vector(n, 1), t = this->vector(n, 2), v = this->vector(n, 3), w = this->vector(n, 4),
               s0 = this->vector(n, 5);
    auto x = this->vector(n, 6), r = this->vector(n, 7), u = this->vector(n, 8);
    const auto hs = s.download(), ht = t.download(), hv = v.download(), hw = w.download(), hx = x.download(),
               hr = r.download(), hu = u.download();
    Bicgstab2Scalars* scalars = workspace.emplace(this->scalars());
    ConvergenceState going;
    going.last = 100;

    update_x_r_u<T>(this->space(), scalars, s, t, v, w, s0, x.span(), r.span(), u.span(), this->state(going));

    const auto three = [](long double a, long double b, long double c) {
      return Want{a + b + c, std::abs(a) + std::abs(b) + std::abs(c)};
    };
    this->expect_elements(u, [&](std::size_t i) { return three(hu[i], -0.5L * hv[i], -0.25L * hw[i]); });
    this->expect_elements(r, [&](std::size_t i) { return three(hr[i], -0.5L * hs[i], -0.25L * ht[i]); });
    this->expect_elements(x, [&](std::size_t i) {
      const Want more = three(0.5L * hr[i], 0.25L * hs[i], 0.25L * hu[i]);
      return Want{hx[i] + more.value, std::abs(1.0L * hx[i]) + more.magnitude};
    });
    this->expect_dot(&scalars->rho_first, s0.download(), r.download());
    EXPECT_EQ(read_scalar(this->space(), scalars).rho_old, -0.5);
    EXPECT_EQ(this->state().iteration, 1);
  }
}

TYPED_TEST(Bicgstab2Steps, StoppedRecurrenceChangesNothing) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const auto s = this->vector(33, 1);
  for (const int end : end_states) {
    auto x = this->vector(33, 6), r = this->vector(33, 7), u = this->vector(33, 8), v = this->vector(33, 9);
    const auto hx = x.download(), hr = r.download(), hu = u.download(), hv = v.download();
    Bicgstab2Scalars* scalars = workspace.emplace(this->scalars());
    ConvergenceState* state = this->state(stopped_by(end));

    update_u<T>(this->space(), scalars, s, u.span(), state);
    update_r_x<T>(this->space(), scalars, s, s, r.span(), x.span(), state);
    update_v_u<T>(this->space(), scalars, s, s, v.span(), u.span(), state);
    update_r_s<T>(this->space(), scalars, s, s, r.span(), v.span(), state);
    choose_omegas<T>(this->space(), scalars, r, s, s, state);
    update_x_r_u<T>(this->space(), scalars, s, s, s, s, s, x.span(), r.span(), u.span(), state);

    EXPECT_EQ(x.download(), hx);
    EXPECT_EQ(r.download(), hr);
    EXPECT_EQ(u.download(), hu);
    EXPECT_EQ(v.download(), hv);
    EXPECT_EQ(this->state().state, end);
    EXPECT_EQ(this->state().iteration, 0);
  }
}

}  // namespace
}  // namespace ostinato::test

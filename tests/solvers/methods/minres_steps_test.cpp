// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/minres_steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "support/method_steps.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class MinresSteps : public MethodStepsTest<Case> {};

TYPED_TEST_SUITE(MinresSteps, EverySpace, SpaceNames);

/// From these scalars a step computes delta = 8 / 4 = 2, gamma' = 4, pivot = 0.8 * 2 - 0.5 * 0.6 * 2 = 1 and
/// length = sqrt(17).
constexpr MinresScalars usual{.zq = 8,
                              .vz = 16,
                              .gamma = 2,
                              .gamma_old = 4,
                              .eta = 3,
                              .c = 0.8,
                              .c_old = 0.5,
                              .s = 0.6,
                              .s_old = 0.25,
                              .a_norm = 1};

TYPED_TEST(MinresSteps, UpdateVIsItsFormula) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : step_sizes) {
    const auto q = this->vector(n, 1), v = this->vector(n, 2);
    auto v_old = this->vector(n, 3);
    const auto hq = q.download(), hv = v.download(), before = v_old.download();

    update_v<T>(this->space(), workspace.emplace(usual), q, v, v_old, this->state({}));

    this->expect_elements(v_old, [&](std::size_t i) {
      const long double of_q = 0.5L * hq[i], of_v = 1.0L * hv[i], of_v_old = 0.5L * before[i];
      return Want{of_q - of_v - of_v_old, std::abs(of_q) + std::abs(of_v) + std::abs(of_v_old)};
    });
  }
}

TYPED_TEST(MinresSteps, UpdateXIsItsFormula) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const long double length = std::sqrt(17.0L), c = 1 / length, s = 4 / length;
  for (const Index n : step_sizes) {
    const auto z = this->vector(n, 1), v = this->vector(n, 2), w = this->vector(n, 3);
    auto w_old = this->vector(n, 4), x = this->vector(n, 5), r = this->vector(n, 6);
    const auto hz = z.download(), hv = v.download(), hw = w.download(), before = w_old.download(), hx = x.download(),
               hr = r.download();
    MinresScalars* scalars = workspace.emplace(usual);

    update_x<T>(this->space(), scalars, z, v, w_old, w, x, r, this->state({}));

    const auto direction = [&](std::size_t i) {
      const long double of_z = hz[i] / (2 * length), of_w = (0.6L * 2 + 0.5L * 0.8L * 2) / length * hw[i],
                        of_w_old = 0.25L * 2 / length * before[i];
      return Want{of_z - of_w - of_w_old, std::abs(of_z) + std::abs(of_w) + std::abs(of_w_old)};
    };
    this->expect_elements(w_old, direction);
    this->expect_elements(x, [&](std::size_t i) {
      const Want d = direction(i);
      return Want{hx[i] + c * 3 * d.value, std::abs(1.0L * hx[i]) + c * 3 * d.magnitude};
    });
    this->expect_elements(r, [&](std::size_t i) { return sum_of(s * s * hr[i], c * -s * 3 / 4 * hv[i]); });
    const ConvergenceState state = this->state();
    EXPECT_EQ(state.iteration, 1);
    EXPECT_EQ(state.state, ConvergenceState::going);
    long double squares = 0;
    for (const T value : r.download()) squares += static_cast<long double>(value) * value;
    EXPECT_NEAR(state.norms[0], static_cast<double>(std::sqrt(squares)), 1e-12 * state.norms[0]);
    const MinresScalars after = read_scalar(this->space(), scalars);
    EXPECT_EQ(after.gamma, 4);
    EXPECT_EQ(after.gamma_old, 2);
    EXPECT_NEAR(after.c, static_cast<double>(c), 1e-15);
    EXPECT_EQ(after.c_old, 0.8);
    EXPECT_NEAR(after.s, static_cast<double>(s), 1e-15);
    EXPECT_EQ(after.s_old, 0.6);
    EXPECT_NEAR(after.eta, static_cast<double>(-s * 3), 1e-15);
    EXPECT_EQ(after.a_norm, 4);
  }
}

TYPED_TEST(MinresSteps, UpdateXTakesNoMoreOfAVectorThatHasVanished) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const auto z = this->vector(33, 1), zero = this->put(std::vector<T>(33)), w = this->vector(33, 3);
  auto w_old = this->vector(33, 4), x = this->vector(33, 5), r = this->vector(33, 6);
  MinresScalars complete = usual;
  complete.vz = 0;

  update_x<T>(this->space(), workspace.emplace(complete), z, zero, w_old, w, x, r, this->state({}));

  EXPECT_EQ(this->state().state, ConvergenceState::reached_goal) << "the residual is 0";
  EXPECT_EQ(r.download(), std::vector<T>(33));
  EXPECT_TRUE(all_finite(x.download()));
}

TYPED_TEST(MinresSteps, UpdateXStopsAtTheGoalAndPastTheLimit) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  ConvergenceState near, far;
  near.goal = 1e3;
  far.limit = 1e-3;
  for (const auto& [start, end] : {std::pair{near, ConvergenceState::reached_goal}, {far, ConvergenceState::grew}}) {
    const auto z = this->vector(33, 1), v = this->vector(33, 2), w = this->vector(33, 3);
    auto w_old = this->vector(33, 4), x = this->vector(33, 5), r = this->vector(33, 6);

    update_x<T>(this->space(), workspace.emplace(usual), z, v, w_old, w, x, r, this->state(start));

    EXPECT_EQ(this->state().state, end);
    EXPECT_EQ(this->state().iteration, 1);
  }
}

/// The scalars `usual`, modified by `change`.
template <class F>
MinresScalars with(F change) {
  MinresScalars s = usual;
  change(s);
  return s;
}

TYPED_TEST(MinresSteps, UpdateXBreaksDownWhereItCannotGoOn) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const double nan = std::numeric_limits<double>::quiet_NaN(), tiny = std::numeric_limits<T>::epsilon();
  struct {
    const char* why;
    MinresScalars scalars;
    int state;
  } const cases[] = {
      {"M isn't definite", with([](auto& s) { s.vz = -16; }), ConvergenceState::broke_down},
      {"A r is 0", with([](auto& s) { s.zq = s.vz = s.s = s.c_old = 0; }), ConvergenceState::broke_down},
      {"A r is rounding", with([&](auto& s) { s.zq = s.s = 0, s.vz = 100 * tiny * tiny, s.a_norm = 20; }),
       ConvergenceState::broke_down},
      {"v . z isn't a number", with([&](auto& s) { s.vz = nan; }), ConvergenceState::not_a_number},
      {"v . z is infinite", with([](auto& s) { s.vz = HUGE_VAL; }), ConvergenceState::not_a_number},
      {"z . q isn't a number", with([&](auto& s) { s.zq = nan; }), ConvergenceState::not_a_number},
      {"z . q is infinite", with([](auto& s) { s.zq = -HUGE_VAL; }), ConvergenceState::not_a_number}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const auto z = this->vector(33, 1), v = this->vector(33, 2), w = this->vector(33, 3);
    auto w_old = this->vector(33, 4), x = this->vector(33, 5), r = this->vector(33, 6);
    const auto hw = w_old.download(), hx = x.download(), hr = r.download();

    update_x<T>(this->space(), workspace.emplace(c.scalars), z, v, w_old, w, x, r, this->state({}));

    EXPECT_EQ(this->state().state, c.state);
    EXPECT_EQ(this->state().iteration, 0);
    EXPECT_EQ(x.download(), hx);
    EXPECT_EQ(r.download(), hr);
    EXPECT_EQ(w_old.download(), hw);
  }
}

TYPED_TEST(MinresSteps, UpdateXEndsAfterAStepThatRoundingUndoes) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const double huge = 1 / static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const double length : {1.0, huge}) {
    const auto z = this->vector(33, 1), v = this->vector(33, 2);
    auto w = this->vector(33, 3), w_old = this->vector(33, 4), x = this->vector(33, 5), r = this->vector(33, 6);
    scale<T>(this->space(), static_cast<T>(length), w, w);

    update_x<T>(this->space(), workspace.emplace(usual), z, v, w_old, w, x, r, this->state({}));

    EXPECT_EQ(this->state().state, length == 1 ? ConvergenceState::going : ConvergenceState::broke_down);
    EXPECT_EQ(this->state().iteration, 1);
    EXPECT_TRUE(all_finite(x.download()));
  }
}

TYPED_TEST(MinresSteps, UpdateXKeepsXFinite) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const T nan = std::numeric_limits<T>::quiet_NaN(), most = std::numeric_limits<T>::max();
  for (const T bad : {nan, most}) {
    auto element = random_vector<T>(33, 3);
    element[16] = bad;
    const auto z = this->put(element), v = this->vector(33, 2), w = this->vector(33, 3);
    auto w_old = this->vector(33, 4), x = this->put(std::vector<T>(33, most)), r = this->vector(33, 6);

    update_x<T>(this->space(), workspace.emplace(usual), z, v, w_old, w, x, r, this->state({}));

    EXPECT_EQ(this->state().state, ConvergenceState::not_a_number);
    EXPECT_TRUE(all_finite(x.download()));
    EXPECT_EQ(x.download()[16], most);
  }
}

TYPED_TEST(MinresSteps, FrozenMinresChangesNothing) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const int state : end_states) {
    const auto q = this->vector(33, 1), v = this->vector(33, 2), w = this->vector(33, 3);
    auto v_old = this->vector(33, 4), w_old = this->vector(33, 5), x = this->vector(33, 6), r = this->vector(33, 7);
    const auto hv = v_old.download(), hw = w_old.download(), hx = x.download(), hr = r.download();
    MinresScalars* s = workspace.emplace(usual);
    ConvergenceState* frozen = this->state(stopped_by(state));

    update_v<T>(this->space(), s, q, v, v_old, frozen);
    update_x<T>(this->space(), s, q, v, w_old, w, x, r, frozen);

    EXPECT_EQ(v_old.download(), hv);
    EXPECT_EQ(w_old.download(), hw);
    EXPECT_EQ(x.download(), hx);
    EXPECT_EQ(r.download(), hr);
    const MinresScalars after = read_scalar(this->space(), s);
    EXPECT_EQ(std::memcmp(&usual, &after, sizeof after), 0);
    EXPECT_EQ(this->state().iteration, 0);
    EXPECT_EQ(this->state().state, state);
  }
}

}  // namespace
}  // namespace ostinato::test

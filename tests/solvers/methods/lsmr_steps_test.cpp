// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/lsmr_steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/method_steps.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class LsmrSteps : public MethodStepsTest<Case> {};

TYPED_TEST_SUITE(LsmrSteps, EverySpace, SpaceNames);

LsmrScalars lengths(double alpha, double beta, double beta_new) {
  LsmrScalars s;
  s.alpha = s.alpha_bar = alpha;
  s.beta = s.beta_ddot = beta;
  s.beta_new = beta_new;
  s.zeta_bar = alpha * beta;
  return s;
}

TEST(LsmrScalars, EstimateOfTheResidualIsThatOfTheSmallProblem) {
  // After one step x = y v with the y that minimises |B^T (beta e1 - B y)| for B = (alpha, beta_new)^T; with alpha_new
  // = 0 that is the least squares solution y = alpha beta / (alpha^2 + beta_new^2).
  LsmrScalars s = lengths(3, 2, 4);

  const double rr = s.next(0);

  const double y = 3.0 * 2 / 25;
  EXPECT_NEAR(rr, (2 - 3 * y) * (2 - 3 * y) + 16 * y * y, 1e-14);
  EXPECT_NEAR(s.of_x, y, 1e-14);
  EXPECT_EQ(s.zeta_bar, 0);
}

TYPED_TEST(LsmrSteps, UpdatesOfUAndVAreTheirFormulas) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : step_sizes) {
    const auto p = this->vector(n, 1);
    auto u = this->vector(n, 2), v = this->vector(n, 3);
    const auto hp = p.download(), hu = u.download(), hv = v.download();
    ConvergenceState going;
    going.last = 100;

    LsmrScalars* first = workspace.emplace(lengths(2, 4, 0));
    update_u<T>(this->space(), first, p, u.span(), this->state(going));
    LsmrScalars* second = workspace.emplace(lengths(4, 4, 2));
    update_v<T>(this->space(), second, p, v.span(), this->state(going));

    this->expect_elements(u, [&](std::size_t i) { return sum_of(0.5L * hp[i], -0.5L * hu[i]); });
    this->expect_elements(v, [&](std::size_t i) { return sum_of(0.5L * hp[i], -0.5L * hv[i]); });
    const auto size_of = [](const std::vector<T>& x) {
      long double squares = 0;
      for (const T value : x) squares += static_cast<long double>(value) * value;
      return static_cast<double>(std::sqrt(squares));
    };
    const double u_size = size_of(u.download()), v_size = size_of(v.download());
    EXPECT_NEAR(read_scalar(this->space(), first).beta_new, u_size, 1e-12 * u_size);
    EXPECT_NEAR(read_scalar(this->space(), first).norm, std::hypot(2, u_size), 1e-12 * u_size);
    EXPECT_NEAR(read_scalar(this->space(), second).alpha, v_size, 1e-12 * v_size);
    EXPECT_EQ(this->state().iteration, 1);
    EXPECT_EQ(this->state().x_is_behind, 1);
  }
}

/// u = factor (M u), in the place of a preconditioner.
template <class Space, class T>
struct Factor {
  const Space& space;
  double factor;

  void apply(std::span<const T> times_m, std::span<T> u) const { scale<T>(space, static_cast<T>(factor), times_m, u); }
};

TYPED_TEST(LsmrSteps, UpdatesWithAPreconditionerTakeItsLength) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  Workspace<Space> workspace(this->space());
  ConvergenceState going;
  going.last = 100;
  for (const Index n : step_sizes) {
    const auto p = this->vector(n, 1);
    auto m_u = this->vector(n, 2), m_v = this->vector(n, 3), u = this->vector(n, 4), v = this->vector(n, 5);
    const auto hp = p.download(), hu = m_u.download(), hv = m_v.download();
    const Factor<Space, T> m{this->space(), 4};

    LsmrScalars* first = workspace.emplace(lengths(2, 4, 0));
    update_u<T>(this->space(), first, p, m_u.span(), u.span(), m, this->state(going));
    LsmrScalars* second = workspace.emplace(lengths(4, 4, 2));
    update_v<T>(this->space(), second, p, m_v.span(), v.span(), m, this->state(going));

    this->expect_elements(m_u, [&](std::size_t i) { return sum_of(0.5L * hp[i], -0.5L * hu[i]); });
    this->expect_elements(m_v, [&](std::size_t i) { return sum_of(0.5L * hp[i], -0.5L * hv[i]); });
    const auto length_of = [](const std::vector<T>& x) {
      long double squares = 0;
      for (const T value : x) squares += 4 * static_cast<long double>(value) * value;
      return static_cast<double>(std::sqrt(squares));
    };
    const double u_size = length_of(m_u.download()), v_size = length_of(m_v.download());
    EXPECT_NEAR(read_scalar(this->space(), first).beta_new, u_size, 1e-12 * u_size);
    EXPECT_NEAR(read_scalar(this->space(), second).alpha, v_size, 1e-12 * v_size);
    EXPECT_EQ(this->state().iteration, 1);
    EXPECT_EQ(this->state().x_is_behind, 1);
  }
}

TYPED_TEST(LsmrSteps, NegativeLengthEndsTheRecurrence) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  Workspace<Space> workspace(this->space());
  const auto p = this->vector(33, 1);
  auto m_v = this->vector(33, 2), v = this->vector(33, 3);

  update_v<T>(this->space(), workspace.emplace(lengths(4, 4, 2)), p, m_v.span(), v.span(),
              Factor<Space, T>{this->space(), -1}, this->state({}));

  EXPECT_EQ(this->state().state, ConvergenceState::broke_down);
  EXPECT_EQ(this->state().cause, LsmrScalars::indefinite);
  EXPECT_EQ(this->state().x_is_behind, 0);
}

TYPED_TEST(LsmrSteps, UpdateXHIsItsFormulaWhereXIsBehind) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  LsmrScalars s;
  s.alpha = 2;
  s.of_h_bar = 0.5;
  s.of_x = 0.25;
  s.of_h = 4;
  LsmrScalars* scalars = workspace.emplace(s);
  for (const int behind : {0, 1}) {
    const auto v = this->vector(597, 1);
    auto x = this->vector(597, 2), h = this->vector(597, 3), h_bar = this->vector(597, 4);
    const auto hv = v.download(), hx = x.download(), hh = h.download(), hb = h_bar.download();
    ConvergenceState state;
    state.x_is_behind = behind;

    update_x_h<T>(this->space(), scalars, v, x.span(), h.span(), h_bar.span(), this->state(state));

    if (behind == 0) {
      EXPECT_EQ(x.download(), hx);
      continue;
    }
    this->expect_elements(h_bar, [&](std::size_t i) { return sum_of(hh[i], -0.5L * hb[i]); });
    this->expect_elements(h, [&](std::size_t i) { return sum_of(0.5L * hv[i], -4.0L * hh[i]); });
    this->expect_elements(x, [&](std::size_t i) {
      const Want step = sum_of(0.25L * hh[i], -0.125L * hb[i]);
      return Want{hx[i] + step.value, std::abs(1.0L * hx[i]) + step.magnitude};
    });
  }
}

TYPED_TEST(LsmrSteps, ValueThatIsNotFiniteEndsTheRecurrence) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const auto nan = this->put(std::vector<T>(33, std::numeric_limits<T>::quiet_NaN()));
  auto v = this->vector(33, 3);

  update_v<T>(this->space(), workspace.emplace(lengths(4, 4, 2)), nan, v.span(), this->state({}));

  EXPECT_EQ(this->state().state, ConvergenceState::not_a_number);
  EXPECT_EQ(this->state().x_is_behind, 0);
}

TYPED_TEST(LsmrSteps, StoppedRecurrenceChangesNothing) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const auto p = this->vector(33, 1);
  for (const int end : end_states) {
    auto u = this->vector(33, 2), v = this->vector(33, 3);
    const auto hu = u.download(), hv = v.download();
    ConvergenceState stopped = stopped_by(end);
    stopped.x_is_behind = 1;
    ConvergenceState* state = this->state(stopped);
    LsmrScalars* s = workspace.emplace(lengths(4, 4, 2));

    update_u<T>(this->space(), s, p, u.span(), state);
    update_v<T>(this->space(), s, p, v.span(), state);

    EXPECT_EQ(u.download(), hu);
    EXPECT_EQ(v.download(), hv);
    EXPECT_EQ(this->state().x_is_behind, 0) << "so that x isn't updated again";
    EXPECT_EQ(this->state().iteration, 0);
  }
}

}  // namespace
}  // namespace ostinato::test

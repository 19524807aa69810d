// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/cg_steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/method_steps.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class CgSteps : public MethodStepsTest<Case> {};

TYPED_TEST_SUITE(CgSteps, EverySpace, SpaceNames);

TYPED_TEST(CgSteps, UpdateRRecordsTheNewResidual) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    const auto q = this->vector(n, 1);
    auto r = this->vector(n, 2);
    const auto hq = q.download(), hr = r.download();
    double* rr = this->slot(2);
    ConvergenceState* p = this->state({});

    update_r<T>(this->space(), this->slot(0, 3), this->slot(1, 4), q, r, rr, p);

    this->expect_elements(r, [&](std::size_t i) { return sum_of(hr[i], -0.75L * hq[i]); });
    this->expect_dot(rr, r.download(), r.download());
    EXPECT_EQ(this->state().iteration, 1);
    EXPECT_EQ(this->state().state, ConvergenceState::going);
    EXPECT_EQ(this->state().x_is_behind, 1);
    EXPECT_DOUBLE_EQ(this->state().norms[0], std::sqrt(this->at(rr)));
  }
}

TYPED_TEST(CgSteps, UpdateRAndRzSumsWithADiagonalM) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    const auto q = this->vector(n, 1), inverse = this->vector(n, 3);
    auto r = this->vector(n, 2);
    const auto hq = q.download(), hr = r.download(), hi = inverse.download();
    double* sums = this->slot(2);
    ConvergenceState* p = this->state({});

    update_r_and_rz<T>(this->space(), this->slot(0, 3), this->slot(1, 4), q, inverse.data(), r, sums, p);

    const auto after = r.download();
    std::vector<T> z(after.size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = hi[i] * after[i];
    this->expect_elements(r, [&](std::size_t i) { return sum_of(hr[i], -0.75L * hq[i]); });
    this->expect_dot(sums, after, after);
    this->expect_dot(sums + 1, after, z);
    EXPECT_DOUBLE_EQ(this->state().norms[0], std::sqrt(this->at(sums)));

    double* square = this->slot(4);
    scaled_square<T>(this->space(), inverse.data(), r, square);
    this->expect_dot(square, after, z);
  }
}

TYPED_TEST(CgSteps, UpdateRStopsAtTheGoalAndPastTheLimit) {
  using T = typename TypeParam::T;
  const auto q = this->put(std::vector<T>{0, 0});
  auto r = this->put(std::vector<T>{3, 4});
  ConvergenceState near, far;
  near.goal = 5;
  far.limit = 4.9;

  update_r<T>(this->space(), this->slot(0, 1), this->slot(1, 1), q, r, this->slot(2), this->state(near));
  const ConvergenceState reached = this->state();
  update_r<T>(this->space(), this->slot(0, 1), this->slot(1, 1), q, r, this->slot(2), this->state(far));
  const ConvergenceState grown = this->state();

  EXPECT_EQ(reached.state, ConvergenceState::reached_goal);
  EXPECT_EQ(reached.x_is_behind, 1);
  EXPECT_EQ(grown.state, ConvergenceState::grew);
  EXPECT_EQ(grown.iteration, 1);
}

TYPED_TEST(CgSteps, UpdateRBreaksDownWithoutPositiveCurvature) {
  using T = typename TypeParam::T;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct {
    double rz, pq;
    int state;
  } const cases[] = {{1, 0, ConvergenceState::broke_down},     {1, -2, ConvergenceState::broke_down},
                     {0, 1, ConvergenceState::broke_down},     {-1, 1, ConvergenceState::broke_down},
                     {1, nan, ConvergenceState::not_a_number}, {nan, 1, ConvergenceState::not_a_number},
                     {1, HUGE_VAL, ConvergenceState::going}};
  for (const auto& c : cases) {
    const auto q = this->vector(33, 1);
    auto r = this->vector(33, 2);
    const auto before = r.download();

    update_r<T>(this->space(), this->slot(0, c.rz), this->slot(1, c.pq), q, r, this->slot(2), this->state({}));

    EXPECT_EQ(this->state().state, c.state) << c.rz << " " << c.pq;
    EXPECT_EQ(this->state().iteration, c.state == ConvergenceState::going);
    EXPECT_EQ(this->state().x_is_behind, c.state == ConvergenceState::going);
    EXPECT_EQ(r.download(), before);
  }
}

TYPED_TEST(CgSteps, UpdateXPFollowsUpdateR) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    const auto z = this->vector(n, 1);
    auto x = this->vector(n, 2), p = this->vector(n, 3);
    const auto hz = z.download(), hx = x.download(), hp = p.download();
    ConvergenceState x_is_behind;
    x_is_behind.x_is_behind = 1;

    update_x_p<T>(this->space(), this->slot(0, 3), this->slot(1, 4), this->slot(2, 6), nullptr, z, x, p,
                  this->state(x_is_behind));

    this->expect_elements(x, [&](std::size_t i) { return sum_of(hx[i], 0.75L * hp[i]); });
    this->expect_elements(p, [&](std::size_t i) { return sum_of(hz[i], 2.0L * hp[i]); });
  }
}

TYPED_TEST(CgSteps, UpdateXPBeginsWithZ) {
  using T = typename TypeParam::T;
  const auto z = this->vector(597, 1);
  auto x = this->vector(597, 2), p = this->put(std::vector<T>(597, std::numeric_limits<T>::quiet_NaN()));
  const auto hx = x.download();

  update_x_p<T>(this->space(), this->slot(0, 0), this->slot(1, 0), this->slot(2, 6), nullptr, z, x, p, this->state({}));

  EXPECT_EQ(p.download(), z.download());
  EXPECT_EQ(x.download(), hx);
}

TYPED_TEST(CgSteps, UpdateXDoesWhatIsLeft) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    for (const int behind : {0, 1}) {
      const auto p = this->vector(n, 1);
      auto x = this->vector(n, 2);
      const auto hp = p.download(), hx = x.download();
      ConvergenceState stopped = stopped_by(ConvergenceState::reached_goal);
      stopped.x_is_behind = behind;

      update_x<T>(this->space(), this->slot(0, 3), this->slot(1, 4), p, x, this->state(stopped));

      this->expect_elements(x, [&](std::size_t i) { return sum_of(hx[i], behind * 0.75L * hp[i]); });
    }
  }
}

TYPED_TEST(CgSteps, UpdateXPTakesTheBetaOfAPreconditionerThatVaries) {
  using T = typename TypeParam::T;
  const auto z = this->vector(597, 1);
  auto x = this->vector(597, 2), p = this->vector(597, 3);
  const auto hz = z.download(), hp = p.download();
  ConvergenceState x_is_behind;
  x_is_behind.x_is_behind = 1;

  update_x_p<T>(this->space(), this->slot(0, 3), this->slot(1, 4), this->slot(2, 6), this->slot(3, -10), z, x, p,
                this->state(x_is_behind));

  this->expect_elements(p, [&](std::size_t i) { return sum_of(hz[i], 2.5L * hp[i]); });
}

TYPED_TEST(CgSteps, FrozenCgChangesNothing) {
  using T = typename TypeParam::T;
  for (const int state : end_states) {
    const auto q = this->vector(33, 1);
    auto r = this->vector(33, 2), x = this->vector(33, 3), p = this->vector(33, 4);
    const auto hr = r.download(), hx = x.download(), hp = p.download();
    ConvergenceState stopped = stopped_by(state);
    stopped.x_is_behind = 1;
    ConvergenceState* frozen = this->state(stopped);

    update_r<T>(this->space(), this->slot(0, 1), this->slot(1, 2), q, r, this->slot(2), frozen);
    const int x_is_behind = this->state().x_is_behind;
    update_x_p<T>(this->space(), this->slot(0, 1), this->slot(1, 2), this->slot(2, 3), nullptr, r, x, p, frozen);

    EXPECT_EQ(x_is_behind, 0);
    EXPECT_EQ(r.download(), hr);
    EXPECT_EQ(x.download(), hx);
    EXPECT_EQ(p.download(), hp);
    EXPECT_EQ(this->state().iteration, 0);
    EXPECT_EQ(this->state().state, state);
  }
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/idr_steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/method_steps.hpp"

namespace ostinato::test {
namespace {

constexpr int dims = 3;

template <class Case>
class IdrSteps : public MethodStepsTest<Case> {
 protected:
  using Number = typename Case::T;

  /// A dims x n matrix by columns.
  auto columns(Index n, int seed) const { return this->vector(dims * n, static_cast<std::uint64_t>(seed)); }

  static std::vector<Number> column(const std::vector<Number>& all, int k) {
    const auto n = static_cast<std::ptrdiff_t>(all.size() / dims);
    return {all.begin() + k * n, all.begin() + (k + 1) * n};
  }
  static double dot_of(const std::vector<Number>& a, const std::vector<Number>& b) {
    long double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) total += static_cast<long double>(a[i]) * b[i];
    return static_cast<double>(total);
  }
  static IdrScalars lower_triangle() {
    IdrScalars scalars{.beta = 0.5, .omega = 0.25, .rr = 2};
    for (int i = 0; i < dims; ++i) {
      for (int j = 0; j <= i; ++j) scalars.m[i][j] = i == j ? 2 + i : 0.5 * (i + j);
      scalars.f[i] = 1 + i;
      scalars.c[i] = 0.5 + i;
      scalars.alpha[i] = 0.25 * (i + 1);
    }
    return scalars;
  }
};

TYPED_TEST_SUITE(IdrSteps, EverySpace, SpaceNames);

TEST(IdrScalars, SolvesFromTheFirstColumnOn) {
  IdrScalars scalars;
  scalars.m[1][1] = 2;
  scalars.m[2][1] = 3;
  scalars.m[2][2] = 4;
  scalars.f[1] = 6;
  scalars.f[2] = 1;

  scalars.solve(1, 3);

  EXPECT_EQ(scalars.c[1], 3);
  EXPECT_EQ(scalars.c[2], -2);
}

TYPED_TEST(IdrSteps, RandomNumbersDependOnTheSeedAlone) {
  using T = typename TypeParam::T;
  auto one = this->vector(597, 1), two = this->vector(597, 2), other = this->vector(597, 3);

  fill_randomly<T>(this->space(), 7, one.span());
  fill_randomly<T>(this->space(), 7, two.span());
  fill_randomly<T>(this->space(), 8, other.span());

  const auto values = one.download();
  EXPECT_EQ(values, two.download());
  EXPECT_NE(values, other.download());
  for (const T v : values) EXPECT_LE(std::abs(v), 1);
}

TYPED_TEST(IdrSteps, UpdateVTakesTheColumnsFromKOn) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : step_sizes) {
    const auto g = this->columns(n, 1), r = this->vector(n, 2);
    auto v = this->vector(n, 3);
    const auto g1 = this->column(g.download(), 1), g2 = this->column(g.download(), 2), hr = r.download();

    update_v<T>(this->space(), workspace.emplace(this->lower_triangle()), 1, dims, g, r, v.span());

    this->expect_elements(v, [&](std::size_t i) {
      const Want later = sum_of(-1.5L * g1[i], -2.5L * g2[i]);
      return Want{hr[i] + later.value, std::abs(1.0L * hr[i]) + later.magnitude};
    });
  }
}

TYPED_TEST(IdrSteps, UpdateUTakesZAndTheColumnsFromKOn) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : step_sizes) {
    const auto z = this->vector(n, 2);
    auto u = this->columns(n, 1);
    const auto hu = u.download(), hz = z.download();

    update_u<T>(this->space(), workspace.emplace(this->lower_triangle()), 1, dims, z, u.span());

    const auto now = u.download();
    EXPECT_EQ(this->column(now, 0), this->column(hu, 0));
    EXPECT_EQ(this->column(now, 2), this->column(hu, 2));
    const auto u1 = this->column(hu, 1), u2 = this->column(hu, 2), got = this->column(now, 1);
    for (std::size_t i = 0; i < hz.size(); ++i) EXPECT_NEAR(got[i], 0.25 * hz[i] + 1.5 * u1[i] + 2.5 * u2[i], 1e-5);
  }
}

// One pass of products gives what the columns one after the other would give.
TYPED_TEST(IdrSteps, ProjectMakesTheColumnOrthogonalToTheShadowVectorsBefore) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const Index n = 597;
  constexpr int k = 2;
  const auto p = this->columns(n, 1);
  auto g = this->columns(n, 2), u = this->columns(n, 3);
  auto x = this->vector(n, 4), r = this->vector(n, 5);
  const auto hp = p.download(), hg = g.download(), hr = r.download(), hx = x.download();
  IdrScalars start;
  // g(1) isn't orthogonal to p(0) here, so that m gets what the step assumes: 0 above its diagonal.
  for (int j = 0; j < k; ++j) {
    for (int i = j; i < dims; ++i) start.m[i][j] = this->dot_of(this->column(hp, i), this->column(hg, j));
  }
  start.f[k] = 3;
  IdrScalars* scalars = workspace.emplace(start);
  ConvergenceState going;
  going.last = 100;
  ConvergenceState* state = this->state(going);

  project_g<T>(this->space(), scalars, k, dims, p, g, state);
  update_x_r<T>(this->space(), scalars, k, dims, g.span(), u.span(), x.span(), r.span(), state);

  const IdrScalars now = read_scalar(this->space(), scalars);
  const auto last = this->column(g.download(), k), direction = this->column(u.download(), k);
  const double h0 = this->dot_of(this->column(hp, 0), this->column(hg, k));
  EXPECT_NEAR(now.alpha[0], h0 / start.m[0][0], 1e-5 * std::abs(h0 / start.m[0][0]));
  EXPECT_NEAR(
      this->dot_of(this->column(hp, 0), last) + now.alpha[1] * this->dot_of(this->column(hp, 0), this->column(hg, 1)),
      0, 1e-3);
  EXPECT_NEAR(now.beta, 3 / now.m[k][k], 1e-9 * std::abs(now.beta));
  double rr = 0;
  const auto r_now = r.download(), x_now = x.download();
  for (std::size_t i = 0; i < last.size(); ++i) {
    const double size = 1 + std::abs(now.beta) * (1 + std::abs(last[i]) + std::abs(direction[i]));
    EXPECT_NEAR(r_now[i], hr[i] - now.beta * last[i], 1e-5 * size);
    EXPECT_NEAR(x_now[i], hx[i] + now.beta * direction[i], 1e-5 * size);
    rr += static_cast<double>(r_now[i]) * r_now[i];
  }
  EXPECT_EQ(this->state().iteration, 1);
  EXPECT_NEAR(this->state().norms[0], std::sqrt(rr), 1e-9 * std::sqrt(rr));
}

TYPED_TEST(IdrSteps, ProjectReportsAColumnThatIsZeroOrNotFinite) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const auto p = this->columns(33, 1);
  const auto zero = this->put(std::vector<T>(99, T{0})),
             nan = this->put(std::vector<T>(99, std::numeric_limits<T>::quiet_NaN()));

  ConvergenceState* state = this->state({});
  project_g<T>(this->space(), workspace.emplace(this->lower_triangle()), 0, dims, p, zero, state);
  EXPECT_EQ(this->state().state, ConvergenceState::broke_down);
  state = this->state({});
  project_g<T>(this->space(), workspace.emplace(this->lower_triangle()), 0, dims, p, nan, state);
  EXPECT_EQ(this->state().state, ConvergenceState::not_a_number);
}

TYPED_TEST(IdrSteps, OmegaMinimisesUnlessTAndRAreNearlyOrthogonal) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  IdrScalars* scalars = workspace.emplace(IdrScalars{.rr = 4});
  const auto r = this->put(std::vector<T>{2, 0}), along = this->put(std::vector<T>{4, 0}),
             across = this->put(std::vector<T>{0, 5}), none = this->put(std::vector<T>{0, 0});

  choose_omega<T>(this->space(), scalars, along, r, this->state({}));
  EXPECT_EQ(read_scalar(this->space(), scalars).omega, 0.5);
  choose_omega<T>(this->space(), scalars, across, r, this->state({}));
  EXPECT_NEAR(read_scalar(this->space(), scalars).omega, 0.7 * 2 / 5, 1e-12);
  choose_omega<T>(this->space(), scalars, none, r, this->state({}));
  EXPECT_EQ(this->state().state, ConvergenceState::broke_down);
}

TYPED_TEST(IdrSteps, StoppedRecurrenceKeepsXAndR) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const int end : end_states) {
    const auto p = this->columns(33, 1), t = this->vector(33, 6);
    auto g = this->columns(33, 2), u = this->columns(33, 3);
    auto x = this->vector(33, 4), r = this->vector(33, 5);
    const auto hx = x.download(), hr = r.download();
    IdrScalars* scalars = workspace.emplace(this->lower_triangle());
    ConvergenceState* state = this->state(stopped_by(end));

    project_g<T>(this->space(), scalars, 1, dims, p, g, state);
    update_x_r<T>(this->space(), scalars, 1, dims, g.span(), u.span(), x.span(), r.span(), state);
    choose_omega<T>(this->space(), scalars, t, r, state);
    minimise<T>(this->space(), scalars, dims, p, t, t, x.span(), r.span(), state);

    EXPECT_EQ(x.download(), hx);
    EXPECT_EQ(r.download(), hr);
    EXPECT_EQ(this->state().state, end);
    EXPECT_EQ(this->state().iteration, 0);
  }
}

}  // namespace
}  // namespace ostinato::test

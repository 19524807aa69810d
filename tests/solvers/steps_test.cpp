// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/steps.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <ostinato/solvers/workspace.hpp>
#include <ostinato/spmv/space/parallel.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

// Each fused step against the chain of single operations that it stands for, in long double.

namespace ostinato::test {
namespace {

constexpr Index sizes[] = {1, 31, 33, 597, 5 * static_cast<Index>(host_block) + 3};

/// One element: what it should be and the sizes of what it was made of.
struct Want {
  long double value, magnitude;
};

template <class Case>
class Steps : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using Device = Vector<typename Case::Space, Value>;

  void SetUp() override {
    SpaceTest<Case>::SetUp();
    if (this->IsSkipped()) return;
    slots_ = Vector<typename Case::Space, double>(this->space(), std::vector<double>(8, -1));
    progress_ = Vector<typename Case::Space, Progress>(this->space(), 1, Progress{});
  }

  double* slot(std::size_t k, double value = -1) {
    this->space().upload(slots_.data() + k, &value, sizeof value);
    return slots_.data() + k;
  }
  double at(const double* place) const { return fetch(this->space(), place); }

  Progress* progress(const Progress& value) {
    this->space().upload(progress_.data(), &value, sizeof value);
    return progress_.data();
  }
  Progress progress() const { return fetch(this->space(), progress_.data()); }

  Device vector(Index n, std::uint64_t seed) const { return this->put(random_vector<Value>(n, seed)); }

  /// Each element of y is f(i).value up to a few roundings of f(i).magnitude.
  template <class F>
  static void expect_elements(const Device& y, F f) {
    const std::vector<Value> got = y.download();
    std::vector<ReferenceRow> want;
    for (std::size_t i = 0; i < got.size(); ++i) want.push_back({f(i).value, f(i).magnitude, 3});
    EXPECT_EQ(difference(got, want), "");
  }

  /// The slot holds x . y; sums are in double whatever T is.
  void expect_dot(const double* place, const std::vector<Value>& x, const std::vector<Value>& y) const {
    ReferenceRow want{0, 0, static_cast<Offset>(x.size())};
    for (std::size_t i = 0; i < x.size(); ++i) {
      want.value += static_cast<long double>(x[i]) * y[i];
      want.magnitude += std::abs(static_cast<long double>(x[i]) * y[i]);
    }
    EXPECT_EQ(difference(std::vector<double>{at(place)}, {want}), "");
  }

 private:
  Vector<typename Case::Space, double> slots_;
  Vector<typename Case::Space, Progress> progress_;
};

TYPED_TEST_SUITE(Steps, EverySpace, SpaceNames);

Want sum_of(long double a, long double b) { return {a + b, std::abs(a) + std::abs(b)}; }

Progress stopped_by(int state) {
  Progress p;
  p.state = state;
  return p;
}

constexpr int end_states[] = {Progress::reached_goal, Progress::broke_down, Progress::not_a_number, Progress::grew};

TYPED_TEST(Steps, CopyScaleAndMultiplyAreElementWise) {
  using T = typename TypeParam::T;
  for (const Index n : sizes) {
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

TYPED_TEST(Steps, ScaleMayWorkInPlace) {
  using T = typename TypeParam::T;
  auto x = this->put(std::vector<T>{1, -2, 3});

  scale<T>(this->space(), T(-2), x, x);

  EXPECT_EQ(x.download(), (std::vector<T>{-2, 4, -6}));
}

TYPED_TEST(Steps, DotAddsInDouble) {
  using T = typename TypeParam::T;
  for (const Index n : sizes) {
    const auto x = this->vector(n, 1), y = this->vector(n, 2);
    double* xy = this->slot(0);
    double* xx = this->slot(1);

    dot<T>(this->space(), x, y, xy);
    dot<T>(this->space(), x, x, xx);

    this->expect_dot(xy, x.download(), y.download());
    this->expect_dot(xx, x.download(), x.download());
  }
}

TYPED_TEST(Steps, DotOfNothingIsZero) {
  using T = typename TypeParam::T;
  const Vector<typename TypeParam::Space, T> nothing(this->space(), 0);
  double* slot = this->slot(0, 42);

  dot<T>(this->space(), nothing, nothing, slot);

  EXPECT_EQ(this->at(slot), 0);
}

TYPED_TEST(Steps, DotGivesTheSameBitsEachTime) {
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

TYPED_TEST(Steps, ResidualIsDifferenceAndSquare) {
  using T = typename TypeParam::T;
  for (const Index n : sizes) {
    const auto b = this->vector(n, 1);
    auto q = this->vector(n, 2), r = this->vector(n, 3);
    const auto hb = b.download(), hq = q.download();
    double* rr = this->slot(0);
    double* rr_in_place = this->slot(1);

    residual<T>(this->space(), b, q, r, rr);
    residual<T>(this->space(), b, q, q, rr_in_place);

    this->expect_elements(r, [&](std::size_t i) { return sum_of(hb[i], -1.0L * hq[i]); });
    this->expect_dot(rr, r.download(), r.download());
    EXPECT_TRUE(same_bits(q.download(), r.download()));
    EXPECT_EQ(this->at(rr_in_place), this->at(rr));
  }
}

TYPED_TEST(Steps, MultiplyDotIsMultiplyThenDot) {
  using T = typename TypeParam::T;
  for (const Index n : sizes) {
    const auto d = this->vector(n, 1), r = this->vector(n, 2);
    auto fused = this->vector(n, 3), plain = this->vector(n, 4);
    double* rz = this->slot(0);

    multiply_dot<T>(this->space(), d, r, fused, rz);
    multiply<T>(this->space(), d, r, plain);

    EXPECT_TRUE(same_bits(fused.download(), plain.download()));
    this->expect_dot(rz, r.download(), fused.download());
  }
}

// CG.

TYPED_TEST(Steps, UpdateRRecordsTheNewResidual) {
  using T = typename TypeParam::T;
  for (const Index n : sizes) {
    const auto q = this->vector(n, 1);
    auto r = this->vector(n, 2);
    const auto hq = q.download(), hr = r.download();
    double* rr = this->slot(2);
    Progress* p = this->progress(Progress{});

    update_r<T>(this->space(), this->slot(0, 3), this->slot(1, 4), q, r, rr, p);

    this->expect_elements(r, [&](std::size_t i) { return sum_of(hr[i], -0.75L * hq[i]); });
    this->expect_dot(rr, r.download(), r.download());
    EXPECT_EQ(this->progress().iteration, 1);
    EXPECT_EQ(this->progress().state, Progress::going);
    EXPECT_EQ(this->progress().lagging, 1);
    EXPECT_DOUBLE_EQ(this->progress().norms[0], std::sqrt(this->at(rr)));
  }
}

TYPED_TEST(Steps, UpdateRStopsAtTheGoalAndPastTheLimit) {
  using T = typename TypeParam::T;
  const auto q = this->put(std::vector<T>{0, 0});
  auto r = this->put(std::vector<T>{3, 4});
  Progress near, far;
  near.goal = 5;
  far.limit = 4.9;

  update_r<T>(this->space(), this->slot(0, 1), this->slot(1, 1), q, r, this->slot(2), this->progress(near));
  const Progress reached = this->progress();
  update_r<T>(this->space(), this->slot(0, 1), this->slot(1, 1), q, r, this->slot(2), this->progress(far));
  const Progress grown = this->progress();

  EXPECT_EQ(reached.state, Progress::reached_goal);
  EXPECT_EQ(reached.lagging, 1);
  EXPECT_EQ(grown.state, Progress::grew);
  EXPECT_EQ(grown.iteration, 1);
}

TYPED_TEST(Steps, UpdateRBreaksDownWithoutPositiveCurvature) {
  using T = typename TypeParam::T;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct {
    double rz, pq;
    int state;
  } const cases[] = {{1, 0, Progress::broke_down},  {1, -2, Progress::broke_down},    {0, 1, Progress::broke_down},
                     {-1, 1, Progress::broke_down}, {1, nan, Progress::not_a_number}, {nan, 1, Progress::not_a_number},
                     {1, HUGE_VAL, Progress::going}};
  for (const auto& c : cases) {
    const auto q = this->vector(33, 1);
    auto r = this->vector(33, 2);
    const auto before = r.download();

    update_r<T>(this->space(), this->slot(0, c.rz), this->slot(1, c.pq), q, r, this->slot(2),
                this->progress(Progress{}));

    EXPECT_EQ(this->progress().state, c.state) << c.rz << " " << c.pq;
    EXPECT_EQ(this->progress().iteration, c.state == Progress::going);
    EXPECT_EQ(this->progress().lagging, c.state == Progress::going);
    EXPECT_EQ(r.download(), before);
  }
}

TYPED_TEST(Steps, UpdateXPFollowsUpdateR) {
  using T = typename TypeParam::T;
  for (const Index n : sizes) {
    const auto z = this->vector(n, 1);
    auto x = this->vector(n, 2), p = this->vector(n, 3);
    const auto hz = z.download(), hx = x.download(), hp = p.download();
    Progress lagging;
    lagging.lagging = 1;

    update_x_p<T>(this->space(), this->slot(0, 3), this->slot(1, 4), this->slot(2, 6), z, x, p,
                  this->progress(lagging));

    this->expect_elements(x, [&](std::size_t i) { return sum_of(hx[i], 0.75L * hp[i]); });
    this->expect_elements(p, [&](std::size_t i) { return sum_of(hz[i], 2.0L * hp[i]); });
  }
}

TYPED_TEST(Steps, FrozenCgChangesNothing) {
  using T = typename TypeParam::T;
  for (const int state : end_states) {
    const auto q = this->vector(33, 1);
    auto r = this->vector(33, 2), x = this->vector(33, 3), p = this->vector(33, 4);
    const auto hr = r.download(), hx = x.download(), hp = p.download();
    Progress frozen = stopped_by(state);
    frozen.lagging = 1;
    Progress* progress = this->progress(frozen);

    update_r<T>(this->space(), this->slot(0, 1), this->slot(1, 2), q, r, this->slot(2), progress);
    const int lagging = this->progress().lagging;
    update_x_p<T>(this->space(), this->slot(0, 1), this->slot(1, 2), this->slot(2, 3), r, x, p, progress);

    EXPECT_EQ(lagging, 0);
    EXPECT_EQ(r.download(), hr);
    EXPECT_EQ(x.download(), hx);
    EXPECT_EQ(p.download(), hp);
    EXPECT_EQ(this->progress().iteration, 0);
    EXPECT_EQ(this->progress().state, state);
  }
}

// BiCGSTAB.

TYPED_TEST(Steps, UpdatePBeginsWithR) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const std::vector<T> nan(33, std::numeric_limits<T>::quiet_NaN());
  const auto r = this->vector(33, 1), v = this->put(nan);
  auto p = this->put(nan);

  update_p<T>(this->space(), workspace.put(BicgstabScalars{.rho = 2}), r, v, p, this->progress(Progress{}));

  EXPECT_EQ(p.download(), r.download());
}

TYPED_TEST(Steps, UpdatePIsItsFormula) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  Progress later;
  later.iteration = 3;
  for (const Index n : sizes) {
    const auto r = this->vector(n, 1), v = this->vector(n, 2);
    auto p = this->vector(n, 3);
    const auto hr = r.download(), hv = v.download(), hp = p.download();
    BicgstabScalars* s = workspace.put(BicgstabScalars{.rho = 3, .rho_old = 2, .alpha = 0.5, .omega = 0.25});

    update_p<T>(this->space(), s, r, v, p, this->progress(later));

    this->expect_elements(p, [&](std::size_t i) {
      const Want inner = sum_of(hp[i], -0.25L * hv[i]);
      return Want{hr[i] + 3 * inner.value, std::abs(1.0L * hr[i]) + 3 * inner.magnitude};
    });
  }
}

TYPED_TEST(Steps, UpdateSTakesAlphaOfV) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : sizes) {
    const auto v = this->vector(n, 1);
    auto r = this->vector(n, 2), kept = this->vector(n, 2);
    const auto hv = v.download(), hr = r.download();

    update_s<T>(this->space(), workspace.put(BicgstabScalars{.rho = 3, .s0v = 4}), v, r, this->progress(Progress{}));
    update_s<T>(this->space(), workspace.put(BicgstabScalars{.rho = 3, .s0v = 0}), v, kept, this->progress(Progress{}));

    this->expect_elements(r, [&](std::size_t i) { return sum_of(hr[i], -0.75L * hv[i]); });
    EXPECT_EQ(kept.download(), hr);
  }
}

TYPED_TEST(Steps, DotsTsTtAreTwoDots) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : sizes) {
    const auto t = this->vector(n, 1), r = this->vector(n, 2);
    BicgstabScalars* s = workspace.put(BicgstabScalars{});

    dots_ts_tt<T>(this->space(), s, t, r, this->progress(Progress{}));

    this->expect_dot(&s->ts, t.download(), r.download());
    this->expect_dot(&s->tt, t.download(), t.download());
  }
}

TYPED_TEST(Steps, UpdateXRIsItsFormula) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const Index n : sizes) {
    const auto p = this->vector(n, 1), s_hat = this->vector(n, 2), t = this->vector(n, 3), s0 = this->vector(n, 4);
    auto x = this->vector(n, 5), r = this->vector(n, 6);
    const auto hp = p.download(), hs = s_hat.download(), ht = t.download(), hx = x.download(), hr = r.download();
    BicgstabScalars* s = workspace.put(BicgstabScalars{.rho = 3, .s0v = 4, .ts = 1, .tt = 8, .s0s0 = 1});

    update_x_r<T>(this->space(), s, p, s_hat, t, s0, x, r, this->progress(Progress{}));

    this->expect_elements(x, [&](std::size_t i) {
      const Want inner = sum_of(0.75L * hp[i], 0.125L * hs[i]);
      return Want{hx[i] + inner.value, std::abs(1.0L * hx[i]) + inner.magnitude};
    });
    this->expect_elements(r, [&](std::size_t i) { return sum_of(hr[i], -0.125L * ht[i]); });
    this->expect_dot(&s->rr, r.download(), r.download());
    this->expect_dot(&s->rho, s0.download(), r.download());
    const auto after = fetch(this->space(), s);
    EXPECT_EQ(after.rho_old, 3);
    EXPECT_EQ(after.alpha, 0.75);
    EXPECT_EQ(after.omega, 0.125);
    EXPECT_EQ(this->progress().iteration, 1);
    EXPECT_DOUBLE_EQ(this->progress().norms[0], std::sqrt(after.rr));
  }
}

TYPED_TEST(Steps, UpdateXRKeepsXFinite) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& scalars : {BicgstabScalars{.rho = 3, .s0v = nan, .ts = 1, .tt = 8, .s0s0 = 1},
                              BicgstabScalars{.rho = 3, .s0v = 4, .ts = 1, .tt = nan, .s0s0 = 1},
                              BicgstabScalars{.rho = nan, .s0v = 4, .ts = 1, .tt = 8, .s0s0 = 1}}) {
    const auto p = this->vector(33, 1), s_hat = this->vector(33, 2), t = this->vector(33, 3), s0 = this->vector(33, 4);
    auto x = this->vector(33, 5), r = this->vector(33, 6);
    const auto before = x.download();

    update_x_r<T>(this->space(), workspace.put(scalars), p, s_hat, t, s0, x, r, this->progress(Progress{}));

    EXPECT_EQ(x.download(), before);
    EXPECT_EQ(this->progress().state, Progress::not_a_number);
  }
}

TYPED_TEST(Steps, FrozenBicgstabChangesNothing) {
  using T = typename TypeParam::T;
  Workspace<typename TypeParam::Space> workspace(this->space());
  for (const int state : end_states) {
    const auto t = this->vector(33, 1), s0 = this->vector(33, 2);
    auto x = this->vector(33, 3), r = this->vector(33, 4), p = this->vector(33, 5);
    const auto hx = x.download(), hr = r.download(), hp = p.download();
    const BicgstabScalars before{.rho = 3, .rho_old = 2, .s0v = 4, .ts = 1, .tt = 8, .rr = 5, .s0s0 = 1};
    BicgstabScalars* s = workspace.put(before);
    Progress* progress = this->progress(stopped_by(state));

    update_p<T>(this->space(), s, r, t, p, progress);
    update_s<T>(this->space(), s, t, r, progress);
    dots_ts_tt<T>(this->space(), s, t, r, progress);
    update_x_r<T>(this->space(), s, p, p, t, s0, x, r, progress);

    EXPECT_EQ(x.download(), hx);
    EXPECT_EQ(r.download(), hr);
    EXPECT_EQ(p.download(), hp);
    const BicgstabScalars after = fetch(this->space(), s);
    EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0);
    EXPECT_EQ(this->progress().iteration, 0);
  }
}

// GMRES.

TYPED_TEST(Steps, ProjectSubtractAndCombineGoByColumns) {
  using T = typename TypeParam::T;
  for (const Index n : sizes) {
    for (const int columns : {1, 2, 7, 33}) {
      const auto v = this->vector(n * columns, 1);
      auto w = this->vector(n, 2), x = this->vector(n, 3);
      Vector<typename TypeParam::Space, T> h(this->space(), static_cast<std::size_t>(columns));
      const auto hv = v.download(), hw = w.download(), hx = x.download();
      const auto size = static_cast<std::size_t>(n);

      project<T>(this->space(), columns, v.data(), w, h.data());
      const auto hh = h.download();
      subtract<T>(this->space(), columns, v.data(), h.data(), Out<T>(w));
      combine<T>(this->space(), columns, v.data(), h.data(), Out<T>(x));

      std::vector<ReferenceRow> products(hh.size()), less(size), more(size);
      for (std::size_t i = 0; i < size; ++i) {
        less[i] = {hw[i], std::abs(1.0L * hw[i]), columns};
        more[i] = {hx[i], std::abs(1.0L * hx[i]), columns};
      }
      for (std::size_t k = 0; k < hh.size(); ++k) {
        products[k].entries = n;
        for (std::size_t i = 0; i < size; ++i) {
          const long double a = hv[k * size + i], term = a * hh[k];
          products[k].value += a * hw[i];
          products[k].magnitude += std::abs(a * hw[i]);
          less[i] = {less[i].value - term, less[i].magnitude + std::abs(term), columns};
          more[i] = {more[i].value + term, more[i].magnitude + std::abs(term), columns};
        }
      }
      EXPECT_EQ(difference(hh, products), "");
      EXPECT_EQ(difference(w.download(), less), "");
      EXPECT_EQ(difference(x.download(), more), "");
    }
  }
}

TYPED_TEST(Steps, ProjectGivesTheSameBitsEachTime) {
  using T = typename TypeParam::T;
  const auto v = this->vector(10007 * 9, 1), w = this->vector(10007, 2);
  Vector<typename TypeParam::Space, T> h(this->space(), 9);
  project<T>(this->space(), 9, v.data(), w, h.data());
  const auto first = h.download();
  for (int k = 0; k < 20; ++k) {
    project<T>(this->space(), 9, v.data(), w, h.data());
    ASSERT_TRUE(same_bits(h.download(), first));
  }
}

TYPED_TEST(Steps, AccumulateAdds) {
  using T = typename TypeParam::T;
  const auto more = this->put(std::vector<T>{1, 2, 3, 100});
  auto h = this->put(std::vector<T>{10, 20, 30, 40});

  accumulate<T>(this->space(), 3, more.data(), h.data());

  EXPECT_EQ(h.download(), (std::vector<T>{11, 22, 33, 40}));
}

TYPED_TEST(Steps, NormaliseMakesUnitLength) {
  using T = typename TypeParam::T;
  for (const Index n : sizes) {
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

TYPED_TEST(Steps, NormaliseOfZeroIsZero) {
  using T = typename TypeParam::T;
  auto w = this->put(std::vector<T>(33, 0));
  auto norm = this->put(std::vector<T>{-1});

  normalise<T>(this->space(), this->slot(0, 0), w, norm.data());

  EXPECT_EQ(norm.download()[0], 0);
  EXPECT_EQ(w.download(), std::vector<T>(33, 0));
}

TEST(ProgressOfARecurrence, KeepsTheLastResidualsInARing) {
  Progress p;
  for (int k = 1; k <= Progress::ring + 3; ++k) p.record(static_cast<double>(k) * k);

  EXPECT_EQ(p.iteration, Progress::ring + 3);
  EXPECT_EQ(p.norms[0], Progress::ring + 1);
  EXPECT_EQ(p.norms[3], 4);
  EXPECT_TRUE(p.running());
}

}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/passes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/slots.hpp>

#include "support/grids.hpp"
#include "support/spaces.hpp"

// The passes over a level against sums in double.

namespace ostinato::test {
namespace {
namespace structured {

using namespace multigrid;

/// A level by class whose axes are all halved, with the steps of a cycle on the host.
template <class T>
class Reference {
 public:
  using Numbers = std::vector<double>;

  Reference(const Cuda& space, const Level<Cuda>& level, const Coefficients& root)
      : fine_(level.operator_view()),
        coarse_(level.weights_view()),
        a_(level.a.download()),
        p_(level.p.download()),
        roots_(scaled_classes),
        deep_(level.dimensions > 2),
        own_scale_(level.grid.points(), 1.0),
        next_scale_(level.next.points(), 1.0) {
    space.download(roots_.data(), root.a, roots_.size() * sizeof(float));
    number_slots(a_slot_, level.dimensions, level.star);
    number_slots(p_slot_, halving(level.axes));
    if (level.plain) find_scales(level);
  }

  /// r times the scale of the source.
  Numbers scaled(const std::vector<T>& r) const {
    Numbers b(r.size());
    for_fine([&](Index x, Index y, Index z, std::size_t i) {
      b[i] = static_cast<double>(roots_[fine_.at(x, y, z, i)]) * static_cast<double>(r[i]) / own_scale_[i];
    });
    return b;
  }

  /// u - omega A v
  Numbers less_product(const Numbers& u, double omega, const Numbers& v) const {
    Numbers t(u.size());
    for_fine([&](Index x, Index y, Index z, std::size_t i) {
      double sum = v[i];
      for (int k = 0; k < neighbours; ++k) {
        if (k == centre || a_slot_[k] < 0) continue;
        const auto c = static_cast<std::size_t>(a_slot_[k]);
        const double value = static_cast<double>(a_[c * scaled_classes + fine_.at(x, y, z, i)]);
        const Step d = Step::of(k);
        if (fine_.grid.contains(x + d.x, y + d.y, z + d.z))
          sum += value * v[fine_.grid.number(x + d.x, y + d.y, z + d.z)];
      }
      t[i] = u[i] - omega * sum;
    });
    return t;
  }

  Numbers restricted(const Numbers& t) const {
    Numbers out(coarse_.grid.points());
    for_weights([&](std::size_t j, std::size_t i, double weight) { out[j] += weight * t[i] * next_scale_[j]; });
    return out;
  }

  /// u + P coarse
  Numbers interpolated(Numbers u, const std::vector<float>& coarse) const {
    for_weights([&](std::size_t j, std::size_t i, double weight) {
      u[i] += weight * static_cast<double>(coarse[j]) / next_scale_[j];
    });
    return u;
  }

  /// The target that x gives.
  Numbers left(const Numbers& x) const {
    Numbers z(x.size());
    for_fine([&](Index px, Index py, Index pz, std::size_t i) {
      z[i] = static_cast<double>(roots_[fine_.at(px, py, pz, i)]) * x[i] * own_scale_[i];
    });
    return z;
  }

 private:
  template <class F>
  void for_fine(F f) const {
    for_points(fine_.grid, [&](Index x, Index y, Index z) { f(x, y, z, fine_.grid.number(x, y, z)); });
  }
  template <class F>
  void for_weights(F f) const {
    for_points(coarse_.grid, [&](Index x, Index y, Index z) {
      const std::size_t j = coarse_.grid.number(x, y, z);
      for (int k = 0; k < neighbours; ++k) {
        const Step d = Step::of(k);
        const Index fx = 2 * x + 1 + d.x, fy = 2 * y + 1 + d.y, fz = Halving::fine(deep_, z) + d.z;
        if (p_slot_[k] < 0 || !fine_.grid.contains(fx, fy, fz)) continue;
        const float weight = p_[static_cast<std::size_t>(p_slot_[k]) * scaled_classes + coarse_.at(x, y, z, j)];
        f(j, fine_.grid.number(fx, fy, fz), static_cast<double>(weight));
      }
    });
  }

  /// The vectors of coarse plain grids are S times those of the scaled operator.
  void find_scales(const Level<Cuda>& level) {
    const auto end_of = [](const Extents& e, Index x, Index y, Index z) {
      return multigrid::end_of(x == e.x - 1, y == e.y - 1, z == e.z - 1);
    };
    const PlainStar& star = level.plain_star;
    for_fine([&](Index x, Index y, Index z, std::size_t i) {
      own_scale_[i] = 1 / std::sqrt(static_cast<double>(star.diagonal(end_of(fine_.grid, x, y, z))));
    });
    if (!star.next_is_plain) return;
    for_points(coarse_.grid, [&](Index x, Index y, Index z) {
      const float scale = star.next_scale[end_of(coarse_.grid, x, y, z)];
      next_scale_[coarse_.grid.number(x, y, z)] = static_cast<double>(scale);
    });
  }

  Coefficients fine_, coarse_;
  std::vector<float> a_, p_, roots_;
  bool deep_;
  Numbers own_scale_, next_scale_;
  signed char a_slot_[neighbours], p_slot_[neighbours];
};

/// The largest difference over the largest expected number; huge where a number is missing.
template <class Number>
double error_of(const std::vector<Number>& found, const std::vector<double>& expected) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(static_cast<double>(found[i]) - expected[i]);
    error = std::isfinite(difference) ? std::max(error, difference) : HUGE_VAL;
    largest = std::max(largest, std::abs(expected[i]));
  }
  return error / largest;
}

/// A vector of which every `step`-th element belongs to the unknown, from element `first` on; NaN elsewhere.
template <class T>
struct Spread {
  Index step;
  std::size_t first;
  std::vector<T> all;

  Spread(const std::vector<T>& v, Index apart, std::size_t offset)
      : step(apart),
        first(offset),
        all(v.size() * static_cast<std::size_t>(apart) + offset, std::numeric_limits<T>::quiet_NaN()) {
    for (std::size_t i = 0; i < v.size(); ++i) all[at(i)] = v[i];
  }
  std::size_t at(std::size_t i) const { return first + i * static_cast<std::size_t>(step); }
};

template <class Case>
class PassesOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  static constexpr float omega = 0.8f;

  /// Both passes over a grid and the next one. `step`, `first`: how the vectors of the solver lie in memory. `plain`:
  /// of these grids at least so many must be plain.
  void expect_passes(const Csr<Value>& a, Index step, std::size_t first, std::size_t plain = 0) const {
    const Analysis<Cuda, Value> analysis(this->space(), a);
    const Hierarchy<Cuda> h(GridPlan<Cuda>(analysis, analysis.grid()));
    const Level<Cuda>& finest = h.levels()[0];
    ASSERT_TRUE(has_descent(this->space(), finest)) << finest.axes;
    for (std::size_t k = 0; k < plain; ++k) EXPECT_TRUE(h.levels()[k].plain) << k;
    expect_passes_of(finest, h.inverse_root(), h.even_inverse_root(), step, first);
    if (h.levels().size() < 3 || !has_descent(this->space(), h.levels()[1])) return;
    const Vector<Cuda, float> ones = this->put(std::vector<float>(scaled_classes, 1.0f));
    const EvenPart one{.values = {1}, .begin = {0, 0, 0}, .end = {1 << 30, 1 << 30, 1 << 30}};
    expect_passes_of(h.levels()[1], {h.levels()[1].grid, ones.data(), true}, one, step, first);
  }

 private:
  void expect_passes_of(const Level<Cuda>& level, const Coefficients& root, const EvenPart& even_root, Index step,
                        std::size_t first) const {
    const Reference<Value> reference(this->space(), level, root);
    const std::vector<Value> r = random_vector<Value>(static_cast<Index>(level.grid.points()), 3);
    const std::vector<double> b = reference.scaled(r);
    const Spread<Value> spread(r, step, first);
    const Vector<Cuda, Value> source_data = this->put(spread.all);
    const Source<Value> source{root, &even_root, {source_data.data() + first, step}};
    const Transfer<Cuda> transfer =
        std::move(make_transfers(this->space(), {{&level, omega, root, &even_root}}).front());
    expect_descent(level, transfer, source, reference, b);
    if (has_ascent(this->space(), level)) expect_ascent(level, transfer, source, reference, r, b, spread);
  }

  void expect_descent(const Level<Cuda>& level, const Transfer<Cuda>& transfer, const Source<Value>& source,
                      const Reference<Value>& reference, const std::vector<double>& b) const {
    auto out = this->put(std::vector<float>(level.next.points(), std::numeric_limits<float>::quiet_NaN()));
    descend(this->space(), level, transfer, source, out.data());
    const auto expected = reference.restricted(reference.less_product(b, static_cast<double>(omega), b));
    EXPECT_LE(error_of(out.download(), expected), 3e-6);
  }

  void expect_ascent(const Level<Cuda>& level, const Transfer<Cuda>& transfer, const Source<Value>& source,
                     const Reference<Value>& reference, const std::vector<Value>& r, const std::vector<double>& b,
                     const Spread<Value>& like) const {
    const auto coarse = random_vector<float>(static_cast<Index>(level.next.points()), 4);
    const Vector<Cuda, float> coarse_data = this->put(coarse);
    auto z = this->put(std::vector<Value>(like.all.size(), std::numeric_limits<Value>::quiet_NaN()));
    auto slot = this->template put<double>({-1});
    const Value power = Value(2);
    ascend(this->space(), level, transfer, source, coarse_data.data(),
           Target<Value>{power, {z.data() + like.first, like.step}, slot.data()});

    std::vector<double> x(b.size()), moved(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) x[i] = static_cast<double>(omega) * b[i];
    x = reference.interpolated(x, coarse);
    for (std::size_t i = 0; i < b.size(); ++i) moved[i] = x[i] + static_cast<double>(omega) * b[i];
    const auto smoothed = reference.less_product(moved, static_cast<double>(omega), x);
    std::vector<double> expected = reference.left(smoothed);
    for (double& v : expected) v *= static_cast<double>(power);

    const std::vector<Value> all = z.download();
    std::vector<Value> found(expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = all[like.at(i)];
    EXPECT_LE(error_of(found, expected), 3e-6);
    double dot = 0, size = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      dot += static_cast<double>(found[i]) * static_cast<double>(r[i]);
      size += std::abs(static_cast<double>(found[i]) * static_cast<double>(r[i]));
    }
    EXPECT_NEAR(slot.download()[0], dot, 1e-12 * size);
    const auto touched =
        static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](Value v) { return !std::isnan(v); }));
    EXPECT_EQ(touched, found.size()) << "elements of other unknowns were written";
  }
};

using OnGpu = testing::Types<On<Cuda, float>, On<Cuda, double>>;
TYPED_TEST_SUITE(PassesOn, OnGpu, SpaceNames);

/// No flow over the sides of the grid: other coefficients there than within.
Coupling closed(const Extents& e, double to_the_left) {
  return [=](Index x, Index y, Index z, int dx, int dy, int dz) {
    if (std::abs(dx) + std::abs(dy) + std::abs(dz) != 1 || !e.contains(x + dx, y + dy, z + dz)) return 0.0;
    return dx < 0 ? to_the_left : 1.0;
  };
}

TYPED_TEST(PassesOn, GiveWhatTheStepsGive) {
  using T = typename TypeParam::T;
  // One thread block and several, along each axis; even and odd; one tile with a side alone.
  for (const Extents& e : {Extents{8, 8, 8},
                           {9, 7, 11},
                           {60, 28, 6},
                           {61, 29, 13},
                           {62, 30, 40},
                           {64, 32, 64},
                           {130, 9, 12},
                           {7, 100, 10},
                           {12, 10, 230},
                           {33, 65, 97}}) {
    for (const bool open : {true, false}) {
      SCOPED_TRACE(std::to_string(e.x) + " x " + std::to_string(e.y) + " x " + std::to_string(e.z) +
                   (open ? "" : ", closed"));
      const Csr<T> a = open ? grid_matrix<T>(e, laplacian(e, true)) : grid_matrix<T>(e, closed(e, 1.25), 0.01);
      this->expect_passes(a, 1, 0);
      this->expect_passes(a, 1, 1);
      this->expect_passes(a, 2, 0);
    }
  }
}

/// Vectors of coarse grids are in float.
class CudaPassesBelowAPlainGrid : public PassesOn<On<Cuda, float>> {};

TEST_F(CudaPassesBelowAPlainGrid, GiveWhatTheStepsGive) {
  // Elements of these coarse grids are copied by fours, twos and one by one; an axis of four points.
  for (const Extents& e : {Extents{128, 128, 128}, {131, 128, 132}, {136, 136, 128}, {132, 129, 128}, {8, 724, 728}}) {
    SCOPED_TRACE(std::to_string(e.x) + " x " + std::to_string(e.y) + " x " + std::to_string(e.z));
    this->expect_passes(grid_matrix<float>(e, laplacian(e, true)), 1, 0, 2);
  }
}

TYPED_TEST(PassesOn, GiveWhatTheStepsGiveInAPlane) {
  using T = typename TypeParam::T;
  for (const Extents& e :
       {Extents{20, 20, 1}, {21, 23, 1}, {64, 40, 1}, {65, 33, 1}, {100, 71, 1}, {130, 12, 1}, {12, 190, 1}}) {
    for (const bool star : {true, false}) {
      SCOPED_TRACE(std::to_string(e.x) + " x " + std::to_string(e.y) + (star ? "" : ", 9-point"));
      const Csr<T> a = grid_matrix<T>(e, laplacian(e, star));
      this->expect_passes(a, 1, 0);
      this->expect_passes(a, 1, 1);
      this->expect_passes(a, 2, 0);
    }
    this->expect_passes(grid_matrix<T>(e, closed(e, 1.25), 0.01), 1, 0);
  }
}

TYPED_TEST(PassesOn, GiveWhatTheStepsGiveFor27Points) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{8, 8, 8}, {9, 7, 11}, {33, 17, 20}, {70, 9, 12}, {16, 40, 31}}) {
    SCOPED_TRACE(std::to_string(e.x) + " x " + std::to_string(e.y) + " x " + std::to_string(e.z));
    const Csr<T> a = grid_matrix<T>(e, laplacian(e, false));
    this->expect_passes(a, 1, 0);
    this->expect_passes(a, 2, 0);
  }
}

/// What both passes give on a GPU, one behind the other.
std::vector<double> passed_on(int device) {
  const Cuda space(device);
  const Extents e{40, 30, 20};
  const Csr<double> a = grid_matrix<double>(e, laplacian(e, true));
  const Analysis<Cuda, double> analysis(space, a);
  const Hierarchy<Cuda> h(GridPlan<Cuda>(analysis, analysis.grid()));
  const Level<Cuda>& level = h.levels()[0];
  const std::vector<double> host_r = random_vector<double>(a.rows, 3);
  const Vector<Cuda, double> r(space, std::span<const double>(host_r));
  Vector<Cuda, double> z(space, host_r.size());
  Vector<Cuda, float> coarse(space, level.next.points());
  const Source<double> source{h.inverse_root(), &h.even_inverse_root(), {r.data()}};
  const Transfer<Cuda> transfer =
      std::move(make_transfers(space, {{&level, 0.8f, source.root, source.even_root}}).front());
  descend(space, level, transfer, source, coarse.data());
  ascend(space, level, transfer, source, coarse.data(), Target<double>{1, {z.data()}, nullptr});
  return z.download();
}

TEST(CudaPasses, GiveTheSameOnAGpuThatIsNotCurrent) {
  if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
  if (Cuda::device_count() < 2) GTEST_SKIP() << "only one GPU here";
  EXPECT_EQ(passed_on(1), passed_on(0));  // the second GPU first: no kernel was told of its memory before
}

}  // namespace structured
}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/planes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/preconditioners/multigrid/structured/slots.hpp>

#include "support/grids.hpp"
#include "support/spaces.hpp"
#include "support/stencils.hpp"

// Plain grids below the finest one. The passes over each of them against sums in double are in passes_cuda_test.cpp.

namespace ostinato::test {
namespace {
namespace plain_grid {

using namespace multigrid;

Hierarchy<Host> hierarchy_of(const ostinato::Stencil& stencil) {
  const Host space;
  return Hierarchy<Host>(GridPlan<Host>(StencilOperator<Host, double>(space, stencil)));
}

/// How many grids are plain, from the finest one down.
std::size_t plain_grids(const Hierarchy<Host>& h) {
  std::size_t count = 0;
  while (h.levels()[count].plain) ++count;
  for (std::size_t k = count; k < h.levels().size(); ++k) EXPECT_FALSE(h.levels()[k].plain) << k;
  for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(h.levels()[k].plain_star.next_is_plain, k + 1 < count) << k;
  return count;
}

TEST(PlainStar, GridsArePlainAsLongAsTheirEndsLieAtCoarsePoints) {
  const auto count = [](const Extents& e) { return plain_grids(hierarchy_of(laplacian_stencil(e, true))); };
  EXPECT_EQ(count({64, 64, 64}), 1u);  // the next grid is small
  EXPECT_EQ(count({128, 128, 128}), 2u);
  EXPECT_EQ(count({256, 256, 256}), 3u);
  EXPECT_EQ(count({255, 255, 255}), 2u);  // 127^3, then 63^3 is small
  EXPECT_EQ(count({511, 511, 511}), 3u);  // odd numbers of points leave all rows alike
  EXPECT_EQ(count({250, 256, 256}), 1u);  // 125 points with a last row of their own
  EXPECT_EQ(count({255, 256, 254}), 1u);
  EXPECT_EQ(count({255, 256, 252}), 2u);
  EXPECT_EQ(count({8, 1024, 1024}), 2u);
  EXPECT_EQ(count({4, 1024, 1024}), 1u);  // two points then
  EXPECT_EQ(plain_grids(hierarchy_of(laplacian_stencil({128, 128, 128}, false))), 0u);
  EXPECT_EQ(plain_grids(hierarchy_of(with_neumann(laplacian_stencil({128, 128, 128}, true), 1))), 0u);
}

TEST(PlainStar, RowsWhoseSumIsAtTheLimitOfRoundingAreTaken) {
  // By the order in which its numbers are added up, the row adds up to a millionth of the diagonal or to more.
  ostinato::Stencil stencil = laplacian_stencil({8, 8, 8}, true);
  for (StencilTerm& t : stencil.terms) {
    t.coefficient = t.dx != 0   ? -0x1.7b09d12aedc03p-1
                    : t.dy != 0 ? -0x1.e890d9b5cdb17p-1
                    : t.dz != 0 ? -0x1.dbb73d746961fp-1
                                : 0x1.4fd46412ffd59p+2;
  }
  EXPECT_EQ(plain_grids(hierarchy_of(stencil)), 0u);
}

/// The places of n that rows can differ at.
std::vector<Index> places(Index n) { return {0, 1, n / 2, n - 2, n - 1}; }

template <class F>
void for_places(const Extents& e, F f) {
  for (const Index z : places(e.z)) {
    for (const Index y : places(e.y)) {
      for (const Index x : places(e.x)) f(Extents{x, y, z});
    }
  }
}

/// The end that a point lies at, for PlainStar.
int end_of(const Extents& at, const Extents& e) {
  return multigrid::end_of(at.x == e.x - 1, at.y == e.y - 1, at.z == e.z - 1);
}

double scale_of(const Level<Host>& level, const Extents& at) {
  return 1 / std::sqrt(static_cast<double>(level.plain_star.diagonal(end_of(at, level.grid))));
}

/// The coefficients of the scaled operator are S K S.
void expect_rows(const Level<Host>& level) {
  const std::vector<float> a = level.a.download();
  signed char slot[neighbours];
  number_slots(slot, level.dimensions, level.star);
  const Coefficients view = level.operator_view();
  for_places(level.grid, [&](const Extents& at) {
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      if (k == centre || slot[k] < 0 || !level.grid.contains(at.x + d.x, at.y + d.y, at.z + d.z)) continue;
      const int axis = d.x != 0 ? 0 : d.y != 0 ? 1 : 2;
      const PlainStar& star = level.plain_star;
      const double row = static_cast<double>(star.axis[axis].side * star.mass_beside(axis, end_of(at, level.grid)));
      const double expected = scale_of(level, at) * row * scale_of(level, {at.x + d.x, at.y + d.y, at.z + d.z});
      const std::size_t c = static_cast<std::size_t>(slot[k]) * scaled_classes + view.at(at.x, at.y, at.z, 0);
      EXPECT_NEAR(static_cast<double>(a[c]), expected, 1e-6) << at.x << ' ' << at.y << ' ' << at.z << ", step " << k;
    }
  });
}

/// The weights are those of linear interpolation, over S of the fine point and times S of the coarse one.
void expect_weights(const Level<Host>& level) {
  const std::vector<float> p = level.p.download();
  const Coefficients view = level.weights_view();
  for_places(level.next, [&](const Extents& at) {
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      const Extents to{2 * at.x + 1 + d.x, 2 * at.y + 1 + d.y, 2 * at.z + 1 + d.z};
      if (!level.grid.contains(to.x, to.y, to.z)) continue;
      const double linear = std::ldexp(1.0, -d.axes());
      const double scale = static_cast<double>(level.plain_star.next_scale[end_of(at, level.next)]);
      const double expected = static_cast<double>(level.plain_star.weight) * linear * scale / scale_of(level, to);
      const std::size_t c =
          static_cast<std::size_t>(Halved<7>::coefficient(k)) * scaled_classes + view.at(at.x, at.y, at.z, 0);
      EXPECT_NEAR(static_cast<double>(p[c]), expected, 1e-6) << at.x << ' ' << at.y << ' ' << at.z << ", step " << k;
    }
  });
}

TEST(PlainStar, IsTheScaledOperatorAndItsInterpolation) {
  for (const Extents& e :
       {Extents{256, 256, 256}, {511, 255, 256}, {260, 131, 128}, {8, 1024, 1024}, {1024, 5, 1024}, {9, 8, 7}}) {
    ostinato::Stencil stencil = laplacian_stencil(e, true);
    for (StencilTerm& t : stencil.terms) {  // other couplings along each axis
      if (t.dy != 0) t.coefficient = -0.75;
      if (t.dz != 0) t.coefficient = -1.25;
    }
    const Hierarchy<Host> h = hierarchy_of(stencil);
    ASSERT_TRUE(h.by_class());
    EXPECT_TRUE(h.levels()[0].plain);
    for (std::size_t k = 0; k < h.levels().size() && h.levels()[k].plain; ++k) {
      const Level<Host>& level = h.levels()[k];
      SCOPED_TRACE(testing::Message() << level.grid.x << " x " << level.grid.y << " x " << level.grid.z);
      EXPECT_NEAR(static_cast<double>(level.plain_star.diagonal(0)), 1, 1e-6);
      expect_rows(level);
      expect_weights(level);
      const Level<Host>& next = h.levels()[k + 1];
      if (!next.plain) continue;
      for (int end = 0; end < 8; ++end) {
        const double expected = 1 / std::sqrt(static_cast<double>(next.plain_star.diagonal(end)));
        EXPECT_NEAR(static_cast<double>(level.plain_star.next_scale[end]), expected, 1e-6) << end;
      }
    }
  }
}

template <class Space, class T>
std::vector<T> cycle_of(const Space& space, const Extents& e, const std::vector<T>& r) {
  const StencilOperator<Space, T> a(space, laplacian_stencil(e, true));
  const Multigrid<Space, T> m(a);
  const Vector<Space, T> given(space, std::span<const T>(r));
  Vector<Space, T> z(space, r.size());
  m.apply(given, z);
  return z.download();
}

template <class Case>
class PlanesOn : public SpaceTest<Case> {};
using OnGpu = testing::Types<On<Cuda, float>, On<Cuda, double>>;
TYPED_TEST_SUITE(PlanesOn, OnGpu, SpaceNames);

TYPED_TEST(PlanesOn, CyclesAreThoseOfTheHost) {
  using T = typename TypeParam::T;
  // Two plain grids, with odd and even extents and with a tile that has a side alone; one; three.
  std::vector<Extents> grids = {{255, 160, 132}, {136, 264, 140}, {66, 1000, 71}, {8, 720, 730}, {90, 90, 90}};
  if (std::is_same_v<T, double>) grids.push_back({256, 256, 256});
  for (const Extents& e : grids) {
    SCOPED_TRACE(testing::Message() << e.x << " x " << e.y << " x " << e.z);
    const auto r = random_vector<T>(static_cast<Index>(e.points()), 5);
    const std::vector<T> expected = cycle_of(Host(), e, r), found = cycle_of(this->space(), e, r);
    double error = 0, largest = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double difference = std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i]));
      error = std::isfinite(difference) ? std::max(error, difference) : HUGE_VAL;
      largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    }
    EXPECT_LE(error, 1e-5 * largest);
  }
}

}  // namespace plain_grid
}  // namespace
}  // namespace ostinato::test

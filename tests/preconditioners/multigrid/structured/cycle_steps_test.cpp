// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/slots.hpp>

#include "support/matrices.hpp"

namespace ostinato::test {
namespace {
namespace structured {

using namespace multigrid;

/// c x + P coarse by the weights of each coarse point.
template <int Axes>
std::vector<double> interpolated(const Interpolate<Axes>& step) {
  using H = Halved<Axes>;
  const auto at = [](bool halved, Index coarse) { return halved ? 2 * coarse + 1 : coarse; };
  std::vector<double> out(step.fine.points());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(step.c) * static_cast<double>(step.x[i]);
  for_points(step.p.grid, [&](Index x, Index y, Index z) {
    const std::size_t j = step.p.grid.number(x, y, z);
    for (int k = 0; k < neighbours; ++k) {
      if (!H::has(k)) continue;
      const Step d = Step::of(k);
      const Index fx = at(H::x, x) + d.x, fy = at(H::y, y) + d.y, fz = at(H::z, z) + d.z;
      if (!step.fine.contains(fx, fy, fz)) continue;
      const std::size_t w = static_cast<std::size_t>(H::coefficient(k)) * step.p.stride() + step.p.at(x, y, z, j);
      out[step.fine.number(fx, fy, fz)] += static_cast<double>(step.p.a[w]) * static_cast<double>(step.coarse[j]);
    }
  });
  return out;
}

template <int Axes>
void expect_interpolation(const Extents& fine) {
  using H = Halved<Axes>;
  const Extents coarse{H::x ? fine.x / 2 : fine.x, H::y ? fine.y / 2 : fine.y, H::z ? fine.z / 2 : fine.z};
  for (const bool by_class : {true, false}) {
    SCOPED_TRACE(testing::Message() << fine.x << " x " << fine.y << " x " << fine.z << ", axes " << Axes
                                    << (by_class ? ", by class" : ""));
    const std::size_t weights = neighbours * (by_class ? std::size_t{scaled_classes} : coarse.points());
    const auto p = random_vector<float>(static_cast<Index>(weights), 1);
    const auto x = random_vector<float>(static_cast<Index>(fine.points()), 2),
               of_coarse = random_vector<float>(static_cast<Index>(coarse.points()), 3);
    std::vector<float> out(fine.points(), std::numeric_limits<float>::quiet_NaN());
    const Interpolate<Axes> step{{coarse, p.data(), by_class}, fine, x.data(), 0.8f, of_coarse.data(), out.data()};

    for_points(step.cells(), step);

    const std::vector<double> expected = interpolated(step);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(static_cast<double>(out[i]), expected[i], 1e-5) << i;
  }
}

TEST(CycleSteps, InterpolateFromTheCoarsePointsAround) {
  for (const Extents& fine : {Extents{2, 2, 2}, Extents{3, 2, 5}, Extents{8, 8, 8}, Extents{9, 7, 11},
                              Extents{16, 3, 2}, Extents{5, 12, 7}}) {
    each<1, 8>([&](auto axes) { expect_interpolation<axes>(fine); });
  }
}

}  // namespace structured
}  // namespace
}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/tiles.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/slots.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>

#include "support/grids.hpp"
#include "support/spaces.hpp"

// The way up in tiles against the two steps of a cycle on the host.

namespace ostinato::test {
namespace {
namespace structured {

using namespace multigrid;

constexpr float omega = 0.8f;

/// x + omega (b - A x), where x = omega b + P coarse, by the steps of a cycle. `a` is the operator in host memory.
template <class A>
std::vector<float> ascended(const Level<Cuda>& level, A a, const std::vector<float>& b,
                            const std::vector<float>& coarse) {
  const std::vector<float> p = level.p.download();
  const std::size_t margin = Field<Cuda>::margin(level.grid, level.dimensions), n = level.grid.points();
  std::vector<float> x(n + 2 * margin), out(n);
  Coefficients weights = level.weights_view();
  weights.a = p.data();
  const Interpolate<7> up{weights, level.grid, b.data(), omega, coarse.data(), x.data() + margin};
  for_points(up.cells(), up);
  const auto smooth = [&](auto shape) {
    for_points(level.grid, Smooth<decltype(shape), float*, A>{a, b.data(), x.data() + margin, 1, omega, out.data()});
  };
  level.star ? smooth(Shape<3, true>{}) : smooth(Shape<3, false>{});
  return out;
}

std::vector<float> ascended(const Level<Cuda>& level, const std::vector<float>& b, const std::vector<float>& coarse) {
  if (level.is_half()) {
    const std::vector<Half> rows = level.half_a.download();
    return ascended(level, HalfCoefficients{level.grid, rows.data()}, b, coarse);
  }
  const std::vector<float> rows = level.a.download();
  Coefficients a = level.operator_view();
  a.a = rows.data();
  return ascended(level, a, b, coarse);
}

void expect_steps(const Cuda& space, const Level<Cuda>& level) {
  const auto b = random_vector<float>(static_cast<Index>(level.grid.points()), 1),
             coarse = random_vector<float>(static_cast<Index>(level.next.points()), 2);
  const Vector<Cuda, float> b_there(space, std::span<const float>(b)),
      coarse_there(space, std::span<const float>(coarse));
  const std::vector<float> unset(b.size(), std::numeric_limits<float>::quiet_NaN());
  Vector<Cuda, float> out(space, std::span<const float>(unset));

  ascend_in_tiles(space, level, omega, b_there.data(), coarse_there.data(), out.data());

  const std::vector<float> found = out.download(), expected = ascended(level, b, coarse);
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 2e-6) << i;
}

/// Checks all levels that have tiles; there has to be one.
void expect_steps(const Cuda& space, const Csr<double>& matrix, bool half = false) {
  const Analysis<Cuda, double> analysis(space, matrix);
  ASSERT_TRUE(analysis.grid()) << analysis.grid().why_not;
  Hierarchy<Cuda> h(analysis, analysis.grid());
  if (half) h.round_to_half(1);
  int checked = 0;
  for (const Level<Cuda>& level : h.levels()) {
    if (!has_tiles(level)) continue;
    expect_steps(space, level);
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

TEST(Tiles, GiveWhatTheStepsGive) {
  if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
  const Cuda space;
  // Less than a tile and several along each axis, of which the last ones are cut; even and odd.
  for (const Extents& e : {Extents{6, 5, 7},
                           {9, 7, 11},
                           {33, 5, 5},
                           {31, 9, 8},
                           {34, 8, 6},
                           {64, 10, 12},
                           {65, 13, 9},
                           {97, 4, 4},
                           {8, 40, 5},
                           {6, 7, 50},
                           {32, 32, 32}}) {
    for (const bool star : {true, false}) {
      SCOPED_TRACE(std::to_string(e.x) + " x " + std::to_string(e.y) + " x " + std::to_string(e.z) +
                   (star ? "" : ", 27-point"));
      expect_steps(space, grid_matrix<double>(e, laplacian(e, star)));
      expect_steps(space, grid_matrix<double>(e, varied(e, star, 0.1)));
      expect_steps(space, grid_matrix<double>(e, varied(e, star, 0.1)), true);
    }
  }
}

TEST(Tiles, AreForSmallGridsOfThreeHalvedAxes) {
  Level<Cuda> level;
  level.dimensions = 3;
  level.axes = 7;
  level.by_class = true;
  level.grid = {32, 32, 32};
  EXPECT_TRUE(has_tiles(level));
  level.grid.z = 33;
  EXPECT_FALSE(has_tiles(level));
  level.by_class = false;
  EXPECT_TRUE(has_tiles(level));
  level.axes = 6;
  EXPECT_FALSE(has_tiles(level));
  level.axes = 7;
  level.periodic.y = true;
  EXPECT_FALSE(has_tiles(level));
}

}  // namespace structured
}  // namespace
}  // namespace ostinato::test

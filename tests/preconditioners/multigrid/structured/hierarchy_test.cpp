// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/classes.hpp>
#include <ostinato/preconditioners/multigrid/structured/slots.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/grids.hpp"
#include "support/spaces.hpp"
#include "support/stencils.hpp"
#include "support/systems.hpp"

namespace ostinato::test {
namespace {
namespace structured {

using namespace multigrid;

/// A dense matrix, for grids of some hundred points.
struct Dense {
  std::size_t rows, cols;
  std::vector<double> v = std::vector<double>(rows * cols);

  double& operator()(std::size_t i, std::size_t j) { return v[i * cols + j]; }
  double operator()(std::size_t i, std::size_t j) const { return v[i * cols + j]; }
};

Dense product(const Dense& a, const Dense& b) {
  Dense c{a.rows, b.cols};
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.cols; ++k) {
      if (a(i, k) == 0) continue;
      for (std::size_t j = 0; j < b.cols; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

Dense transposed(const Dense& a) {
  Dense t{a.cols, a.rows};
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.cols; ++j) t(j, i) = a(i, j);
  }
  return t;
}

/// The periodic axes: 1 for x, 2 for y, 4 for z.
template <class Space>
int axes_around(const Level<Space>& level) {
  return (level.periodic.x ? 1 : 0) + (level.periodic.y ? 2 : 0) + (level.periodic.z ? 4 : 0);
}

/// Where a coarse point, and a fine point at steps from it, lie on an axis of n points; -1 for another coarse point on
/// a halved periodic axis.
Index on_axis(Index j, int step, Index n, bool halved, bool around) {
  if (!halved) return j;
  const Index at = 2 * j + 1;
  if (!around) return at + step;
  std::vector<bool> is_coarse(static_cast<std::size_t>(n));
  for (Index k = 0; 2 * k < n; ++k) is_coarse[static_cast<std::size_t>((2 * k + 1) % n)] = true;
  const Index found = (at + step + n) % n;
  return step != 0 && is_coarse[static_cast<std::size_t>(found)] ? -1 : found;
}

template <class Space>
Dense operator_of(const Level<Space>& level) {
  const Extents& e = level.grid;
  const std::vector<float> a = level.a.download();
  const Coefficients view = level.operator_view();
  Dense m{e.points(), e.points()};
  for_points(e, [&](Index x, Index y, Index z) {
    const std::size_t i = e.number(x, y, z);
    m(i, i) = 1;
    std::size_t c = 0;
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      const bool has = k != centre && (level.dimensions > 2 || d.z == 0) && (level.dimensions > 1 || d.y == 0) &&
                       (!level.star || d.axes() == 1);
      if (!has) continue;
      const float value = a[c++ * view.stride() + view.at(x, y, z, i)];
      const Index nx = come_around(x + d.x, e.x, axes_around(level), 0),
                  ny = come_around(y + d.y, e.y, axes_around(level), 1),
                  nz = come_around(z + d.z, e.z, axes_around(level), 2);
      if (e.contains(nx, ny, nz)) {
        m(i, e.number(nx, ny, nz)) += static_cast<double>(value);
      } else {
        EXPECT_EQ(value, 0) << "a coefficient that leads out of the grid";
      }
    }
  });
  return m;
}

template <class Space>
Dense interpolation_of(const Level<Space>& level) {
  const Extents &fine = level.grid, &coarse = level.next;
  const std::vector<float> p = level.p.download();
  const Coefficients view = level.weights_view();
  const bool hx = level.axes & 1, hy = level.axes & 2, hz = level.axes & 4;
  Dense m{fine.points(), coarse.points()};
  for_points(coarse, [&](Index x, Index y, Index z) {
    const std::size_t j = coarse.number(x, y, z);
    std::size_t c = 0;
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      if ((d.x != 0 && !hx) || (d.y != 0 && !hy) || (d.z != 0 && !hz)) continue;
      const float w = p[c++ * view.stride() + view.at(x, y, z, j)];
      const int around = axes_around(level);
      const Index fx = on_axis(x, d.x, fine.x, hx, around & 1), fy = on_axis(y, d.y, fine.y, hy, around & 2),
                  fz = on_axis(z, d.z, fine.z, hz, around & 4);
      if (fine.contains(fx, fy, fz)) {
        m(fine.number(fx, fy, fz), j) += static_cast<double>(w);
      } else {
        EXPECT_EQ(w, 0) << "a weight of a point outside the grid";
      }
    }
  });
  return m;
}

template <class Case>
class HierarchyOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;

  Hierarchy<Home> make(const Csr<Value>& a) const {
    const Analysis<Home, Value> analysis(this->space(), a);
    EXPECT_TRUE(analysis.grid()) << analysis.grid().text();
    return Hierarchy<Home>(GridPlan<Home>(analysis, analysis.grid()));
  }
};

TYPED_TEST_SUITE(HierarchyOn, EverySpace, SpaceNames);

TYPED_TEST(HierarchyOn, CoarseOperatorsAreThoseOfGalerkin) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{100}, Extents{131}, Extents{12, 12}, Extents{13, 11}, Extents{12, 9},
                           Extents{7, 6, 5}, Extents{6, 6, 6}, Extents{4, 8, 5}, Extents{7, 7, 7}}) {
    for (const bool star : {true, false}) {
      for (const bool constant : {true, false}) {
        // Without a multiple of the identity, stars of three dimensions have other coarse operators.
        const bool shifted = !constant || (star && e.z > 1);
        const auto hierarchy =
            this->make(grid_matrix<T>(e, constant ? laplacian(e, star) : varied(e, star, 1), shifted ? 0.01 : 0));
        const auto& levels = hierarchy.levels();
        ASSERT_GT(levels.size(), 1u);
        EXPECT_EQ(hierarchy.by_class(), constant);
        for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
          const Dense p = interpolation_of(levels[k]), a = operator_of(levels[k]);

          const Dense expected = product(transposed(p), product(a, p)), coarse = operator_of(levels[k + 1]);

          double worst = 0;
          for (std::size_t i = 0; i < coarse.v.size(); ++i)
            worst = std::max(worst, std::abs(coarse.v[i] - expected.v[i]));
          EXPECT_LT(worst, 3e-6) << e.x << " x " << e.y << " x " << e.z << (star ? " star" : "")
                                 << (constant ? " constant" : "") << ", level " << k;
        }
      }
    }
  }
}

/// The largest difference between a coarse operator and P^T A P, over all levels.
template <class H>
double worst_galerkin(const H& hierarchy) {
  const auto& levels = hierarchy.levels();
  double worst = 0;
  for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
    const Dense p = interpolation_of(levels[k]), a = operator_of(levels[k]);
    const Dense expected = product(transposed(p), product(a, p)), coarse = operator_of(levels[k + 1]);
    for (std::size_t i = 0; i < coarse.v.size(); ++i) worst = std::max(worst, std::abs(coarse.v[i] - expected.v[i]));
  }
  return worst;
}

/// A star as a sum over the axes: a 1-D operator times the masses of the other axes, and `shift` times all masses.
struct AxesOf {
  Dense k[3] = {{0, 0}, {0, 0}, {0, 0}};
  std::vector<double> d[3];
  double shift;

  /// near: the axes whose begin lies half a step before the first point.
  AxesOf(const Extents& e, const double (&along)[3], int near, double s) : shift(s) {
    const Index n[] = {e.x, e.y, e.z};
    for (int axis = 0; axis < 3; ++axis) {
      const auto size = static_cast<std::size_t>(n[axis]);
      k[axis] = Dense{size, size};
      d[axis].assign(size, 1);
      for (std::size_t i = 0; i < size; ++i) {
        k[axis](i, i) = (i == 0 && (near >> axis & 1) != 0 ? 3 : 2) * along[axis];
        if (i > 0) k[axis](i, i - 1) = k[axis](i - 1, i) = -along[axis];
      }
    }
  }

  /// Scaled to a diagonal of 1.
  Dense matrix() const {
    const Extents e{static_cast<Index>(d[0].size()), static_cast<Index>(d[1].size()), static_cast<Index>(d[2].size())};
    Dense m{e.points(), e.points()};
    const auto value = [&](const std::size_t(&i)[3], const std::size_t(&j)[3]) {
      double sum = 0, mass = shift;
      for (int axis = 0; axis < 3; ++axis) {
        double term = k[axis](i[axis], j[axis]);
        for (int other = 0; other < 3; ++other) {
          if (other != axis) term *= i[other] == j[other] ? d[other][i[other]] : 0;
        }
        sum += term;
        mass *= i[axis] == j[axis] ? d[axis][i[axis]] : 0;
      }
      return sum + mass;
    };
    const auto of = [](Index x, Index y, Index z, std::size_t(&i)[3]) {
      i[0] = static_cast<std::size_t>(x), i[1] = static_cast<std::size_t>(y), i[2] = static_cast<std::size_t>(z);
    };
    for_points(e, [&](Index x, Index y, Index z) {
      std::size_t i[3], j[3];
      of(x, y, z, i);
      for_points(e, [&](Index x2, Index y2, Index z2) {
        of(x2, y2, z2, j);
        m(e.number(x, y, z), e.number(x2, y2, z2)) = value(i, j) / std::sqrt(value(i, i) * value(j, j));
      });
    });
    return m;
  }

  /// What row i of an axis adds up to.
  double row_sum(int axis, std::size_t i) const {
    double sum = 0;
    for (std::size_t j = 0; j < k[axis].cols; ++j) sum += k[axis](i, j);
    return sum;
  }

  /// Interpolation along an axis: rows of the operator in the middle of the other axes, summed over these.
  Dense weights(int axis) const {
    const std::size_t n = d[axis].size();
    double mass = 1, held = shift;
    for (int other = 0; other < 3; ++other) {
      const std::size_t middle = d[other].size() / 2;
      if (other == axis) continue;
      mass *= d[other][middle];
      held += row_sum(other, middle) / d[other][middle];
    }
    Dense p{n, n / 2};
    for (std::size_t i = 0; i < n; ++i) {
      const double own = mass * (k[axis](i, i) + held * d[axis][i]);
      if (i % 2 == 1) p(i, i / 2) = 1;
      if (i % 2 == 0 && i > 0) p(i, i / 2 - 1) = -mass * k[axis](i, i - 1) / own;
      if (i % 2 == 0 && i + 1 < n) p(i, i / 2) = -mass * k[axis](i, i + 1) / own;
    }
    return p;
  }

  void halve(int axes) {
    const Dense p[] = {weights(0), weights(1), weights(2)};
    for (int axis = 0; axis < 3; ++axis) {
      if ((axes >> axis & 1) == 0) continue;
      const Dense down = transposed(p[axis]);
      k[axis] = product(down, product(k[axis], p[axis]));
      const Dense masses = product(down, Dense{d[axis].size(), 1, d[axis]});
      d[axis] = masses.v;
    }
  }
};

TYPED_TEST(HierarchyOn, CoarseOperatorsOfAConstantStarHaveLumpedMasses) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{7, 6, 5}, Extents{8, 8, 8}, Extents{4, 8, 5}, Extents{9, 7, 7}}) {
    for (const double y : {1.0, 0.7, 0.01}) {
      for (const int near : {0, 1, 6}) {
        for (const double shift : {0.0, 2e-6, -2e-6}) {
          SCOPED_TRACE(testing::Message()
                       << e.x << " x " << e.y << " x " << e.z << " y " << y << " near " << near << " shift " << shift);
          const double along[] = {1, y, 1};
          const auto hierarchy = this->make(grid_matrix<T>(
              e,
              [=, star = laplacian(e, true)](Index px, Index py, Index pz, int dx, int dy, int dz) {
                const Index at[] = {px, py, pz};
                const int step[] = {dx, dy, dz};
                double c = star(px, py, pz, dx, dy, dz);
                for (int axis = 0; axis < 3; ++axis) {
                  if (step[axis] != 0) c *= along[axis];
                  if ((near >> axis & 1) != 0 && at[axis] == 0 && step[axis] < 0) c *= 2;
                }
                return c;
              },
              shift));
          ASSERT_TRUE(hierarchy.by_class());
          AxesOf expected(e, along, near, std::max(shift, 0.0));  // less than 0 is rounding
          bool stars = true;                                      // as long as all axes are halved
          for (const auto& level : hierarchy.levels()) {
            EXPECT_EQ(level.star, stars);
            if (!stars) break;
            stars = level.axes == 7;
            const Dense wanted = expected.matrix(), found = operator_of(level);
            ASSERT_EQ(found.v.size(), wanted.v.size());
            double worst = 0;
            for (std::size_t i = 0; i < found.v.size(); ++i)
              worst = std::max(worst, std::abs(found.v[i] - wanted.v[i]));
            EXPECT_LT(worst, 2e-6) << level.grid.x << " x " << level.grid.y << " x " << level.grid.z;
            expected.halve(level.axes);
          }
        }
      }
    }
  }
}

TYPED_TEST(HierarchyOn, CoarseOperatorsOfOtherStarsAreThoseOfGalerkin) {
  using T = typename TypeParam::T;
  const Extents e{7, 6, 5};
  const auto with = [&](auto change, double shift = 0) {
    return this->make(grid_matrix<T>(
        e,
        [=, star = laplacian(e, true)](Index x, Index y, Index z, int dx, int dy, int dz) {
          return star(x, y, z, dx, dy, dz) * change(x, y, dx, dy);
        },
        shift));
  };
  const auto same = [](Index, Index, int, int) { return 1.0; };
  const auto to_the_left = [](double c) { return [c](Index, Index, int dx, int) { return dx < 0 ? c : 1.0; }; };
  const auto at_the_begin = [](double c) {
    return [c](Index x, Index, int dx, int) { return x == 0 && dx < 0 ? c : 1.0; };
  };
  for (const auto& hierarchy :
       {with(same, 0.01), with(same, 6e-4), with(to_the_left(1.25)), with(at_the_begin(0)), with(at_the_begin(-0.3)),
        // A coefficient along x that depends on y; a corner with a diagonal of its own.
        with([](Index, Index y, int dx, int) { return dx != 0 && y == 0 ? 0.75 : 1.0; }),
        with([](Index x, Index y, int dx, int) { return x + y == 0 && dx < 0 ? 3.0 : 1.0; })}) {
    ASSERT_TRUE(hierarchy.by_class());
    ASSERT_GT(hierarchy.levels().size(), 1u);
    EXPECT_FALSE(hierarchy.levels()[1].star);
    EXPECT_LT(worst_galerkin(hierarchy), 3e-6);
  }
  // An axis of the other sign has no weights.
  EXPECT_FALSE(with([](Index, Index, int dx, int) { return dx != 0 ? -0.8 : 1.0; }).levels()[1].star);
}

TYPED_TEST(HierarchyOn, CoarseOperatorsOfPeriodicGridsAreThoseOfGalerkin) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{128}, Extents{131}, Extents{16, 12}, Extents{13, 11}, Extents{5, 30},
                           Extents{8, 6, 5}, Extents{6, 7, 9}, Extents{5, 5, 5}}) {
    const int all = e.z > 1 ? 7 : e.y > 1 ? 3 : 1;
    for (int around = 1; around <= all; ++around) {
      for (const bool star : {true, false}) {
        for (const double size : {0.0, 1.0}) {
          SCOPED_TRACE(testing::Message() << e.x << " x " << e.y << " x " << e.z << " around " << around
                                          << (star ? " star" : "") << " size " << size);
          const Csr<T> a = grid_matrix<T>(e, symmetric_around(e, around, varied(e, star, size)), 0.01, around);
          const auto hierarchy = this->make(a);
          ASSERT_GT(hierarchy.levels().size(), 1u);
          EXPECT_EQ(axes_around(hierarchy.levels().back()), around);
          EXPECT_LT(worst_galerkin(hierarchy), 3e-6);
        }
      }
    }
  }
}

// A stencil may have a shorter axis than a grid that is found in a matrix.
TYPED_TEST(HierarchyOn, OfAPeriodicStencilIsThatOfItsMatrix) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{12, 16}, Extents{40, 3}, Extents{3, 4, 20}, Extents{9, 6, 7}}) {
    ostinato::Stencil stencil = with_periodic(laplacian_stencil(e, true), 3);
    for (const bool constant : {true, false}) {
      if (!constant)
        stencil.coefficient = [](Index x, Index, Index, int dx, int dy, int dz) {
          return dx == 0 && dy == 0 && dz == 0 ? 7.0 + x % 2 : -1.0;
        };
      const StencilOperator<typename TypeParam::Space, T> a(this->space(), stencil);
      const Hierarchy hierarchy{GridPlan<typename TypeParam::Space>(a)};
      EXPECT_LT(worst_galerkin(hierarchy), 3e-6);
      const Dense found = operator_of(hierarchy.levels().front());
      const Csr<T> matrix = stencil_matrix<T>(stencil);
      std::vector<double> diagonal(e.points());
      for (std::size_t i = 0; i < e.points(); ++i) {
        for (auto k = static_cast<std::size_t>(matrix.row_ptr[i]); k < static_cast<std::size_t>(matrix.row_ptr[i + 1]);
             ++k)
          if (static_cast<std::size_t>(matrix.col[k]) == i) diagonal[i] = static_cast<double>(matrix.val[k]);
      }
      Dense expected{e.points(), e.points()};
      for (std::size_t i = 0; i < e.points(); ++i) {
        for (auto k = static_cast<std::size_t>(matrix.row_ptr[i]); k < static_cast<std::size_t>(matrix.row_ptr[i + 1]);
             ++k) {
          const auto j = static_cast<std::size_t>(matrix.col[k]);
          expected(i, j) = static_cast<double>(matrix.val[k]) / std::sqrt(diagonal[i] * diagonal[j]);
        }
      }
      for (std::size_t k = 0; k < expected.v.size(); ++k) EXPECT_NEAR(found.v[k], expected.v[k], 1e-6);
    }
  }
}

TYPED_TEST(HierarchyOn, FinestOperatorIsTheScaledMatrix) {
  using T = typename TypeParam::T;
  const Extents e{5, 6, 7};
  const Csr<T> a = grid_matrix<T>(e, varied(e, true, 1));
  const Dense m = operator_of(this->make(a).levels().front());
  std::vector<double> diagonal(e.points());
  const auto visit = [&](auto f) {
    for (std::size_t i = 0; i < e.points(); ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        f(i, static_cast<std::size_t>(a.col[k]), static_cast<double>(a.val[k]));
    }
  };
  visit([&](std::size_t i, std::size_t j, double v) { diagonal[i] = i == j ? v : diagonal[i]; });

  visit([&](std::size_t i, std::size_t j, double v) {
    EXPECT_NEAR(m(i, j), v / std::sqrt(diagonal[i] * diagonal[j]), 1e-6);
  });
}

TYPED_TEST(HierarchyOn, OfAnUnknownIsThatOfItsCouplingsWithItself) {
  using T = typename TypeParam::T;
  const Extents e{12, 9};
  for (const double size : {0.0, 1.0}) {
    const Csr<T> a = grid_matrix<T>(e, varied(e, true, size));
    const auto alone = this->make(a);
    for (const bool by_field : {false, true}) {
      const Analysis analysis(this->space(), with_unknowns(a, 3, by_field, 0.25));
      for (int u = 0; u < 3; ++u) {
        const Hierarchy hierarchy{GridPlan<typename TypeParam::Space>(analysis, analysis.grid(), u)};
        ASSERT_EQ(hierarchy.levels().size(), alone.levels().size());
        EXPECT_EQ(hierarchy.by_class(), size == 0);
        for (std::size_t k = 0; k < alone.levels().size(); ++k) {
          const Dense expected = operator_of(alone.levels()[k]), found = operator_of(hierarchy.levels()[k]);
          for (std::size_t i = 0; i < expected.v.size(); ++i) EXPECT_NEAR(found.v[i], expected.v[i], 1e-6);
        }
      }
    }
  }
}

TYPED_TEST(HierarchyOn, HalvesOnlyTheAxesThatCoupleStrongly) {
  using T = typename TypeParam::T;
  const Extents e{32, 32};
  for (const double extra : {0.0, 1e-3}) {
    const auto hierarchy = this->make(
        grid_matrix<T>(e, [extra, star = laplacian(e, true)](Index x, Index y, Index z, int dx, int dy, int dz) {
          return star(x, y, z, dx, dy, dz) * (dx != 0 ? 1 : 0.01) * (1 + extra * (x == 3 && dx == 1));
        }));
    EXPECT_EQ(hierarchy.by_class(), extra == 0);
    EXPECT_EQ(hierarchy.levels()[0].axes, 1);
    EXPECT_EQ(hierarchy.levels()[1].grid, (Extents{16, 32}));
  }
}

TYPED_TEST(HierarchyOn, ByPointInThreeDimensionsHalvesAxesThatCoupleHalfAsStrongly) {
  using T = typename TypeParam::T;
  const Extents e{10, 10, 10};
  for (const double extra : {0.0, 1e-3}) {
    const auto hierarchy = this->make(
        grid_matrix<T>(e, [extra, star = laplacian(e, true)](Index x, Index y, Index z, int dx, int dy, int dz) {
          return star(x, y, z, dx, dy, dz) * (dx != 0 ? 1 : 0.4) * (1 + extra * (x == 3 && dx == 1));
        }));
    EXPECT_EQ(hierarchy.by_class(), extra == 0);
    EXPECT_EQ(hierarchy.levels()[0].axes, hierarchy.by_class() ? 1 : 7);
  }
}

TYPED_TEST(HierarchyOn, KnowsItsMemoryRoughlyWhereAnAxisIsNearlyTooWeakToBeHalved) {
  using T = typename TypeParam::T;
  const Extents e{40, 40};
  for (const double share : {0.55, 0.8}) {
    const Analysis analysis(
        this->space(),
        grid_matrix<T>(e, [share, star = laplacian(e, true)](Index x, Index y, Index z, int dx, int dy, int dz) {
          return star(x, y, z, dx, dy, dz) * (dx != 0 ? 1 : share) * (1 + 1e-3 * (x == 3 && dx == 1));
        }));
    GridPlan<typename TypeParam::Space> plan(analysis, analysis.grid());
    EXPECT_EQ(plan.certainty(), Certainty::at_least);
    EXPECT_TRUE(plan.measure());
    EXPECT_EQ(plan.certainty(), share > 0.6 ? Certainty::close : Certainty::rough);
    EXPECT_EQ(plan.grids()[0].axes, 3);
    const Hierarchy hierarchy(std::move(plan));
    EXPECT_FALSE(hierarchy.by_class());
    EXPECT_EQ(hierarchy.levels()[0].axes, 3);
  }
}

/// The classes of a star with a coefficient along each axis, and rows whose sum is 0 away from the sides.
Classes star_rows(double x, double y, double z) {
  const double along[3] = {x, y, z};
  Classes rows{};
  for (auto& row : rows) {
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      if (d.axes() == 1) row[static_cast<std::size_t>(k)] = along[d.x != 0 ? 0 : d.y != 0 ? 1 : 2];
    }
    row[centre] = -2 * (x + y + z);
  }
  return rows;
}

TEST(PlainGrids, InterpolateLinearlyAlongAllAxes) {
  const Extents e{16, 16, 16};
  ClassRoots ones;
  ones.fill(1);
  const auto is_linear = [&](const Classes& rows) {
    const std::vector<float> weights = HalvedClasses(rows, e, 7).scaled_weights(ones, ones);
    bool linear = true;
    for (std::size_t k = 0; k < neighbours; ++k) {  // of the class in the middle
      const double weight = weights[k * scaled_classes + 2 + 5 * 2 + 25 * 2];
      linear = linear && weight == std::ldexp(1.0, -Step::of(static_cast<int>(k)).axes());
    }
    return linear;
  };
  for (const Classes& rows : {star_rows(-1, -1, -1), star_rows(-0.5, -1, -0.75)}) {
    EXPECT_TRUE(is_plain(rows, e, 3, true));
    EXPECT_TRUE(is_linear(rows));
  }
  // An axis that couples points with the other sign has no weights, although it is halved.
  const Classes other = star_rows(0.5, -1, -1);
  EXPECT_FALSE(is_linear(other));
  EXPECT_FALSE(is_plain(other, e, 3, true));
}

TYPED_TEST(HierarchyOn, InterpolatesConstantsWithoutABoundary) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{16, 15}, Extents{8, 9, 10}}) {
    for (const auto& [size, around] : {std::pair{0.0, 0}, {1.0, 0}, {0.0, 7}, {1.0, 7}, {1.0, 2}}) {
      const Coupling inside = [=, c = symmetric_around(e, around, varied(e, true, size))](Index x, Index y, Index z,
                                                                                          int dx, int dy, int dz) {
        return e.contains(come_around(x + dx, e.x, around, 0), come_around(y + dy, e.y, around, 1),
                          come_around(z + dz, e.z, around, 2))
                   ? c(x, y, z, dx, dy, dz)
                   : 0.0;
      };
      const Csr<T> a = grid_matrix<T>(e, inside, 0, around);
      const auto hierarchy = this->make(a);
      // Constants of the scaled operators: the roots of the diagonals. A coarse point has the value of its fine point.
      std::vector<double> fine(e.points());
      for (std::size_t i = 0; i < fine.size(); ++i) {
        for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
          fine[i] = static_cast<std::size_t>(a.col[k]) == i ? std::sqrt(static_cast<double>(a.val[k])) : fine[i];
      }
      for (std::size_t l = 0; l + 1 < hierarchy.levels().size(); ++l) {
        const auto& level = hierarchy.levels()[l];
        const Dense p = interpolation_of(level);
        std::vector<double> coarse(p.cols);
        for_points(level.next, [&](Index x, Index y, Index z) {
          const Extents& g = level.grid;
          const int periodic = axes_around(level);
          const std::size_t i = g.number(on_axis(x, 0, g.x, level.axes & 1, periodic & 1),
                                         on_axis(y, 0, g.y, level.axes & 2, periodic & 2),
                                         on_axis(z, 0, g.z, level.axes & 4, periodic & 4));
          const std::size_t j = level.next.number(x, y, z);
          coarse[j] = fine[i] / p(i, j);
        });
        for (std::size_t i = 0; i < p.rows; ++i) {
          double value = 0;
          for (std::size_t j = 0; j < p.cols; ++j) value += p(i, j) * coarse[j];
          EXPECT_NEAR(value / fine[i], 1, 1e-4) << "level " << l << ", point " << i;
        }
        fine = coarse;
      }
    }
  }
}

}  // namespace structured
}  // namespace
}  // namespace ostinato::test

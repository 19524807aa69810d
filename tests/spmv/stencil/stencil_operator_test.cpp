// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/stencil/stencil_operator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/stencil/stencil_steps.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"
#include "support/stencils.hpp"

namespace ostinato::test {
namespace {

static_assert(LinearOperator<StencilOperator<Host, double>>);
static_assert(is_capturable<StencilOperator<Cuda, float>>);

template <class Case>
class StencilOperatorOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;
  using Stencils = StencilOperator<Home, Value>;

  /// Compares all kinds of products with those of the matrix.
  void expect_products(const Stencil& stencil, const std::vector<std::pair<double, double>>& factors = {
                                                   {1, 0}, {1, 1}, {-0.5, 2}, {3, 0}, {0, -1}}) const {
    const Stencils a(this->space(), stencil);
    const Csr<Value> matrix = stencil_matrix<Value>(stencil);
    const auto x = random_vector<Value>(matrix.rows, 1), y = random_vector<Value>(matrix.rows, 2);
    const auto dx = this->put(x), dy = this->put(y);
    for (const auto& [alpha, beta] : factors) {
      const auto of_a = static_cast<Value>(alpha), of_y = static_cast<Value>(beta);
      auto out = this->put(beta == 0 ? std::vector<Value>(y.size(), std::numeric_limits<Value>::quiet_NaN()) : y);
      a.apply(of_a, dx, of_y, out);
      EXPECT_EQ(difference(out.download(), reference_product(matrix.view(), of_a, x, of_y, y)), "")
          << alpha << ", " << beta;
    }
    auto out = this->put(std::vector<Value>(y.size(), std::numeric_limits<Value>::quiet_NaN()));
    auto slot = this->template put<double>({-1});
    a.apply_dot(dx, out, dy, slot.data());
    EXPECT_EQ(difference(out.download(), reference_product(matrix.view(), Value{1}, x, Value{0}, y)), "");
    expect_dot(slot.download()[0], y, out.download());
    const auto residual = reference_product(matrix.view(), Value{-1}, x, Value{1}, y);
    a.residual(dx, dy, out, slot.data());
    EXPECT_EQ(difference(out.download(), residual), "");
    expect_dot(slot.download()[0], out.download(), out.download());
    EXPECT_TRUE(a.accurate_residual(2, 0.5, dx, dy, out, slot.data()));
    EXPECT_EQ(difference(out.download(), residual), "");
    expect_dot(slot.download()[0], out.download(), out.download());
    if constexpr (std::is_same_v<Value, double>) expect_mixed_products(a, matrix);
  }

  /// Vectors in float; w is a vector of its own, x, or the product. They may begin anywhere in memory.
  void expect_mixed_products(const Stencils& a, const Csr<Value>& matrix) const {
    const auto n = static_cast<std::size_t>(matrix.rows);
    const auto x = random_vector<float>(matrix.rows, 3), w = random_vector<float>(matrix.rows, 4);
    const auto reference =
        reference_product(matrix.view(), Value{1}, std::vector<Value>(x.begin(), x.end()), Value{0}, {});
    for (const std::size_t first : {0, 1}) {
      std::vector<float> behind(first, std::numeric_limits<float>::quiet_NaN());
      behind.insert(behind.end(), x.begin(), x.end());
      const auto dx = this->put(behind), dw = this->put(w);
      auto out = this->put(std::vector<float>(n, std::numeric_limits<float>::quiet_NaN()));
      auto slot = this->template put<double>({-1});
      const std::span<const float> from = dx.span().subspan(first);
      for (const std::span<const float> of_w : {dw.span(), from, std::span<const float>(out.span())}) {
        a.lower()->apply_dot(from, out.span(), of_w, slot.data());
        const std::vector<float> y = out.download();
        for (std::size_t i = 0; i < n; ++i) {
          const long double value = reference[i].value;
          ASSERT_LE(std::abs(y[i] - value),
                    std::ldexp(1.0L, -24) * std::abs(value) + 2 * reference[i].template bound<Value>())
              << "row " << i;
        }
        const std::vector<float>& u = of_w.data() == dw.data() ? w : of_w.data() == from.data() ? x : y;
        long double dot = 0, size = 0;
        for (std::size_t i = 0; i < n; ++i) {
          dot += static_cast<long double>(u[i]) * y[i];
          size += std::abs(static_cast<long double>(u[i]) * y[i]);
        }
        EXPECT_LE(std::abs(slot.download()[0] - dot), 1e-12L * size);
      }
    }
  }

  static void expect_dot(double dot, const std::vector<Value>& u, const std::vector<Value>& v) {
    long double exact = 0, size = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      exact += static_cast<long double>(u[i]) * v[i];
      size += std::abs(static_cast<long double>(u[i]) * v[i]);
    }
    const double tolerance = std::max(1e-12, 4.0 * static_cast<double>(std::numeric_limits<Value>::epsilon()));
    EXPECT_NEAR(dot, static_cast<double>(exact), tolerance * static_cast<double>(size) + 1e-300);
  }
};

TYPED_TEST_SUITE(StencilOperatorOn, EverySpace, SpaceNames);

TYPED_TEST(StencilOperatorOn, GivesTheProductsOfItsMatrix) {
  for (const Extents& e :
       {Extents{1},        Extents{2},       Extents{3},        Extents{31},       Extents{33},
        Extents{597},      Extents{5, 2},    Extents{2, 7},     Extents{300, 9},   Extents{1, 40},
        Extents{4, 5, 3},  Extents{2, 2, 2}, Extents{33, 1, 8}, Extents{1, 6, 7},  Extents{270, 5, 4},
        Extents{9, 8, 33}, Extents{8},       Extents{16, 5},    Extents{12, 1, 4}, Extents{128, 33, 3}}) {
    for (const bool star : {true, false}) {
      SCOPED_TRACE(testing::Message() << e.x << " x " << e.y << " x " << e.z << (star ? ", star" : ""));
      this->expect_products(unsymmetric_stencil(e, star));
    }
  }
}

TYPED_TEST(StencilOperatorOn, AddsWhatLeavesAtANeumannSideToTheDiagonal) {
  for (int sides = 0; sides < 64; ++sides) {
    for (const Extents& e : {Extents{7}, Extents{6, 5}, Extents{4, 3, 5}, Extents{1, 2, 3}}) {
      SCOPED_TRACE(testing::Message() << sides << " of " << e.x << " x " << e.y << " x " << e.z);
      this->expect_products(with_neumann(unsymmetric_stencil(e, sides % 2 == 0), sides));
    }
  }
}

TYPED_TEST(StencilOperatorOn, LeadsAroundPeriodicAxes) {
  for (int axes = 1; axes < 8; ++axes) {
    for (const Extents& e : {Extents{1}, Extents{3}, Extents{7}, Extents{300, 5}, Extents{6, 3}, Extents{4, 3, 5},
                             Extents{1, 3, 4}, Extents{9, 8, 33}}) {
      SCOPED_TRACE(testing::Message() << axes << " of " << e.x << " x " << e.y << " x " << e.z);
      for (const bool star : {true, false}) {
        for (const int sides : {0, 63}) {
          Stencil stencil = with_periodic(with_neumann(unsymmetric_stencil(e, star), sides), axes);
          this->expect_products(stencil);
          stencil.coefficient = varying;
          this->expect_products(stencil);
        }
      }
    }
  }
}

TYPED_TEST(StencilOperatorOn, AddsStepsThatAPeriodicAxisOfOnePointMakesEqual) {
  const Boundaries around{Boundary::periodic, Boundary::periodic};
  const Stencil lean{
      .extents = {8}, .terms = {{0, 0, 0, 4}, {1, 0, 0, -1}, {-1, 0, 0, -1}, {1, 1, 0, -0.5}}, .y = around};
  const Stencil even{
      .extents = {8}, .terms = {{0, 0, 0, 4}, {1, 0, 0, -1}, {-1, 0, 0, -0.5}, {-1, 1, 0, -0.5}}, .y = around};
  Stencil corners{.extents = {1, 7, 6}, .terms = {{0, 0, 0, 9}}, .x = around};
  for (int k = 0; k < 8; ++k) corners.terms.push_back({k % 2 * 2 - 1, k / 2 % 2 * 2 - 1, k / 4 * 2 - 1, -1.0 - k});
  for (const Stencil& stencil : {lean, even, corners}) {
    this->expect_products(stencil);
    const typename TestFixture::Stencils a(this->space(), stencil);
    const Csr<typename TestFixture::Value> matrix = stencil_matrix<typename TestFixture::Value>(stencil);
    EXPECT_EQ(a.structure().nonzeros, matrix.nonzeros());
    EXPECT_EQ(a.structure().symmetric, stencil.terms[3].dx == -1 && stencil.extents.y == 1);
  }
}

TYPED_TEST(StencilOperatorOn, TakesCoefficientsByAFunction) {
  for (const Extents& e : {Extents{1}, Extents{33}, Extents{30, 20}, Extents{300, 4}, Extents{9, 7, 8}}) {
    for (const int sides : {0, 25, 63}) {
      Stencil stencil = with_neumann(unsymmetric_stencil(e, sides == 0), sides);
      stencil.coefficient = varying;
      this->expect_products(stencil);
    }
  }
}

// On a large grid a thread of a GPU makes four points along the last axis.
TYPED_TEST(StencilOperatorOn, GivesTheProductsOnALargeGridSlow) {
  Stencil varied = unsymmetric_stencil({150, 110, 91}, true);
  varied.coefficient = varying;
  this->expect_products(varied, {{2, 0.5}});
  this->expect_products(unsymmetric_stencil({1210, 1001}, true), {{2, 0.5}});
  this->expect_products(unsymmetric_stencil({1210, 1001}, false), {{2, 0.5}});
  this->expect_products(unsymmetric_stencil({150, 110, 91}, true), {{2, 0.5}});
}

void expect_same(const Structure& found, const Structure& wanted) {
  EXPECT_EQ(found.rows, wanted.rows);
  EXPECT_EQ(found.cols, wanted.cols);
  EXPECT_EQ(found.nonzeros, wanted.nonzeros);
  EXPECT_EQ(found.diagonals, wanted.diagonals);
  EXPECT_EQ(found.offsets, wanted.offsets);
  EXPECT_EQ(found.longest_row, wanted.longest_row);
  EXPECT_EQ(found.empty_rows, wanted.empty_rows);
  EXPECT_NEAR(found.mean_row, wanted.mean_row, 1e-12 * wanted.mean_row);
  EXPECT_NEAR(found.row_deviation, wanted.row_deviation, 1e-6);
  EXPECT_EQ(found.pattern_symmetric, wanted.pattern_symmetric);
  EXPECT_EQ(found.symmetric, wanted.symmetric);
  EXPECT_EQ(found.missing_diagonal, wanted.missing_diagonal);
  EXPECT_EQ(found.positive_diagonal, wanted.positive_diagonal);
  EXPECT_EQ(found.negative_diagonal, wanted.negative_diagonal);
  EXPECT_EQ(found.constant_diagonal, wanted.constant_diagonal);
  EXPECT_EQ(found.finite, wanted.finite);
  EXPECT_NEAR(found.norm_inf, wanted.norm_inf, 1e-14 * wanted.norm_inf);
}

TYPED_TEST(StencilOperatorOn, KnowsTheStructureOfItsMatrix) {
  using T = typename TypeParam::T;
  const auto expect_structure = [&](const Stencil& stencil) {
    SCOPED_TRACE(testing::Message() << stencil.extents.x << " x " << stencil.extents.y << " x " << stencil.extents.z);
    const StencilOperator<typename TypeParam::Space, T> a(this->space(), stencil);
    expect_same(a.structure(), analyse(Host(), stencil_matrix<T>(stencil).view()));
  };
  for (const Extents& e : {Extents{1}, Extents{2}, Extents{40}, Extents{5, 6}, Extents{2, 9}, Extents{4, 5, 6}}) {
    for (const bool star : {true, false}) {
      for (const int sides : {0, 7, 63}) {
        for (Stencil stencil : {laplacian_stencil(e, star), unsymmetric_stencil(e, star)}) {
          stencil = with_neumann(stencil, sides);
          expect_structure(stencil);
          stencil.coefficient = varying;
          expect_structure(stencil);
        }
        for (const int axes : {1, 2, 5, 7}) {
          if (std::min({e.x, e.y + 8 * (e.y == 1), e.z + 8 * (e.z == 1)}) == 2) continue;
          for (Stencil stencil : {laplacian_stencil(e, star), unsymmetric_stencil(e, star)}) {
            stencil = with_periodic(with_neumann(stencil, sides), axes);
            expect_structure(stencil);
            stencil.coefficient = varying;
            expect_structure(stencil);
          }
        }
      }
    }
  }
}

TYPED_TEST(StencilOperatorOn, StoresNothingByPointForConstantCoefficients) {
  using On = typename TypeParam::Space;
  using T = typename TypeParam::T;
  const Extents e{64, 64, 64};
  Stencil stencil = laplacian_stencil(e, true);
  EXPECT_EQ((StencilOperator<On, T>(this->space(), stencil).bytes()), 7 * 27 * sizeof(T));
  stencil.coefficient = varying;
  EXPECT_EQ((StencilOperator<On, T>(this->space(), stencil).bytes()), 7 * e.points() * sizeof(T));
}

/// Compares what a thread of a GPU does for a column of points with what it does for each of them.
template <class Shape>
void expect_columns(const Extents& e, bool by_class) {
  using Product = detail::StencilProduct<Shape, double>;
  const std::size_t stride = by_class ? 27 : e.points();
  const std::vector<double> a = random_vector<double>(static_cast<Index>((Shape::count() + 1) * stride), 1),
                            x = random_vector<double>(static_cast<Index>(e.points()), 2),
                            b = random_vector<double>(static_cast<Index>(e.points()), 3);
  std::vector<double> by_point(x.size(), NAN), by_column(x.size(), NAN);
  const detail::StencilRows<double> rows{e, a.data(), by_class};
  const Product point{rows, x.data(), 2, 3, b.data(), by_point.data(), x.data()};
  const Product column{rows, x.data(), 2, 3, b.data(), by_column.data(), x.data()};
  const Index along_y = Shape::column_axis == 1 ? 1 : 0, along_z = 1 - along_y;
  for (Index z = 0; z + 3 * along_z < e.z; ++z) {
    for (Index y = 0; y + 3 * along_y < e.y; ++y) {
      for (Index px = 0; px < e.x; ++px) {
        double sum = 0;
        for (Index k = 0; k < column_points; ++k) sum += point(px, y + k * along_y, z + k * along_z).v[0];
        EXPECT_NEAR(column.column(px, y, z).v[0], sum, 1e-12);
        for (Index k = 0; k < column_points; ++k) {
          const std::size_t i = e.number(px, y + k * along_y, z + k * along_z);
          EXPECT_EQ(by_column[i], by_point[i]) << px << ", " << y << ", " << z;
        }
      }
    }
  }
}

TEST(StencilOperator, AColumnHasTheValuesOfItsPoints) {
  for (const bool by_class : {true, false}) {
    expect_columns<detail::Shape<2, true>>({7, 13}, by_class);
    expect_columns<detail::Shape<2, false>>({7, 13}, by_class);
    expect_columns<detail::Shape<3, true>>({6, 5, 11}, by_class);
    expect_columns<detail::Shape<3, false>>({6, 5, 11}, by_class);
    expect_columns<detail::Shape<3, false>>({1, 4, 8}, by_class);
  }
}

/// Compares four points at once, which only the GPU takes, with what is done for each of them. x has NaN around it, and
/// with `inside` in two of its points.
template <class Shape>
void expect_fours(const Extents& e, bool inside) {
  constexpr std::size_t around = 8;
  const std::size_t n = e.points();
  const auto random = random_vector<float>(static_cast<Index>(n), 1);
  struct alignas(16) Piece {
    float v[4] = {NAN, NAN, NAN, NAN};
  };
  std::vector<Piece> pieces((n + 2 * around) / 4), rounded(n / 4);
  float *const x = pieces.front().v + around, *const by_fours = rounded.front().v;
  std::copy(random.begin(), random.end(), x);
  if (inside) x[0] = x[n / 2] = NAN;
  std::vector<float> by_point(n, NAN);
  detail::StencilProductOfFours<Shape, double> fours{e, {}, x, by_fours, x};
  for (int c = 0; c <= Shape::count(); ++c) fours.coefficient[c] = 0.1 * c - 0.7;
  for (Index z = 0; z < e.z; ++z) {
    for (Index y = 0; y < e.y; ++y) {
      for (Index px = 0; px < e.x; ++px) {
        double sum = fours.coefficient[Shape::count()] * static_cast<double>(x[e.number(px, y, z)]);
        for (int c = 0; c < Shape::count(); ++c) {
          const detail::Step d = detail::Step::of(Shape::neighbour(c));
          if (e.contains(px + d.x, y + d.y, z + d.z))
            sum += fours.coefficient[c] * static_cast<double>(x[e.number(px + d.x, y + d.y, z + d.z)]);
        }
        by_point[e.number(px, y, z)] = static_cast<float>(sum);
      }
      for (Index four = 0; four < fours.fours().x; ++four) fours(four, y, z);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(std::isnan(by_fours[i]), std::isnan(by_point[i])) << i;
    if (!std::isnan(by_point[i])) {
      EXPECT_NEAR(by_fours[i], by_point[i], 1e-6) << i;
    }
  }
}

TEST(StencilOperator, FourPointsHaveTheirValues) {
  for (const bool inside : {false, true}) {
    expect_fours<detail::Shape<1, true>>({12}, inside);
    expect_fours<detail::Shape<2, true>>({8, 5}, inside);
    expect_fours<detail::Shape<2, false>>({4, 7}, inside);
    for (const Extents& e : {Extents{4, 3, 5}, Extents{16, 4, 3}, Extents{8, 1, 4}, Extents{4, 2, 2}}) {
      expect_fours<detail::Shape<3, true>>(e, inside);
      expect_fours<detail::Shape<3, false>>(e, inside);
    }
  }
}

TEST(StencilOperator, AsksForCoefficientsInsideAndAtNeumannSidesOnly) {
  const Extents e{3, 2};
  Stencil stencil = laplacian_stencil(e, true);
  stencil.x.begin = Boundary::neumann;
  stencil.coefficient = [=](Index x, Index y, Index z, int dx, int dy, int dz) {
    EXPECT_TRUE(e.contains(x + dx, y + dy, z + dz) || x + dx < 0) << x << ", " << y << ": " << dx << ", " << dy;
    return 1.0;
  };
  const StencilOperator<Host, double> a(Host(), stencil);
  EXPECT_EQ(a.structure().norm_inf, 4);
}

TEST(StencilOperator, RefusesWhatIsNoStencil) {
  const auto make = [](const Stencil& stencil) { StencilOperator<Host, double>(Host(), stencil); };
  EXPECT_THROW(make({.extents = {0}, .terms = {{0, 0, 0, 1}}}), ArgumentError);
  EXPECT_THROW(make({.extents = {65536, 32768}, .terms = {{0, 0, 0, 1}}}), ArgumentError);
  EXPECT_THROW(make({.extents = {2097152, 2097152, 2097152}, .terms = {{0, 0, 0, 1}}}), ArgumentError);
  EXPECT_THROW(make({.extents = {9}, .terms = {{2, 0, 0, 1}}}), ArgumentError);
  EXPECT_THROW(make({.extents = {9}, .terms = {{1, 0, 0, 1}, {1, 0, 0, 2}}}), ArgumentError);
  for (const int far : {2, -2, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    EXPECT_THROW(make({.extents = {9, 9, 9}, .terms = {{far, 0, 0, 1}}}), ArgumentError) << far;
    EXPECT_THROW(make({.extents = {9, 9, 9}, .terms = {{0, far, 0, 1}}}), ArgumentError) << far;
    EXPECT_THROW(make({.extents = {9, 9, 9}, .terms = {{0, 0, far, 1}}}), ArgumentError) << far;
  }
  EXPECT_THROW(make(with_periodic(laplacian_stencil({2, 9}, true), 1)), ArgumentError);
  Stencil one_end = laplacian_stencil({9, 9}, true);
  one_end.y.end = Boundary::periodic;
  EXPECT_THROW(make(one_end), ArgumentError);
}

TYPED_TEST(StencilOperatorOn, HasARevisionThatNoOtherHas) {
  using Assigned = StencilOperator<typename TypeParam::Space, typename TypeParam::T>;
  Assigned a(this->space(), laplacian_stencil({5, 5}, true)), other(this->space(), laplacian_stencil({3}, true));
  const int first = a.revision(), second = other.revision();
  EXPECT_NE(first, second);

  a = std::move(other);

  EXPECT_NE(a.revision(), first);
  EXPECT_NE(a.revision(), second);
}

TYPED_TEST(StencilOperatorOn, IsEmptyOnceMovedFrom) {
  using Moved = StencilOperator<typename TypeParam::Space, typename TypeParam::T>;
  const std::vector<typename TypeParam::T> ones(25, 1);
  Moved a(this->space(), laplacian_stencil({5, 5}, true)), other(this->space(), laplacian_stencil({3}, true));
  Moved b(std::move(a));
  auto x = this->put(ones), y = this->put(ones);
  EXPECT_EQ(b.rows(), 25);
  b.apply(1, x, 0, y);
  EXPECT_EQ(y.download()[0], 2);
  EXPECT_EQ(a.rows(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(a.bytes(), 0u);
  EXPECT_THROW(a.apply(1, x, 0, y), ArgumentError);
  EXPECT_THROW(a.residual(x, x, y, nullptr), ArgumentError);
  a = std::move(b);
  EXPECT_EQ(a.rows(), 25);
  EXPECT_EQ(b.rows(), 0);  // NOLINT(bugprone-use-after-move)
  other = std::move(a);
  other.apply(1, x, 0, y);
  EXPECT_EQ(y.download()[0], 2);
}

TEST(StencilOperator, IsFiniteThoughItsRowsAddUpToInfinity) {
  Stencil stencil = laplacian_stencil({5, 5}, true);
  for (StencilTerm& term : stencil.terms) term.coefficient *= 2.5e307;
  EXPECT_TRUE(StencilOperator(Host(), stencil).structure().finite);
  stencil.terms.front().coefficient = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(StencilOperator(Host(), stencil).structure().finite);
}

TEST(StencilOperator, RefusesVectorsOfAnotherSize) {
  const StencilOperator<Host, double> a(Host(), laplacian_stencil({5, 5}, true));
  std::vector<double> right(25), wrong(24);
  double slot = 0;
  EXPECT_THROW(a.apply(1, wrong, 0, right), DimensionError);
  EXPECT_THROW(a.apply(1, right, 0, wrong), DimensionError);
  EXPECT_THROW(a.apply_dot(right, right, wrong, &slot), DimensionError);
  EXPECT_THROW(a.residual(right, wrong, right, &slot), DimensionError);
  EXPECT_THROW(a.accurate_residual(1, 1, right, wrong, right, &slot), DimensionError);
}

}  // namespace
}  // namespace ostinato::test

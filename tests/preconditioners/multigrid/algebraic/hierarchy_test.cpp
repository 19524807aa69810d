// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/hierarchy.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class AlgebraicHierarchyOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Made = algebraic::AlgebraicHierarchy<Home, typename Case::T>;

  Made make(const Csr<typename Case::T>& a) const { return Made(Analysis<Home, typename Case::T>(this->space(), a)); }

  /// y = A x of an operator of a level.
  std::vector<float> product(const Operator<Home, float>& a, const std::vector<float>& x) const {
    auto y = this->put(std::vector<float>(static_cast<std::size_t>(a.rows())));
    a.apply(1, this->put(x), 0, y);
    return y.download();
  }
};

TYPED_TEST_SUITE(AlgebraicHierarchyOn, EverySpace, SpaceNames);

/// The largest difference of two vectors, in the largest element.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double size = 0, most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::fmax(size, std::abs(static_cast<double>(a[i])));
    most = std::fmax(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return most / std::fmax(size, 1e-30);
}

/// On a CPU, where the finest level is in CSR, no format is looked for on the others.
TYPED_TEST(AlgebraicHierarchyOn, StaysInCsr) {
  using T = typename TypeParam::T;
  if (TypeParam::Space::has_streams) GTEST_SKIP() << "for CPUs";
  const auto h = this->make(generate<T>("mesh3d", {.n = 12}));
  ASSERT_EQ(h.levels().front().a.format(), "csr");
  for (const auto& level : h.levels()) {
    EXPECT_EQ(level.a.format(), "csr");
    if (level.prolong) {
      EXPECT_EQ(level.prolong->format(), "csr");
    }
  }
}

TYPED_TEST(AlgebraicHierarchyOn, HoldsTheGalerkinProducts) {
  using T = typename TypeParam::T;
  for (const Csr<T>& a :
       {renumbered(generate<T>("poisson3d", {.n = 14})), generate<T>("convection-diffusion2d", {.n = 40}),
        graph_laplacian<T>(3000, 3, 2, 0.01, 1, 10), times(generate<T>("poisson2d", {.n = 40}), -1e20)}) {
    const auto h = this->make(a);
    ASSERT_GE(h.levels().size(), 2u);
    for (std::size_t k = 0; k + 1 < h.levels().size(); ++k) {
      const auto& fine = h.levels()[k];
      const auto& next = h.levels()[k + 1];
      const auto x = random_vector<float>(next.a.rows(), 3), y = random_vector<float>(fine.a.rows(), 4);
      const auto by_product = this->product(next.a, x);
      const auto by_parts = this->product(*fine.restrict, this->product(fine.a, this->product(*fine.prolong, x)));
      EXPECT_LT(difference(by_product, by_parts), 1e-4) << "level " << k;
      double one = 0, two = 0, size = 0;  // P and its transpose
      const auto px = this->product(*fine.prolong, x), ry = this->product(*fine.restrict, y);
      for (std::size_t i = 0; i < px.size(); ++i) {
        one += static_cast<double>(px[i]) * static_cast<double>(y[i]);
        size += std::abs(static_cast<double>(px[i]) * static_cast<double>(y[i]));
      }
      for (std::size_t i = 0; i < ry.size(); ++i) two += static_cast<double>(ry[i]) * static_cast<double>(x[i]);
      EXPECT_NEAR(one, two, 1e-5 * size);
    }
  }
}

/// The levels of an updated hierarchy have the interpolations from before and the products of the new matrix.
TYPED_TEST(AlgebraicHierarchyOn, UpdateHoldsTheGalerkinProductsOfNewValues) {
  using T = typename TypeParam::T;
  for (const bool aggregation : {false, true}) {
    const Csr<T> a = graph_laplacian<T>(3000, 3, 1, 0.01, 1), c = times(graph_laplacian<T>(3000, 3, 1, 0.2, 1), -5);
    algebraic::AlgebraicOptions options;
    options.takes_values = true;
    if (aggregation) options.near_null = algebraic::constants({a.rows});
    typename TestFixture::Made h(Analysis(this->space(), a), options);
    ASSERT_GE(h.levels().size(), 2u);
    const std::size_t levels = h.levels().size();
    const auto coarse = random_vector<float>(h.levels()[1].a.rows(), 3);
    const auto interpolated = this->product(*h.levels()[0].prolong, coarse);
    const double largest = h.levels()[0].largest;
    const Analysis next(this->space(), c);
    const double power = h.power_for(next.structure());
    EXPECT_LT(power, 0);
    h.update(next.matrix(), power);
    EXPECT_EQ(h.power(), power);
    EXPECT_EQ(h.levels().size(), levels);
    EXPECT_TRUE(same_bits(this->product(*h.levels()[0].prolong, coarse), interpolated));
    EXPECT_NE(h.levels()[0].largest, largest);
    const typename TestFixture::Made fresh(next);  // whose finest level has the same matrix
    EXPECT_EQ(h.levels()[0].largest, fresh.levels()[0].largest);
    EXPECT_TRUE(same_bits(h.levels()[0].inverse.download(), fresh.levels()[0].inverse.download()));
    const auto x = random_vector<float>(a.rows, 5);
    EXPECT_TRUE(same_bits(this->product(h.levels()[0].a, x), this->product(fresh.levels()[0].a, x)));
    for (std::size_t k = 0; k + 1 < levels; ++k) {
      const auto& fine = h.levels()[k];
      const auto& below = h.levels()[k + 1];
      const auto y = random_vector<float>(below.a.rows(), 3);
      const auto by_parts = this->product(*fine.restrict, this->product(fine.a, this->product(*fine.prolong, y)));
      EXPECT_LT(difference(this->product(below.a, y), by_parts), 1e-4) << "level " << k;
    }
    ASSERT_TRUE(h.coarse_inverse());
    const auto last = random_vector<float>(h.levels().back().a.rows(), 1);
    EXPECT_LT(difference(last, this->product(*h.coarse_inverse(), this->product(h.levels().back().a, last))), 1e-3);
  }
}

TYPED_TEST(AlgebraicHierarchyOn, ScalesTheMatrixByAPowerOfTwo) {
  using T = typename TypeParam::T;
  for (const double factor : {1.0, 3e20, 3e-20, -1e10}) {
    const Csr<T> a = times(generate<T>("poisson2d", {.n = 30}), factor);
    const auto h = this->make(a);
    EXPECT_EQ(std::abs(h.power()), std::ldexp(1.0, std::ilogb(h.power())));
    EXPECT_EQ(h.power() < 0, factor < 0);
    const auto x = random_vector<float>(a.cols, 5);
    std::vector<float> want(x.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      double total = 0;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        total += h.power() * static_cast<double>(a.val[k]) * static_cast<double>(x[static_cast<std::size_t>(a.col[k])]);
      want[i] = static_cast<float>(total);
    }
    EXPECT_LT(difference(this->product(h.levels().front().a, x), want), 1e-5);
  }
}

TYPED_TEST(AlgebraicHierarchyOn, EndsWithAnInverse) {
  const auto h = this->make(generate<typename TypeParam::T>("poisson2d", {.n = 50}));
  ASSERT_TRUE(h.coarse_inverse());
  const auto& last = h.levels().back().a;
  const auto x = random_vector<float>(last.rows(), 1);
  EXPECT_LT(difference(x, this->product(*h.coarse_inverse(), this->product(last, x))), 1e-4);
  EXPECT_LE(last.rows(), 150);
  EXPECT_GT(h.complexity(), 1.2);
  EXPECT_LT(h.complexity(), 2.8);
}

TYPED_TEST(AlgebraicHierarchyOn, HasOneLevelWhereNoRowIsStronglyCoupled) {
  const auto h = this->make(graph_laplacian<typename TypeParam::T>(1000, 2, 0, 1000, 1));
  EXPECT_EQ(h.levels().size(), 1u);
  EXPECT_FALSE(h.coarse_inverse());
}

}  // namespace
}  // namespace ostinato::test

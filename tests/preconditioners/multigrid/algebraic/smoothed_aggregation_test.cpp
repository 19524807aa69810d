// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "preconditioners/multigrid/coordinates.hpp"
#include "support/spaces.hpp"
#include "support/systems.hpp"

namespace ostinato::test {
namespace {

using algebraic::NearNullSpace;
using algebraic::Points;

template <class Case>
class SmoothedAggregationOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using Memory = typename Case::Space;
  using Levels = algebraic::SmoothedAggregation<Memory, Value>;
  static constexpr double rounding = 100 * std::numeric_limits<Value>::epsilon();

  Csr<double> on_host(const SpaceCsr<Memory, Value>& a) const {
    const CsrView<Value> v = a.view();
    Csr<Value> h{v.rows, v.cols, Array<Offset>(v.row_ptr.size()), Array<Index>(v.col.size()),
                 Array<Value>(v.val.size())};
    this->space().download(h.row_ptr.data(), v.row_ptr.data(), v.row_ptr.size_bytes());
    this->space().download(h.col.data(), v.col.data(), v.col.size_bytes());
    this->space().download(h.val.data(), v.val.data(), v.val.size_bytes());
    Csr<double> d{h.rows, h.cols, std::move(h.row_ptr), std::move(h.col), Array<double>(h.val.size())};
    std::copy(h.val.begin(), h.val.end(), d.val.begin());
    return d;
  }

  /// Element (i, v) of P times the vectors of the next level.
  static double interpolated(const Csr<double>& p, const std::vector<double>& coarse, std::size_t i, int vectors,
                             int v) {
    double total = 0;
    for (auto k = static_cast<std::size_t>(p.row_ptr[i]); k < static_cast<std::size_t>(p.row_ptr[i + 1]); ++k)
      total +=
          p.val[k] *
          coarse[static_cast<std::size_t>(p.col[k]) * static_cast<std::size_t>(vectors) + static_cast<std::size_t>(v)];
    return total;
  }

  /// Points in groups of `size` neighbours, the last of which may be smaller; every 11th point belongs to none.
  static std::vector<Index> groups(Index points, Index size) {
    std::vector<Index> of(static_cast<std::size_t>(points));
    for (Index p = 0; p < points; ++p) of[static_cast<std::size_t>(p)] = p % 11 == 10 ? -1 : p / size;
    return of;
  }

  static std::vector<NearNullSpace> spaces() {
    std::vector<NearNullSpace> all;
    for (const Index n : {1, 31, 33, 597}) {
      for (const bool by_field : {false, true}) {
        all.push_back(algebraic::constants({n, 3, by_field}));
        all.push_back(algebraic::rigid_body_modes({n, 2, by_field}, coordinates_of({n, 3, 1}, 2, n).values));
        all.push_back(algebraic::rigid_body_modes({n, 3, by_field}, coordinates_of({5, 6, n}, 3, n).values));
      }
      const auto random = random_vector<double>(n * 4, 3);
      all.push_back(algebraic::given_vectors({n, 1}, random));
    }
    return all;
  }
};

TYPED_TEST_SUITE(SmoothedAggregationOn, EverySpace, SpaceNames);

TYPED_TEST(SmoothedAggregationOn, InterpolatesTheNearNullSpaceExactly) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  for (const NearNullSpace& b : this->spaces()) {
    const Index n = b.points.count;
    const std::vector<double> vectors = algebraic::vectors_of(Host(), b).download();
    for (const Index size : {1, 2, 7}) {
      const std::vector<Index> group = this->groups(n, size);
      typename TestFixture::Levels levels(this->space(), b, 1, 0);
      const Vector<Home, Index> on_space(this->space(), std::span<const Index>(group));
      const Csr<double> t = this->on_host(levels.tentative(on_space, (n + size - 1) / size));
      const std::vector<double> coarse = levels.near_null().download();
      ASSERT_EQ(coarse.size(), static_cast<std::size_t>(t.cols) * static_cast<std::size_t>(b.count));
      for (std::size_t i = 0; i < static_cast<std::size_t>(t.rows); ++i) {
        const Index own = group[static_cast<std::size_t>(b.points.point_of(static_cast<Index>(i)))];
        ASSERT_EQ(t.row_ptr[i + 1] - t.row_ptr[i], own < 0 ? 0 : b.count);
        for (int v = 0; own >= 0 && v < b.count; ++v) {
          const double want = vectors[i * static_cast<std::size_t>(b.count) + static_cast<std::size_t>(v)];
          ASSERT_NEAR(this->interpolated(t, coarse, i, b.count, v), want,
                      10 * this->rounding + (is_single<T> ? 1e-7 : 0));
        }
      }
    }
  }
}

/// T^T T is the identity, with 0 on the diagonal for a vector that depends on those before it.
TYPED_TEST(SmoothedAggregationOn, HasOrthonormalColumns) {
  using Home = typename TypeParam::Space;
  for (const NearNullSpace& b : this->spaces()) {
    const Index n = b.points.count, size = 7;
    typename TestFixture::Levels levels(this->space(), b, 1, 0);
    const std::vector<Index> group = this->groups(n, size);
    const Vector<Home, Index> on_space(this->space(), std::span<const Index>(group));
    const Csr<double> t = this->on_host(levels.tentative(on_space, (n + size - 1) / size));
    const auto width = static_cast<std::size_t>(b.count);
    std::vector<double> products(static_cast<std::size_t>(t.cols) * width);
    for (std::size_t i = 0; i < static_cast<std::size_t>(t.rows); ++i) {
      for (auto k = t.row_ptr[i]; k < t.row_ptr[i + 1]; ++k)
        for (auto l = t.row_ptr[i]; l < t.row_ptr[i + 1]; ++l)
          products[static_cast<std::size_t>(t.col[static_cast<std::size_t>(k)]) * width +
                   static_cast<std::size_t>(t.col[static_cast<std::size_t>(l)]) % width] +=
              t.val[static_cast<std::size_t>(k)] * t.val[static_cast<std::size_t>(l)];
    }
    for (std::size_t k = 0; k < products.size(); ++k) {
      const bool on_diagonal = k / width % width == k % width;
      const double want = on_diagonal && products[k] > 0.5 ? 1 : 0;
      ASSERT_NEAR(products[k], want, this->rounding);
    }
  }
}

/// Where A times the vectors is 0, P interpolates them exactly, too.
TYPED_TEST(SmoothedAggregationOn, KeepsWhatTheMatrixMakesZero) {
  using T = typename TypeParam::T;
  for (const double threshold : {0.0, 0.3}) {
    const Csr<T> a = graph_laplacian<T>(597, 3, 1, 0, 1);
    typename TestFixture::Levels levels(this->space(), algebraic::constants({a.rows}), 1, threshold);
    const auto p = levels.next(SpaceCsr<typename TypeParam::Space, T>(this->space(), Csr<T>(a)), 2);
    ASSERT_TRUE(p);
    const Csr<double> on_host = this->on_host(*p);
    const std::vector<double> coarse = levels.near_null().download();
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
      ASSERT_NEAR(this->interpolated(on_host, coarse, i, 1, 0), 1, (is_single<T> ? 1e-4 : 0) + 1e-12) << i;
    EXPECT_EQ(levels.points().rows(), on_host.cols);
  }
}

TYPED_TEST(SmoothedAggregationOn, EndsWhereNothingIsCoupled) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 31}) {
    const Csr<T> a = graph_laplacian<T>(n, 0, 0, 1, 1);
    typename TestFixture::Levels levels(this->space(), algebraic::constants({n}), 1, 0.15);
    EXPECT_FALSE(levels.next(SpaceCsr<typename TypeParam::Space, T>(this->space(), Csr<T>(a)), 2));
  }
}

/// Elasticity without held points moves as a rigid body without force.
TEST(RigidBodyModes, AreFreeOfForce) {
  for (const Extents e : {Extents{5, 4, 1}, Extents{4, 3, 5}}) {
    for (const bool by_field : {false, true}) {
      const Csr<double> a = elasticity<double>(e, by_field);
      const int d = e.z > 1 ? 3 : 2;
      const Points points{static_cast<Index>(e.points()), d, by_field};
      const NearNullSpace b = algebraic::rigid_body_modes(points, coordinates_of(e, d).values);
      ASSERT_EQ(b.count, d == 2 ? 3 : 6);
      const std::vector<double> vectors = algebraic::vectors_of(Host(), b).download();
      for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
        if (points.point_of(static_cast<Index>(i)) % e.x == 0) continue;  // beside the points that are held
        for (int v = 0; v < b.count; ++v) {
          double force = 0;
          for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
            force += a.val[k] * vectors[static_cast<std::size_t>(a.col[k]) * static_cast<std::size_t>(b.count) +
                                        static_cast<std::size_t>(v)];
          ASSERT_NEAR(force, 0, 1e-13) << "vector " << v;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ostinato::test

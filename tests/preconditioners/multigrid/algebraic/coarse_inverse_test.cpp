// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

/// The product of a matrix and a full one.
std::vector<double> times_full(const Csr<double>& a, const std::vector<double>& v) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> c(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a.val[k] * v[static_cast<std::size_t>(a.col[k]) * n + j];
    }
  }
  return c;
}

/// The largest element of A B - I + mean, where all elements of the matrix `mean` are the same.
double error(const Csr<double>& a, const std::vector<double>& b, double mean) {
  const auto n = static_cast<std::size_t>(a.rows);
  const std::vector<double> c = times_full(a, b);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      largest = std::fmax(largest, std::abs(c[i * n + j] - (i == j ? 1.0 : 0.0) + mean));
  }
  return largest;
}

TEST(CoarseInverse, IsTheInverse) {
  for (const Index n : {1, 2, 31, 33, 150}) {
    EXPECT_LT(error(graph_laplacian<double>(n, 3, 1, 0.1, 1),
                    algebraic::coarse_inverse(graph_laplacian<double>(n, 3, 1, 0.1, 1)), 0),
              1e-10);
    Csr<double> a = scattered<double>(n, n, 5, false, 2);  // has to be pivoted: its diagonal has zeros
    std::vector<Triplet<double>> triplets;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        triplets.push_back({static_cast<Index>(i), a.col[k], a.val[k]});
      triplets.push_back({static_cast<Index>(i), static_cast<Index>((i + 1) % static_cast<std::size_t>(n)), 10});
    }
    a = from_triplets<double>(n, n, triplets);
    EXPECT_LT(error(a, algebraic::coarse_inverse(a), 0), 1e-10);
  }
}

TEST(CoarseInverse, GivesConstantsNothingWhereTheyAreTheNullSpace) {
  for (const double factor : {1.0, 1e6, -1e-6}) {
    const Csr<double> a = times(graph_laplacian<double>(60, 3, 1, 0, 1), factor);
    const std::vector<double> inverse = algebraic::coarse_inverse(a);
    EXPECT_LT(error(a, inverse, 1.0 / 60), 1e-10);
    for (std::size_t i = 0; i < 60; ++i) {
      double total = 0;
      for (std::size_t j = 0; j < 60; ++j) total += inverse[i * 60 + j];
      EXPECT_NEAR(total * factor, 0, 1e-10);
    }
  }
}

TEST(CoarseInverse, OfOtherSingularMatricesIsFinite) {
  for (const Csr<double>& a :
       {diagonal_matrix<double>({1, 0, 2}), dense<double>({{1, 2}, {2, 4}}), dense<double>({{0}})}) {
    for (const double v : algebraic::coarse_inverse(a)) EXPECT_TRUE(std::isfinite(v));
  }
  EXPECT_EQ(algebraic::coarse_inverse(diagonal_matrix<double>({1, 0, 2})),
            (std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0, 0.5}));
}

/// Matrices side by side.
Csr<double> side_by_side(const std::vector<Csr<double>>& parts) {
  std::vector<Triplet<double>> triplets;
  Index before = 0;
  for (const Csr<double>& a : parts) {
    for (Index i = 0; i < a.rows; ++i)
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
        triplets.push_back({before + i, before + a.col[k], a.val[k]});
    before += a.rows;
  }
  return from_triplets<double>(before, before, triplets);
}

/// Symmetric to the last bit and semidefinite, so that CG can use it, and A G A = A.
TEST(CoarseInverse, OfSeveralSingularPiecesIsSymmetricAndSemidefinite) {
  const auto piece = [](Index n, double extra, double factor) {
    return times(graph_laplacian<double>(n, 3, 1, extra, static_cast<std::uint64_t>(n)), factor);
  };
  for (const Csr<double>& a : {side_by_side({piece(30, 0, 1), piece(20, 0, 1), piece(7, 0, 1)}),
                               side_by_side({piece(30, 0, 1), piece(20, 0.1, 1e-6), piece(7, 0, 1e-9)}),
                               side_by_side({piece(40, 0, -1), piece(10, 0.1, -1)}),
                               side_by_side({piece(40, 0.1, 1), diagonal_matrix<double>({1, 0, 2})})}) {
    const auto n = static_cast<std::size_t>(a.rows);
    const std::vector<double> g = algebraic::coarse_inverse(a), ag = times_full(a, g);
    const double sign = a.val.front() < 0 ? -1 : 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(g[i * n + j], g[j * n + i]) << i << " " << j;
    }
    const std::vector<double> x = random_vector<double>(a.rows, 1);
    std::vector<double> ax(n), agax(n);
    double energy = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) energy += sign * x[i] * g[i * n + j] * x[j];
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        ax[i] += a.val[k] * x[static_cast<std::size_t>(a.col[k])];
    }
    EXPECT_GT(energy, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) agax[i] += ag[i * n + j] * ax[j];
      EXPECT_NEAR(agax[i], ax[i], 1e-9 * std::abs(ax[i]) + 1e-14) << i;
    }
  }
}

template <class T, class From>
Csr<T> converted(const Csr<From>& a) {
  Csr<T> made{a.rows, a.cols, a.row_ptr, a.col, Array<T>(a.val.size())};
  for (std::size_t k = 0; k < a.val.size(); ++k) made.val[k] = static_cast<T>(a.val[k]);
  return made;
}

template <class Case>
class CoarseInverseOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;

  /// The inverse of factor A in float, row by row. `sizes` may be empty.
  std::vector<float> made(const Csr<double>& a, double factor = 1, const std::vector<double>& sizes = {}) const {
    const Home& space = this->space();
    const SpaceCsr<Home, Value> matrix(space, converted<Value>(a));
    const Vector<Home, double> of_rows(space, std::span<const double>(sizes));
    Vector<Home, float> to(space, static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.rows));
    algebraic::CoarseInverse<Home, Value> inverse(space, matrix, of_rows, factor, to);
    inverse.finish();
    return to.download();
  }

  /// Whether a thread block inverts A itself. On Host nothing is asked.
  void expect_in_block(const Csr<double>& a, bool expected) const {
    if constexpr (Home::has_streams) {
      const Home& space = this->space();
      const SpaceCsr<Home, Value> matrix(space, converted<Value>(a));
      const auto elements = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.rows);
      Vector<Home, double> full(space, elements);
      Vector<Home, float> to(space, elements);
      Vector<Home, int> is_made(space, 1, 2);
      const CsrView<Value>& v = matrix.view();
      algebraic::invert_in_block(
          space, algebraic::CoarsestMatrix<Value>{detail::pattern_of(v), v.val.data(), nullptr, 1, 0, no_pivot,
                                                  least_pivot, full.data(), to.data(), is_made.data()});
      EXPECT_EQ(is_made.download()[0], expected ? 1 : 0);
    }
  }

  static constexpr double no_pivot = sizeof(Value) == 4 ? 1e-5 : 1e-10;
  static constexpr double least_pivot = sizeof(Value) == 4 ? 1e-3 : 1e-4;
  static constexpr double tolerance = sizeof(Value) == 4 ? 1e-3 : 1e-6;
};

TYPED_TEST_SUITE(CoarseInverseOn, EverySpace, SpaceNames);

/// The largest difference, in the largest element of b.
double largest_difference(const std::vector<float>& a, const std::vector<double>& b) {
  double size = 0, most = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    size = std::fmax(size, std::abs(b[k]));
    most = std::fmax(most, std::abs(static_cast<double>(a[k]) - b[k]));
  }
  return most / std::fmax(size, 1e-300);
}

/// Unsymmetric, and regular.
Csr<double> circulant(Index n) {
  std::vector<Triplet<double>> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, 3.0});
    triplets.push_back({i, (i + 1) % n, -1.0});
  }
  return from_triplets<double>(n, n, triplets);
}

TYPED_TEST(CoarseInverseOn, IsThatOfTheHost) {
  using T = typename TypeParam::T;
  for (const Index n : {1, 2, 31, 32, 33, 64, 107, 149, 150}) {
    for (const double extra : {0.1, 0.0}) {
      const Csr<double> a =
          converted<double>(converted<T>(graph_laplacian<double>(n, 3, 1, extra, static_cast<std::uint64_t>(n))));
      for (const double factor : {1.0, -0.25, 1024.0}) {
        SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(extra) + ", " + std::to_string(factor));
        EXPECT_LT(
            largest_difference(this->made(a, factor), algebraic::coarse_inverse(times(a, factor), this->no_pivot)),
            this->tolerance);
      }
      if (n > 1 && n <= algebraic::most_inverted_in_block) this->expect_in_block(a, true);
    }
  }
}

TYPED_TEST(CoarseInverseOn, OfOtherMatricesIsMadeOnTheHost) {
  const Csr<double> indefinite = dense<double>({{1, 2}, {2, 1}}), mixed = diagonal_matrix<double>({1, -1, 2});
  for (const Csr<double>& a : {circulant(3), circulant(40), circulant(128), circulant(150), indefinite, mixed}) {
    EXPECT_LT(largest_difference(this->made(a), algebraic::coarse_inverse(a, this->no_pivot)), this->tolerance);
    if (a.rows <= algebraic::most_inverted_in_block) this->expect_in_block(a, false);
  }
}

/// A random semidefinite matrix of this rank, whose null space isn't that of pieces.
Csr<double> of_rank(Index n, Index rank, std::uint64_t seed) {
  const std::vector<double> b = random_vector<double>(n * rank, seed);
  std::vector<Triplet<double>> triplets;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index k = 0; k < rank; ++k)
        sum += b[static_cast<std::size_t>(i * rank + k)] * b[static_cast<std::size_t>(j * rank + k)];
      triplets.push_back({i, j, sum});
    }
  }
  return from_triplets<double>(n, n, triplets);
}

/// The free chain of n points in the plane, each tied to the three points before it: symmetric, and singular for the
/// three motions of a rigid body.
Csr<double> free_chain(Index n, double spread, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x, y;
  for (Index i = 0; i < n; ++i) {
    x.push_back(i + 0.3 * signed_unit(random));
    y.push_back((i % 2) + 0.3 * signed_unit(random));
  }
  std::vector<Triplet<double>> triplets;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i < 3 ? 0 : i - 3; j < i; ++j) {
      const double dx = x[i] - x[j], dy = y[i] - y[j], length = std::hypot(dx, dy);
      const double stiffness = std::exp(spread * signed_unit(random)), d[2] = {dx / length, dy / length};
      for (std::size_t p = 0; p < 2; ++p) {
        for (std::size_t q = 0; q < 2; ++q) {
          const double v = stiffness * d[p] * d[q];
          const auto at = [](std::size_t point, std::size_t axis) { return static_cast<Index>(2 * point + axis); };
          triplets.insert(
              triplets.end(),
              {{at(i, p), at(i, q), v}, {at(j, p), at(j, q), v}, {at(i, p), at(j, q), -v}, {at(j, p), at(i, q), -v}});
        }
      }
    }
  }
  return from_triplets<double>(2 * n, 2 * n, triplets);
}

/// Those that are singular for other vectors than constants are left to the host, which chooses the pivots.
TYPED_TEST(CoarseInverseOn, OfSemidefiniteMatricesIsSymmetricAndAnInverse) {
  using T = typename TypeParam::T;
  const auto piece = [](Index n, double extra, double factor) {
    return times(graph_laplacian<double>(n, 3, 1, extra, static_cast<std::uint64_t>(n)), factor);
  };
  std::vector<Csr<double>> all = {
      side_by_side({piece(30, 0, 1), piece(20, 0, 1), piece(7, 0, 1)}),
      side_by_side({piece(60, 0, -1), piece(50, 0.1, -1)}),
      side_by_side({piece(40, 0.1, 1), diagonal_matrix<double>({1, 0, 2})}),
      diagonal_matrix<double>({0, 0, 0}),
      of_rank(20, 10, 1),
      of_rank(64, 61, 2),
  };
  for (const Index n : {6, 12, 30})
    for (const double spread : {0.0, 3.0})
      for (const std::uint64_t seed : {1, 2, 3}) all.push_back(free_chain(n, spread, seed));
  for (const Csr<double>& given : all) {
    const Csr<double> a = converted<double>(converted<T>(given));
    const auto n = static_cast<std::size_t>(a.rows);
    SCOPED_TRACE(std::to_string(n) + " rows");
    const std::vector<float> inverse = this->made(a);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(inverse[i * n + j], inverse[j * n + i]);
    const std::vector<double> g(inverse.begin(), inverse.end()), ag = times_full(a, g);
    std::vector<double> transposed(n * n), full(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) transposed[j * n + i] = ag[i * n + j];
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        full[i * n + static_cast<std::size_t>(a.col[k])] = a.val[k];
    }
    const std::vector<double> aga = times_full(a, transposed);  // A (A G)^T = A G A, as both are symmetric
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double size = std::sqrt(std::abs(full[i * n + i] * full[j * n + j]));
        most = std::fmax(most, std::abs(aga[i * n + j] - full[i * n + j]) / std::fmax(size, 1e-6));
      }
    }
    EXPECT_LT(most, 1e-3);
    this->expect_in_block(a, false);
  }
}

TYPED_TEST(CoarseInverseOn, TakesADiagonalOfRoundingAsNothing) {
  const Csr<double> a = diagonal_matrix<double>({1, 1e-20, 4});
  EXPECT_EQ(this->made(a, 1, {1, 1, 1}), (std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 0.25}));
  EXPECT_EQ(this->made(a)[4], 1e20f);
}

TYPED_TEST(CoarseInverseOn, OutsideOfFloatIsRefused) {
  EXPECT_THROW(this->made(diagonal_matrix<double>({1, 1}), 1e-300), ArgumentError);
}

TEST(CoarseInverse, OfNothingIsNothing) { EXPECT_TRUE(algebraic::coarse_inverse(Csr<double>{}).empty()); }

}  // namespace
}  // namespace ostinato::test

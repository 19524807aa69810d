// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"

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

TEST(CoarseInverse, OfNothingIsNothing) { EXPECT_TRUE(algebraic::coarse_inverse(Csr<double>{}).empty()); }

}  // namespace
}  // namespace ostinato::test

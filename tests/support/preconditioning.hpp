// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

// Applying preconditioners to host data, and dense references in long double.

namespace ostinato::test {

using Dense = std::vector<std::vector<long double>>;  ///< by rows

template <class T>
Dense dense_of(const Csr<T>& a) {
  Dense d(static_cast<std::size_t>(a.rows), std::vector<long double>(static_cast<std::size_t>(a.cols)));
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      d[i][static_cast<std::size_t>(a.col[k])] += a.val[k];
  }
  return d;
}

/// The solution of A x = b by Gaussian elimination with pivoting.
inline std::vector<long double> dense_solve(Dense a, std::vector<long double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k; i < n; ++i) p = std::abs(a[i][k]) > std::abs(a[p][k]) ? i : p;
    std::swap(a[k], a[p]);
    std::swap(b[k], b[p]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double f = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

/// Whether a symmetric matrix is positive definite: all pivots are.
inline bool is_positive_definite(Dense a) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!(a[k][k] > 0)) return false;
    for (std::size_t i = k + 1; i < a.size(); ++i) {
      const long double f = a[i][k] / a[k][k];
      for (std::size_t j = k; j < a.size(); ++j) a[i][j] -= f * a[k][j];
    }
  }
  return true;
}

/// A symmetric positive definite matrix: some random couplings and a diagonal that dominates a little, scaled by row
/// and column.
template <class T>
Csr<T> random_definite(Index n, std::uint64_t seed, Index couplings = 3) {
  Random random(seed);
  std::vector<double> diagonal(static_cast<std::size_t>(n), 0.1), scale(diagonal);
  for (double& s : scale) s = std::exp(signed_unit(random));
  std::vector<Triplet<T>> t;
  for (Index i = 1; i < n; ++i) {
    for (Index k = 0; k < couplings; ++k) {
      const Index j = below(random, i);
      const auto p = static_cast<std::size_t>(i), q = static_cast<std::size_t>(j);
      const double v = signed_unit(random);
      diagonal[p] += std::abs(v);
      diagonal[q] += std::abs(v);
      const T value = static_cast<T>(v * scale[p] * scale[q]);
      t.push_back({i, j, value});
      t.push_back({j, i, value});
    }
  }
  for (Index i = 0; i < n; ++i) {
    const auto p = static_cast<std::size_t>(i);
    t.push_back({i, i, static_cast<T>(diagonal[p] * scale[p] * scale[p])});
  }
  return from_triplets<T>(n, n, t);
}

/// Expects M to be symmetric and positive, as far as M u and M v show.
template <class T>
void expect_symmetric_and_positive(const std::vector<T>& u, const std::vector<T>& mu, const std::vector<T>& v,
                                   const std::vector<T>& mv) {
  double uv = 0, vu = 0, uu = 0, vv = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    uv += static_cast<double>(u[i]) * static_cast<double>(mv[i]);
    vu += static_cast<double>(v[i]) * static_cast<double>(mu[i]);
    uu += static_cast<double>(u[i]) * static_cast<double>(mu[i]);
    vv += static_cast<double>(v[i]) * static_cast<double>(mv[i]);
  }
  EXPECT_NEAR(uv, vu, 1e-5 * std::sqrt(uu * vv));
  EXPECT_GT(uu, 0);
  EXPECT_GT(vv, 0);
}

/// The base class of typed tests of preconditioners.
template <class Case>
class PreconditionerTest : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  static constexpr double epsilon = std::numeric_limits<Value>::epsilon();

  template <class M>
  std::vector<Value> apply(const M& m, const std::vector<Value>& r) const {
    const auto dr = this->put(r);
    auto z = this->put(std::vector<Value>(r.size(), std::numeric_limits<Value>::quiet_NaN()));
    m.apply(dr, z);
    return z.download();
  }

  /// M^-1, column by column.
  template <class M>
  Dense inverse(const M& m, Index n) const {
    Dense d(static_cast<std::size_t>(n), std::vector<long double>(static_cast<std::size_t>(n)));
    for (std::size_t j = 0; j < d.size(); ++j) {
      std::vector<Value> unit(d.size());
      unit[j] = 1;
      const std::vector<Value> z = apply(m, unit);
      for (std::size_t i = 0; i < d.size(); ++i) d[i][j] = z[i];
    }
    return d;
  }

  /// Checks that M^-1 is symmetric to rounding and positive definite.
  template <class M>
  void expect_definite(const M& m, Index n) const {
    Dense d = inverse(m, n);
    for (std::size_t i = 0; i < d.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double size = static_cast<double>(std::sqrt(std::abs(d[i][i] * d[j][j])));
        EXPECT_NEAR(static_cast<double>(d[i][j]), static_cast<double>(d[j][i]), 200 * epsilon * size) << i << " " << j;
        d[i][j] = d[j][i] = (d[i][j] + d[j][i]) / 2;
      }
    }
    EXPECT_TRUE(is_positive_definite(d));
  }
};

}  // namespace ostinato::test

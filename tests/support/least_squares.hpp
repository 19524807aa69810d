// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

// Right values for least squares problems of few columns, by dense matrices in long double.

namespace ostinato::test {

/// A dense matrix by columns.
using Columns = std::vector<std::vector<long double>>;

template <class T>
Columns columns_of(const CsrView<T>& a) {
  Columns columns(static_cast<std::size_t>(a.cols), std::vector<long double>(static_cast<std::size_t>(a.rows)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      columns[static_cast<std::size_t>(a.col[k])][i] += a.val[k];
  }
  return columns;
}

inline long double product(const std::vector<long double>& x, const std::vector<long double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0L);
}
inline long double length(const std::vector<long double>& x) { return std::sqrt(product(x, x)); }

template <class T>
std::vector<long double> residual_of(const CsrView<T>& a, const std::vector<T>& x, const std::vector<T>& b) {
  std::vector<long double> r(b.begin(), b.end());
  for (std::size_t i = 0; i < r.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      r[i] -= static_cast<long double>(a.val[k]) * static_cast<long double>(x[static_cast<std::size_t>(a.col[k])]);
  }
  return r;
}

/// max_j |a_j . r| / (||a_j|| ||r||) over the columns that aren't 0.
template <class T>
double reference_gradient(const CsrView<T>& a, const std::vector<T>& x, const std::vector<T>& b) {
  const std::vector<long double> r = residual_of(a, x, b);
  const long double norm = length(r);
  long double largest = 0;
  for (const auto& column : columns_of(a)) {
    const long double size = length(column);
    if (size > 0 && norm > 0) largest = std::max(largest, std::abs(product(column, r)) / size / norm);
  }
  return static_cast<double>(largest);
}

struct LeastSquaresReference {
  std::vector<double> x;  ///< where the columns depend on each other, one of the solutions
  double residual;        ///< the smallest ||b - A x||
};

/// Makes the columns orthogonal, twice each, the longest of those that are left first; columns whose rest is below
/// `rounding` of their length depend on those before.
template <class T>
LeastSquaresReference least_squares_reference(const CsrView<T>& a, const std::vector<T>& b,
                                              long double rounding = 1e-17L) {
  Columns q = columns_of(a);
  const std::size_t n = q.size();
  std::vector<long double> r(b.begin(), b.end()), size(n), x(n);
  Columns upper(n, std::vector<long double>(n));  // upper[j][k]: the share of q_k in column j
  std::vector<long double> c(n);
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < n; ++j) size[j] = length(q[j]);
  std::vector<bool> is_left(n, true);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t next = n;
    for (std::size_t j = 0; j < n; ++j) {
      if (is_left[j] && size[j] > 0 && (next == n || length(q[j]) / size[j] > length(q[next]) / size[next])) next = j;
    }
    if (next == n || !(length(q[next]) > rounding * size[next])) break;
    is_left[next] = false;
    for (const std::size_t k : order) {  // once more
      const long double share = product(q[k], q[next]);
      upper[next][k] += share;
      for (std::size_t i = 0; i < r.size(); ++i) q[next][i] -= share * q[k][i];
    }
    upper[next][next] = length(q[next]);
    for (long double& v : q[next]) v /= upper[next][next];
    order.push_back(next);
    for (std::size_t j = 0; j < n; ++j) {
      if (!is_left[j]) continue;
      upper[j][next] = product(q[next], q[j]);
      for (std::size_t i = 0; i < r.size(); ++i) q[j][i] -= upper[j][next] * q[next][i];
    }
  }
  for (int twice = 0; twice < 2; ++twice) {
    for (const std::size_t k : order) {
      const long double share = product(q[k], r);
      c[k] += share;
      for (std::size_t i = 0; i < r.size(); ++i) r[i] -= share * q[k][i];
    }
  }
  for (std::size_t at = order.size(); at-- > 0;) {
    const std::size_t j = order[at];
    x[j] = c[j];
    for (std::size_t later = at + 1; later < order.size(); ++later) x[j] -= upper[order[later]][j] * x[order[later]];
    x[j] /= upper[j][j];
  }
  return {std::vector<double>(x.begin(), x.end()), static_cast<double>(length(r))};
}

/// The x of the smallest norm among those that make ||b - A x|| smallest, for a matrix of few rows or columns: x in the
/// range of A^T, found as x = A^T y, where y solves the least squares problem of A A^T.
template <class T>
std::vector<double> least_norm_reference(const CsrView<T>& a, const std::vector<T>& b) {
  const std::vector<double> some = least_squares_reference(a, b).x;
  // Of x + z, z in the null space, the smallest: x minus its part at right angles to the rows.
  const Csr<T> at = transpose(a);
  Csr<double> rows{at.rows, at.cols, at.row_ptr, at.col, Array<double>(at.val.begin(), at.val.end())};
  const std::vector<double> y = least_squares_reference(rows.view(), some, 1e-13L).x;
  std::vector<double> x(some.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    long double sum = 0;
    for (auto k = static_cast<std::size_t>(at.row_ptr[j]); k < static_cast<std::size_t>(at.row_ptr[j + 1]); ++k)
      sum += static_cast<long double>(at.val[k]) * static_cast<long double>(y[static_cast<std::size_t>(at.col[k])]);
    x[j] = static_cast<double>(sum);
  }
  return x;
}

}  // namespace ostinato::test

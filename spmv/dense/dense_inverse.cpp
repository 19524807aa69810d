// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/dense_inverse.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato::multigrid {

namespace {

/// A step of Gauss-Jordan elimination in place on n rows of n.
void eliminate(std::vector<double>& m, std::size_t n, std::size_t k) {
  double* const pivot = m.data() + k * n;
  const double scale = 1 / std::exchange(pivot[k], 1);
  for (std::size_t c = 0; c < n; ++c) pivot[c] *= scale;
  for (std::size_t i = 0; i < n; ++i) {
    double* const to = m.data() + i * n;
    if (i == k || to[k] == 0) continue;
    const double factor = std::exchange(to[k], 0);
    for (std::size_t c = 0; c < n; ++c) to[c] -= factor * pivot[c];
  }
}

/// Inverts a dense matrix of n rows of n in place, with row pivoting.
void invert(std::vector<double>& m, std::size_t n) {
  const auto row = [&](std::size_t i) { return m.data() + i * n; };
  std::vector<std::size_t> pivots(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t& pivot = pivots[k] = k;
    for (std::size_t i = k + 1; i < n; ++i) pivot = std::abs(row(i)[k]) > std::abs(row(pivot)[k]) ? i : pivot;
    if (pivot != k) std::swap_ranges(row(k), row(k) + n, row(pivot));
    if (!(std::abs(row(k)[k]) > 1e-12)) throw ArgumentError("multigrid: the coarsest operator is singular");
    eliminate(m, n, k);
  }
  for (std::size_t k = n; k-- > 0;) {  // rows that were exchanged are columns of the inverse
    for (std::size_t i = 0; i < n; ++i) std::swap(row(i)[k], row(i)[pivots[k]]);
  }
}

/// Inverts a symmetric matrix in place if it is positive definite, which shows in its pivots; otherwise leaves it as it
/// is. Gauss-Jordan elimination of the lower triangle, half of the work of all: what is eliminated stays symmetric,
/// with the other sign.
bool invert_if_positive(std::vector<double>& m, std::size_t n) {
  std::vector<double> a = m, column(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = a[k * n + k];
    if (!(pivot > 1e-12)) return false;
    for (std::size_t i = 0; i < n; ++i) column[i] = i < k ? a[k * n + i] : a[i * n + k];
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = column[i] / pivot;
      double* const row = a.data() + i * n;
      for (std::size_t c = 0; c <= i; ++c) row[c] -= factor * column[c];
    }
    for (std::size_t i = 0; i < n; ++i) (i < k ? a[k * n + i] : a[i * n + k]) = column[i] / pivot;
    a[k * n + k] = -1 / pivot;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c <= i; ++c) m[i * n + c] = m[c * n + i] = -a[i * n + c];
  }
  return true;
}

/// Whether a symmetric dense matrix of n rows of n is positive definite: Cholesky's factorization succeeds.
bool is_positive(std::vector<double> m, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    if (!(m[k * n + k] > 0)) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = m[i * n + k] / m[k * n + k];
      for (std::size_t c = k + 1; c <= i; ++c) m[i * n + c] -= factor * m[c * n + k];
    }
  }
  return true;
}

bool is_symmetric(const std::vector<double>& m, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (std::abs(m[i * n + k] - m[k * n + i]) > 1e-5) return false;
    }
  }
  return true;
}

/// Adds to the diagonal of a symmetric matrix what makes it positive definite, if that is no more than the rounding of
/// an operator in float may have taken away.
void lift(std::vector<double>& m, std::size_t n) {
  constexpr double least = 1e-6, most = 0.05;
  std::vector<double> lifted = m;
  for (double shift = 0; shift < most; shift = shift == 0 ? least : 2 * shift) {
    for (std::size_t i = 0; i < n; ++i) lifted[i * n + i] = m[i * n + i] + shift;
    if (!is_positive(lifted, n)) continue;
    for (std::size_t i = 0; i < n; ++i) m[i * n + i] += 2 * shift;
    return;
  }
}

}  // namespace

void invert_dense(std::vector<double>& m, std::size_t n, bool may_lift) {
  const bool symmetric = is_symmetric(m, n);
  if (symmetric && invert_if_positive(m, n)) return;
  if (symmetric && may_lift) lift(m, n);
  invert(m, n);
}

}  // namespace ostinato::multigrid

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/dense_inverse.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

namespace {

class Dense {
 public:
  Dense(std::vector<double> rows, std::size_t n, double rounding) : n_(n), v_(std::move(rows)), rounding_(rounding) {
    for (const double v : v_) largest_ = std::max(largest_, std::abs(v));
  }

  double* row(std::size_t i) { return v_.data() + i * n_; }

  /// Whether the sums of all rows and of all columns are 0 but for rounding.
  bool is_singular_for_constants() {
    std::vector<double> columns(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      double total = 0;
      for (std::size_t j = 0; j < n_; ++j) {
        total += row(i)[j];
        columns[j] += row(i)[j];
      }
      if (std::abs(total) > 1e-6 * largest_) return false;
    }
    return std::all_of(columns.begin(), columns.end(), [&](double v) { return std::abs(v) <= 1e-6 * largest_; });
  }

  void add(double v) {
    for (double& e : v_) e += v;
  }

  /// Whether the matrix is symmetric but for rounding.
  bool is_symmetric() {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double size = std::max(std::abs(row(i)[j]), root_of_product(row(i)[i], row(j)[j]));
        if (std::abs(row(i)[j] - row(j)[i]) > rounding_ * size) return false;
      }
    }
    return true;
  }

  /// Replaces a symmetric matrix by its inverse, with pivots on the diagonal: the largest first, in their diagonal
  /// entries, so that the scale of a row doesn't matter. Rows and columns without a pivot become 0. Returns the number
  /// of pivots; nothing, and the matrix is of no use, where the matrix isn't semidefinite.
  std::optional<std::size_t> invert_by_diagonal() {
    std::vector<double> own(n_), column(n_);
    for (std::size_t i = 0; i < n_; ++i) own[i] = row(i)[i];
    std::vector<char> is_done(n_, 0);
    std::size_t pivots = 0;
    for (; pivots < n_; ++pivots) {
      double most = rounding_;
      std::size_t k = n_;
      for (std::size_t i = 0; i < n_; ++i) {
        const double part = is_done[i] || own[i] == 0 ? 0 : row(i)[i] / own[i];
        if (part > most) k = i;
        if (part > most) most = part;
      }
      if (k == n_) break;
      is_done[k] = 1;
      eliminate_below_diagonal(k, column);
    }
    if (!is_definite(own) || !is_nothing_left(own, is_done)) return {};
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) row(i)[j] = row(j)[i] = is_done[i] && is_done[j] ? -row(i)[j] : 0;
    }
    return pivots;
  }

  /// Replaces the matrix by its inverse, with the largest pivots of the columns. Returns the number of pivots; any
  /// other one counts as infinite.
  std::size_t invert_by_columns() {
    std::size_t pivots = 0;
    std::vector<std::size_t> swapped(n_);
    for (std::size_t k = 0; k < n_; ++k) {
      std::size_t p = k;
      for (std::size_t i = k + 1; i < n_; ++i)
        if (std::abs(row(i)[k]) > std::abs(row(p)[k])) p = i;
      swapped[k] = p;
      if (p != k) std::swap_ranges(row(p), row(p) + n_, row(k));
      pivots += eliminate(k, rounding_ * largest_) ? 1 : 0;
    }
    for (std::size_t k = n_; k-- > 0;)
      if (swapped[k] != k)
        for (std::size_t i = 0; i < n_; ++i) std::swap(row(i)[k], row(i)[swapped[k]]);
    return pivots;
  }

  /// The number that brings the eigenvalue 0 of constants near the others when it is added to all elements.
  double shift() {
    const double size = std::max(largest_, 1e-300) / static_cast<double>(n_);
    return n_ > 0 && row(0)[0] < 0 ? -size : size;
  }
  std::size_t rows() const { return n_; }
  std::vector<double> values() && { return std::move(v_); }

 private:
  /// The root of |x y|, also where the product is out of range.
  static double root_of_product(double x, double y) { return std::sqrt(std::abs(x)) * std::sqrt(std::abs(y)); }

  /// Whether all diagonal entries have the same sign.
  static bool is_definite(const std::vector<double>& own) {
    const auto [low, high] = std::minmax_element(own.begin(), own.end());
    return own.empty() || *low >= 0 || *high <= 0;
  }

  /// Whether the rows without a pivot hold nothing but rounding, below the diagonal and on it.
  bool is_nothing_left(const std::vector<double>& own, const std::vector<char>& is_done) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j <= i && !is_done[i]; ++j) {
        const double both = root_of_product(own[i], own[j]), size = both > 0 ? both : largest_;
        if (!is_done[j] && std::abs(row(i)[j]) > 10 * rounding_ * size) return false;
      }
    }
    return true;
  }

  /// A step of Gauss-Jordan elimination on the part of a symmetric matrix below the diagonal and on it, which is half
  /// of the work. What is eliminated stays symmetric, with the other sign. `column` has room for n elements.
  void eliminate_below_diagonal(std::size_t k, std::vector<double>& column) {
    const double inverse = 1 / row(k)[k];
    for (std::size_t i = 0; i < n_; ++i) column[i] = i < k ? row(k)[i] : row(i)[k];
    const double* const of_column = column.data();
    for (std::size_t i = 0; i < n_; ++i) {
      const double factor = column[i] * inverse;
      if (factor == 0) continue;
      double* const r = row(i);
#pragma omp simd
      for (std::size_t j = 0; j <= i; ++j) r[j] -= factor * of_column[j];
    }
    for (std::size_t i = 0; i < n_; ++i) (i < k ? row(k)[i] : row(i)[k]) = column[i] * inverse;
    row(k)[k] = -inverse;
  }

  /// A pivot that isn't larger than `least` counts as infinite. Returns whether it is larger.
  bool eliminate(std::size_t k, double least) {
    double* const pivot_row = row(k);
    const double pivot = pivot_row[k], inverse = std::abs(pivot) > least ? 1 / pivot : 0;
    pivot_row[k] = 1;
    for (std::size_t j = 0; j < n_; ++j) pivot_row[j] *= inverse;
    for (std::size_t i = 0; i < n_; ++i) {
      double* const r = row(i);
      const double factor = r[k];
      if (i == k || factor == 0) continue;
      r[k] = 0;
#pragma omp simd
      for (std::size_t j = 0; j < n_; ++j) r[j] -= factor * pivot_row[j];
    }
    return std::abs(pivot) > least;
  }

  std::size_t n_;
  std::vector<double> v_;
  double rounding_, largest_ = 0;
};

/// Nothing where the matrix isn't symmetric and semidefinite.
std::optional<Dense> inverse_by_diagonal(Dense given) {
  if (!given.is_symmetric()) return {};
  if (given.is_singular_for_constants()) {
    Dense m = given;
    const double n = static_cast<double>(given.rows()), s = given.shift();
    m.add(s);
    if (m.invert_by_diagonal() == given.rows()) return m.add(-1 / (s * n * n)), m;
  }
  if (!given.invert_by_diagonal()) return {};
  return given;
}

Dense inverse_by_columns(Dense m) {
  const bool singular = m.is_singular_for_constants();
  // The matrix with s in all places has the eigenvalue s n for constants, and the others as before.
  const double n = static_cast<double>(m.rows()), s = m.shift();
  if (singular) m.add(s);
  m.invert_by_columns();
  if (singular) m.add(-1 / (s * n * n));
  return m;
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

std::vector<double> pseudo_inverse(std::vector<double> m, std::size_t n, double rounding) {
  const Dense given(std::move(m), n, rounding);
  std::optional<Dense> inverse = inverse_by_diagonal(given);
  if (!inverse) inverse = inverse_by_columns(given);
  return std::move(*inverse).values();
}

std::vector<double> dense_inverse(std::vector<double> m, std::size_t n, bool may_lift) {
  constexpr double of_floats = 1e-5, no_pivot = 1e-12;
  if (Dense(m, n, of_floats).is_symmetric()) {
    if (may_lift) lift(m, n);
    Dense inverse(m, n, no_pivot);
    if (inverse.invert_by_diagonal() == n) return std::move(inverse).values();
  }
  Dense inverse(std::move(m), n, no_pivot);
  if (inverse.invert_by_columns() != n) throw ArgumentError("multigrid: the coarsest operator is singular");
  return std::move(inverse).values();
}

}  // namespace ostinato

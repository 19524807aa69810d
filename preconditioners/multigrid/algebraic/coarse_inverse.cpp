// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace ostinato::algebraic {

namespace {

constexpr double rounding = 1e-10;  // of a pivot, relative to the largest entry: the hierarchy is in float

class Dense {
 public:
  explicit Dense(const Csr<double>& a) : n_(static_cast<std::size_t>(a.rows)), v_(n_ * n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        row(i)[a.col[k]] += a.val[k];
    }
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

  /// Replaces the matrix by its inverse.
  void invert() {
    std::vector<std::size_t> swapped(n_);
    for (std::size_t k = 0; k < n_; ++k) {
      std::size_t p = k;
      for (std::size_t i = k + 1; i < n_; ++i)
        if (std::abs(row(i)[k]) > std::abs(row(p)[k])) p = i;
      swapped[k] = p;
      if (p != k) std::swap_ranges(row(p), row(p) + n_, row(k));
      eliminate(k);
    }
    for (std::size_t k = n_; k-- > 0;)
      if (swapped[k] != k)
        for (std::size_t i = 0; i < n_; ++i) std::swap(row(i)[k], row(i)[swapped[k]]);
  }

  double largest() const { return largest_; }
  std::vector<double> values() && { return std::move(v_); }

 private:
  void eliminate(std::size_t k) {
    double* const pivot_row = row(k);
    const double pivot = pivot_row[k], inverse = std::abs(pivot) > rounding * largest_ ? 1 / pivot : 0;
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
  }

  std::size_t n_;
  std::vector<double> v_;
  double largest_ = 0;
};

}  // namespace

std::vector<double> coarse_inverse(const Csr<double>& a) {
  Dense m(a);
  const bool singular = a.rows > 0 && m.is_singular_for_constants();
  // The matrix with s in all places has the eigenvalue s n for constants, and the others as before.
  const double n = static_cast<double>(a.rows), s = singular ? std::max(m.largest(), 1e-300) / n : 0;
  if (singular) m.add(s);
  m.invert();
  if (singular) m.add(-1 / (s * n * n));
  return std::move(m).values();
}

}  // namespace ostinato::algebraic

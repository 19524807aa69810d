// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>

namespace ostinato {

/// The small least squares problem of GMRES, min |beta e1 - H y|, solved column by column with Givens rotations. H has
/// real elements below its diagonal.
///
/// Source    Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856.
template <class S>
class HessenbergOf {
 public:
  explicit HessenbergOf(double beta) : g_{beta} {}

  int columns() const { return static_cast<int>(r_.size()); }

  /// Adds column h(0) .. h(j + 1), where j = columns(), and returns the norm of the residual with this column. An h(j +
  /// 1) of at most `rounding` times the column's norm counts as 0: the Krylov space is then complete, and the residual
  /// is 0. A column with a zero pivot leaves the residual as it is. A column that isn't finite gives NaN. In the last
  /// two cases the caller has to drop() the column.
  double absorb(std::span<const S> column, double rounding) {
    std::vector<S> h(column.begin(), column.end());
    const std::size_t j = r_.size();
    double size = 0;
    for (const S value : h) size = std::hypot(size, magnitude(value));
    if (real_part(h[j + 1]) <= rounding * size) h[j + 1] = 0;
    for (std::size_t k = 0; k < j; ++k) {
      const S upper = conj(cosine_[k]) * h[k] + sine_[k] * h[k + 1];
      h[k + 1] = cosine_[k] * h[k + 1] + minus_sine_[k] * h[k];
      h[k] = upper;
    }
    const double length = std::hypot(magnitude(h[j]), real_part(h[j + 1]));
    cosine_.push_back(length > 0 ? h[j] / length : S{0});
    sine_.push_back(length > 0 ? real_part(h[j + 1]) / length : 1);
    minus_sine_.push_back(-sine_[j]);
    h.resize(j + 1);
    h[j] = length;
    r_.push_back(std::move(h));
    g_.push_back(minus_sine_[j] * g_[j]);
    g_[j] *= conj(cosine_[j]);
    return std::isfinite(size) ? magnitude(g_[j + 1]) : std::numeric_limits<double>::quiet_NaN();
  }

  /// The norm of the residual with the columns so far.
  double residual() const { return magnitude(g_.back()); }

  /// True when the last column has a zero pivot: A is singular on the Krylov space.
  bool singular() const { return !r_.empty() && r_.back().back() == S{0}; }

  /// The last element of the triangle's diagonal, in size: what the last column adds to those before. 0 when
  /// singular().
  double pivot() const { return real_part(r_.back().back()); }

  /// Removes the last column.
  void drop() {
    r_.pop_back();
    cosine_.pop_back();
    sine_.pop_back();
    minus_sine_.pop_back();
    g_.pop_back();
  }

  /// Returns the coefficients y that minimise the residual over all columns so far.
  std::vector<S> solve() const {
    std::vector<S> y = g_;
    y.resize(r_.size());
    divide(y);
    return y;
  }

  /// Removes the last columns as long as the rounding of H y, `unit` ||H|| ||y||, is over half of ||beta e1||: pivots
  /// of a nearly singular A make y so large. One column stays.
  void drop_grown(double unit) {
    while (columns() > 1) {
      double of_h = 0, of_y = 0, beta = 0;
      for (const std::vector<S>& column : r_)
        for (const S value : column) of_h = std::hypot(of_h, magnitude(value));
      for (const S value : solve()) of_y = std::hypot(of_y, magnitude(value));
      for (const S value : g_) beta = std::hypot(beta, magnitude(value));
      if (unit * of_h * of_y <= beta / 2) return;
      const double rest = std::hypot(magnitude(g_[g_.size() - 2]), magnitude(g_.back()));
      drop();
      g_.back() = rest;
    }
  }

  // H = Q R, where Q has orthonormal columns and R is the triangle. y: columns() elements.

  /// y becomes R^-1 y.
  void divide(std::span<S> y) const {
    for (std::size_t j = r_.size(); j-- > 0;) {
      y[j] /= r_[j][j];
      for (std::size_t i = 0; i < j; ++i) y[i] -= r_[j][i] * y[j];
    }
  }

  /// y becomes R^-H y, which is R^-T y for real elements.
  void divide_transposed(std::span<S> y) const {
    for (std::size_t j = 0; j < r_.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) y[j] -= conj(r_[j][i]) * y[i];
      y[j] /= r_[j][j];
    }
  }

  /// Returns Q y, columns() + 1 elements.
  std::vector<S> rotate_back(std::span<const S> y) const {
    std::vector<S> q(y.begin(), y.end());
    q.push_back(0);
    for (std::size_t j = r_.size(); j-- > 0;) {
      const S upper = cosine_[j] * q[j] + minus_sine_[j] * q[j + 1];
      q[j + 1] = sine_[j] * q[j] + conj(cosine_[j]) * q[j + 1];
      q[j] = upper;
    }
    return q;
  }

 private:
  std::vector<std::vector<S>> r_;  ///< the upper triangle, by columns
  std::vector<S> cosine_;
  std::vector<double> sine_;
  /// Of a difference of products beside a sum of products g++ 12 makes a fused multiply-add, also with
  /// -ffp-contract=off. Sums alone have the same bits in every build.
  std::vector<double> minus_sine_;
  std::vector<S> g_;  ///< the rotated right-hand side
};

using Hessenberg = HessenbergOf<double>;

}  // namespace ostinato

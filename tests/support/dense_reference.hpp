// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::test {

/// A least squares problem solved by a dense QR factorisation with column pivoting, in extended precision. The
/// reference for systems that are singular, inconsistent or badly scaled.
class DenseReference {
 public:
  /// scale_rows: the rows are brought to one size before, which changes a problem without a solution. cut: columns
  /// whose part beside the others is smaller, relative to the largest, count as dependent.
  template <class T>
  DenseReference(const CsrView<T>& a, const std::vector<T>& b, bool scale_rows, double cut)
      : cut_(cut),
        rows_(static_cast<std::size_t>(a.rows)),
        cols_(static_cast<std::size_t>(a.cols)),
        a_(rows_ * cols_),
        b_(rows_) {
    std::vector<long double> of_row(rows_, 1);
    for (std::size_t i = 0; i < rows_; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        at(i, static_cast<std::size_t>(a.col[k])) += static_cast<long double>(a.val[k]);
      b_[i] = static_cast<long double>(b[i]);
      if (scale_rows) of_row[i] = power_of(row_size(i));
    }
    scale_.assign(cols_, 1);
    for (std::size_t j = 0; j < cols_; ++j) {
      for (std::size_t i = 0; i < rows_; ++i) at(i, j) *= of_row[i];
      scale_[j] = power_of(column_size(j, 0));
      for (std::size_t i = 0; i < rows_; ++i) at(i, j) *= scale_[j];
    }
    for (std::size_t i = 0; i < rows_; ++i) b_[i] *= of_row[i];
    factor();
  }

  std::size_t rank() const { return rank_; }
  /// The smallest of the diagonal of R that counts, beside the largest: about 1 / condition.
  long double least_share() const { return least_share_; }
  /// min ||b - A x||
  long double residual() const {
    long double sum = 0;
    for (std::size_t i = rank_; i < rows_; ++i) sum += b_[i] * b_[i];
    return std::sqrt(sum);
  }

  /// An x with this residual, with zeros for the columns that depend on others.
  std::vector<long double> x() const {
    std::vector<long double> x(cols_, 0);
    std::vector<long double> y(b_.begin(), b_.begin() + static_cast<std::ptrdiff_t>(rank_));
    for (std::size_t k = rank_; k-- > 0;) {
      for (std::size_t j = k + 1; j < rank_; ++j) y[k] -= at(k, j) * y[j];
      y[k] /= at(k, k);
    }
    for (std::size_t k = 0; k < rank_; ++k) x[order_[k]] = y[k] * scale_[order_[k]];
    return x;
  }

 private:
  long double& at(std::size_t i, std::size_t j) { return a_[j * rows_ + i]; }
  long double at(std::size_t i, std::size_t j) const { return a_[j * rows_ + i]; }

  static long double power_of(long double size) { return size > 0 ? std::ldexp(1.0L, -std::ilogb(size)) : 1; }
  long double row_size(std::size_t i) const {
    long double size = 0;
    for (std::size_t j = 0; j < cols_; ++j) size = std::max(size, std::abs(at(i, j)));
    return size;
  }
  long double column_size(std::size_t j, std::size_t from) const {
    long double sum = 0;
    for (std::size_t i = from; i < rows_; ++i) sum += at(i, j) * at(i, j);
    return std::sqrt(sum);
  }

  void factor() {
    order_.resize(cols_);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    long double largest = 0;
    for (std::size_t k = 0; k < std::min(rows_, cols_); ++k) {
      std::size_t best = k;
      for (std::size_t j = k + 1; j < cols_; ++j) best = column_size(j, k) > column_size(best, k) ? j : best;
      const long double size = column_size(best, k);
      largest = std::max(largest, size);
      if (!(size > cut_ * largest)) return;
      for (std::size_t i = 0; i < rows_; ++i) std::swap(at(i, k), at(i, best));
      std::swap(order_[k], order_[best]);
      reflect(k, size);
      least_share_ = size / largest;
      ++rank_;
    }
  }

  /// The Householder reflection that makes column k zero below the diagonal.
  void reflect(std::size_t k, long double size) {
    std::vector<long double> v(rows_, 0);
    for (std::size_t i = k; i < rows_; ++i) v[i] = at(i, k);
    v[k] += v[k] < 0 ? -size : size;
    long double vv = 0;
    for (const long double e : v) vv += e * e;
    const auto apply = [&](auto&& element) {
      long double dot = 0;
      for (std::size_t i = k; i < rows_; ++i) dot += v[i] * element(i);
      for (std::size_t i = k; i < rows_; ++i) element(i) -= 2 * dot / vv * v[i];
    };
    for (std::size_t j = k; j < cols_; ++j) apply([&](std::size_t i) -> long double& { return at(i, j); });
    apply([&](std::size_t i) -> long double& { return b_[i]; });
  }

  long double cut_;
  std::size_t rows_, cols_;
  std::vector<long double> a_, b_, scale_;
  std::vector<std::size_t> order_;
  std::size_t rank_ = 0;
  long double least_share_ = 0;
};

}  // namespace ostinato::test

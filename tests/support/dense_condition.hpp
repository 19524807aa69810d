// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::test {

/// A square matrix with all its elements, in extended precision.
class DenseMatrix {
 public:
  explicit DenseMatrix(std::size_t n) : n_(n), a_(n * n, 0) {}
  template <class T>
  explicit DenseMatrix(const CsrView<T>& a) : DenseMatrix(static_cast<std::size_t>(a.rows)) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        at(i, static_cast<std::size_t>(a.col[k])) += static_cast<long double>(a.val[k]);
    }
  }

  std::size_t rows() const { return n_; }
  long double& at(std::size_t i, std::size_t j) { return a_[i * n_ + j]; }
  long double at(std::size_t i, std::size_t j) const { return a_[i * n_ + j]; }

  long double norm_1() const {
    long double most = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      long double sum = 0;
      for (std::size_t i = 0; i < n_; ++i) sum += std::abs(at(i, j));
      most = std::max(most, sum);
    }
    return most;
  }

  /// By Gauss and Jordan, with row pivots.
  DenseMatrix inverse() const {
    DenseMatrix a = *this, x(n_);
    for (std::size_t i = 0; i < n_; ++i) x.at(i, i) = 1;
    for (std::size_t k = 0; k < n_; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n_; ++i)
        if (std::abs(a.at(i, k)) > std::abs(a.at(pivot, k))) pivot = i;
      for (std::size_t j = 0; j < n_; ++j) std::swap(a.at(k, j), a.at(pivot, j)), std::swap(x.at(k, j), x.at(pivot, j));
      const long double of_pivot = 1 / a.at(k, k);
      for (std::size_t j = 0; j < n_; ++j) a.at(k, j) *= of_pivot, x.at(k, j) *= of_pivot;
      for (std::size_t i = 0; i < n_; ++i) {
        const long double factor = i == k ? 0 : a.at(i, k);
        if (factor == 0) continue;
        for (std::size_t j = 0; j < n_; ++j) a.at(i, j) -= factor * a.at(k, j), x.at(i, j) -= factor * x.at(k, j);
      }
    }
    return x;
  }

  /// Of a symmetric matrix, ascending: by Jacobi's rotations.
  std::vector<long double> eigenvalues() const {
    DenseMatrix a = *this;
    for (int sweep = 0; sweep < 30; ++sweep) {
      for (std::size_t p = 0; p < n_; ++p) {
        for (std::size_t q = p + 1; q < n_; ++q) a.rotate(p, q);
      }
    }
    std::vector<long double> values(n_);
    for (std::size_t i = 0; i < n_; ++i) values[i] = a.at(i, i);
    std::sort(values.begin(), values.end());
    return values;
  }

 private:
  /// Makes the elements (p, q) and (q, p) of a symmetric matrix 0.
  void rotate(std::size_t p, std::size_t q) {
    if (std::abs(at(p, q)) < 1e-30L) return;
    const long double theta = (at(q, q) - at(p, p)) / (2 * at(p, q)),
                      t = std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta),
                      c = 1 / std::sqrt(t * t + 1), s = t * c;
    for (std::size_t k = 0; k < n_; ++k) {
      const long double kp = at(k, p), kq = at(k, q);
      at(k, p) = c * kp - s * kq;
      at(k, q) = s * kp + c * kq;
    }
    for (std::size_t k = 0; k < n_; ++k) {
      const long double pk = at(p, k), qk = at(q, k);
      at(p, k) = c * pk - s * qk;
      at(q, k) = s * pk + c * qk;
    }
  }

  std::size_t n_;
  std::vector<long double> a_;
};

/// The condition number in the 1-norm.
template <class T>
double condition_1(const CsrView<T>& a) {
  const DenseMatrix dense(a);
  return static_cast<double>(dense.norm_1() * dense.inverse().norm_1());
}

}  // namespace ostinato::test

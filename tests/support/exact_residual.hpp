// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::test {

struct ExactResidual {
  double norm = 0;
  double b_norm = 0;
  double relative = 0;     ///< to ||b||; the norm itself when b = 0
  double backward = 0;     ///< ||b - A x|| / (||A||_inf ||x|| + ||b||)
  long double a_norm = 0;  ///< ||A||_inf, also beyond the range of double
};

/// ||b - A x|| in quadruple precision: 113 digits hold a product of two doubles.
template <class T>
ExactResidual exact_residual(const CsrView<T>& a, const std::vector<T>& x, const std::vector<T>& b) {
  using Quad = __float128;
  Quad norm = 0, b_norm = 0, x_norm = 0, a_norm = 0;
  for (const T v : x) x_norm += static_cast<Quad>(v) * static_cast<Quad>(v);
  for (std::size_t i = 0; i < b.size(); ++i) {
    Quad r = b[i], row = 0;
    b_norm += r * r;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      r -= static_cast<Quad>(a.val[k]) * static_cast<Quad>(x[static_cast<std::size_t>(a.col[k])]);
      row += std::abs(static_cast<long double>(a.val[k]));
    }
    norm += r * r;
    a_norm = row > a_norm ? row : a_norm;
  }
  const auto root = [](Quad square) { return std::sqrt(static_cast<long double>(square)); };
  const long double size = root(norm), b_size = root(b_norm), largest = static_cast<long double>(a_norm);
  return {static_cast<double>(size), static_cast<double>(b_size), static_cast<double>(size / (b_size > 0 ? b_size : 1)),
          size == 0 ? 0 : static_cast<double>(size / (largest * root(x_norm) + b_size)), largest};
}

}  // namespace ostinato::test

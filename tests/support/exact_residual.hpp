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
  double relative = 0;  ///< to ||b||; the norm itself when b = 0
};

/// ||b - A x|| in quadruple precision: 113 digits hold a product of two doubles.
template <class T>
ExactResidual exact_residual(const CsrView<T>& a, const std::vector<T>& x, const std::vector<T>& b) {
  using Quad = __float128;
  Quad norm = 0, b_norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    Quad r = b[i];
    b_norm += r * r;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      r -= static_cast<Quad>(a.val[k]) * static_cast<Quad>(x[static_cast<std::size_t>(a.col[k])]);
    norm += r * r;
  }
  const long double size = std::sqrt(static_cast<long double>(norm)),
                    b_size = std::sqrt(static_cast<long double>(b_norm));
  return {static_cast<double>(size), static_cast<double>(b_size),
          static_cast<double>(size / (b_size > 0 ? b_size : 1))};
}

}  // namespace ostinato::test

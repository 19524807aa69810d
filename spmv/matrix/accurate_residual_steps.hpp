// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel of accurate_residual.hpp, for both spaces.

#include <cmath>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// A sum with twice the digits: `high` is the rounded sum, `low` collects what rounding took from it.
struct TwofoldSum {
  double high = 0, low = 0;

  OSTINATO_FUNCTION void add(double value) {
    const double sum = high + value, part = sum - high;
    low += (high - (sum - part)) + (value - part);
    high = sum;
  }

  /// Subtracts u v. The fused multiply-add gives the rounding of the product.
  OSTINATO_FUNCTION void subtract_product(double u, double v) {
    const double product = u * v;
    add(-product);
    low -= fma(u, v, -product);
  }

  OSTINATO_FUNCTION double value() const { return high + low; }
};

template <class T>
struct AccurateResidual {
  CsrPattern a;
  const T* val;
  double outer, inner;
  const T *x, *b;
  T* r;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    TwofoldSum sum;
    sum.add(static_cast<double>(b[i]));
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      sum.subtract_product(outer * static_cast<double>(val[k]), inner * static_cast<double>(x[a.col[k]]));
    const double value = sum.value();
    r[i] = static_cast<T>(value);
    return {{value * value}};
  }
};

}  // namespace ostinato::detail

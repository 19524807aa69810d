// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel of accurate_residual.hpp, for both spaces.

#include <cmath>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// A sum with twice the digits: `high` is the rounded sum, `low` collects what rounding took from it. `hidden` bounds
/// what rounding took from `low`.
struct TwofoldSum {
  double high = 0, low = 0, hidden = 0;

  OSTINATO_FUNCTION void add(double value) { add_low(add_to(high, value)); }

  /// Subtracts u v. The fused multiply-add gives the rounding of the product.
  OSTINATO_FUNCTION void subtract_product(double u, double v) {
    const double product = u * v;
    add(-product);
    add_low(-fma(u, v, -product));
  }

  OSTINATO_FUNCTION double value() const { return high + low; }

  /// value() and what rounding may hide in it, with the sign of value(). `hidden` counts twice, because it is rounded,
  /// too.
  OSTINATO_FUNCTION double most() const { return value() + copysign(2 * hidden, value()); }

 private:
  OSTINATO_FUNCTION void add_low(double value) { hidden += fabs(add_to(low, value)); }

  /// Adds `value` to `total`. Returns what rounding took from the sum.
  OSTINATO_FUNCTION static double add_to(double& total, double value) {
    const double sum = total + value, part = sum - total;
    const double rest = (total - (sum - part)) + (value - part);
    total = sum;
    return rest;
  }
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
    const double value = sum.most();
    r[i] = static_cast<T>(value);
    return {{value * value}};
  }
};

}  // namespace ostinato::detail

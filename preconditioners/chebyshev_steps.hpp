// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of chebyshev.hpp and largest_eigenvalue.hpp, on both spaces. D is the diagonal of A.

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// residual = r;  z = direction = add D^-1 r
template <class T>
struct BeginChebyshev {
  T add;
  const T *inverse, *r;
  T *residual, *direction, *z;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    residual[i] = r[i];
    z[i] = direction[i] = add * inverse[i] * r[i];
  }
};

/// direction = keep direction + add D^-1 residual;  z = z + direction
template <class T>
struct ChebyshevStep {
  T keep, add;
  const T *inverse, *residual;
  T *direction, *z;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    direction[i] = keep * direction[i] + add * inverse[i] * residual[i];
    z[i] += direction[i];
  }
};

/// next = D^-1 product - alpha v - beta next;  the sum is next . D next
template <class T>
struct LanczosStep {
  T alpha, beta;
  const T *inverse, *product, *v;
  T* next;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const T value = inverse[i] * product[i] - alpha * v[i] - beta * next[i];
    next[i] = value;
    return {{static_cast<double>(value) * static_cast<double>(value) / static_cast<double>(inverse[i])}};
  }
};

/// sums[i] = sum over j of |A(i, j)| inverse[i]
template <class T>
struct ScaledRowSum {
  CsrPattern a;
  const T *val, *inverse;
  T* sums;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T total = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) total += val[k] < 0 ? -val[k] : val[k];
    sums[i] = total * inverse[i];
  }
};

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of chebyshev.hpp and largest_eigenvalue.hpp, on both spaces. D is the diagonal of A.

#include <cstdint>
#include <cstring>

#include <ostinato/preconditioners/multigrid/rate_steps.hpp>
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

/// next = D^-1 product - alpha v - beta next;  the sum is next . D next. Rows without a diagonal stay 0.
template <class T>
struct LanczosStep {
  T alpha, beta;
  const T *inverse, *product, *v;
  T* next;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const T value = inverse[i] * product[i] - alpha * v[i] - beta * next[i];
    next[i] = value;
    const double square = static_cast<double>(value) * static_cast<double>(value);
    return {{inverse[i] == 0 ? 0.0 : square / static_cast<double>(inverse[i])}};
  }
};

/// v[i] = element i of the random error of multigrid's trial
template <class T>
struct FillRandom {
  T* v;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { v[i] = static_cast<T>(multigrid::random_error(i)); }
};

/// largest[i % slots] = the largest of the sums over j of |A(i, j)| inverse[i], rounded up to a float, as its bits:
/// those of positive floats are in the order of the floats, and those of NaN are above all. Several slots, because few
/// may not be written at a time.
template <class T, class Atomic>
struct LargestRowSum {
  static constexpr std::size_t slots = 1024;

  CsrPattern a;
  const T *val, *inverse;
  std::int32_t* largest;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T total = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) total += val[k] < 0 ? -val[k] : val[k];
    constexpr float up = 1 + 0x1p-23f;
    const float rounded = static_cast<float>(total * inverse[i]) * up;
    std::int32_t bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    bits &= 0x7fffffff;  // the sign of NaN
    std::int32_t* const slot = largest + i % slots;
    if (bits > Atomic::load(slot)) Atomic::max(slot, bits);
  }
};

}  // namespace ostinato::detail

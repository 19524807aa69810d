// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of chebyshev.hpp and largest_eigenvalue.hpp, on both spaces. D is the diagonal of A.

#include <cmath>
#include <cstdint>
#include <cstring>

#include <ostinato/preconditioners/multigrid/rate_steps.hpp>
#include <ostinato/spmv/base/scalar.hpp>
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

/// Where the Lanczos method keeps what it finds: first |u_0|^2, then for step k: u_k . A u_k, |u_k+1|^2, and
/// u_k-1 . A u_k. The vectors aren't scaled to 1; norms are those of D.
struct LanczosSlots {
  OSTINATO_FUNCTION static constexpr int norm(int k) { return k == 0 ? 0 : 3 * k - 1; }
  OSTINATO_FUNCTION static constexpr int product(int k) { return 3 * k + 1; }
  OSTINATO_FUNCTION static constexpr int mirrored(int k) { return 3 * k + 3; }
  static constexpr int count(int steps) { return 3 * steps + 1; }
};

/// value^2 / inverse, where value^2 may be out of range; 0 without a diagonal.
template <class T>
OSTINATO_FUNCTION double square_by(T inverse, T value) {
  const auto v = static_cast<double>(value);
  return inverse == 0 ? 0.0 : v * (v / static_cast<double>(inverse));
}

/// The first vector of the Lanczos method: u = D^-1 r for a random r;  the sum is u . D u.
template <class T>
struct LanczosBegin {
  const T* inverse;
  T *u, *before;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const T value = inverse[i] * static_cast<T>(multigrid::random_error(i));
    u[i] = value;
    before[i] = 0;
    return {{square_by(inverse[i], value)}};
  }
};

/// A step of the Lanczos method, from u = u_k and `before` = u_k-1, in whose place u_k+1 goes: with v = u / |u|,
/// u_k+1 = D^-1 A v_k - (v_k . A v_k) v_k - |u_k| v_k-1. The sums are u_k+1 . D u_k+1 and u_k-1 . A u_k. Rows without a
/// diagonal stay 0.
template <class T>
struct LanczosStep {
  int k;
  double sign;  ///< of A
  const double* slots;
  const T *inverse, *product, *u;
  T* before;
  T of_product = 0, of_u = 0, of_before = 0;

  OSTINATO_FUNCTION bool prepare() {
    const double norm = sqrt(slots[LanczosSlots::norm(k)]);
    of_product = static_cast<T>(sign / norm);
    of_u = static_cast<T>(sign * slots[LanczosSlots::product(k)] / (norm * norm) / norm);
    of_before = k == 0 ? T{0} : static_cast<T>(norm / sqrt(slots[LanczosSlots::norm(k - 1)]));
    return true;
  }
  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const T last = before[i], value = of_product * inverse[i] * product[i] - of_u * u[i] - of_before * last;
    before[i] = value;
    return {{square_by(inverse[i], value), product_of(last, product[i])}};
  }
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

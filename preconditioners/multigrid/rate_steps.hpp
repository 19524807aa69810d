// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The trial of a preconditioner on a random error e, which isn't stored: what M^-1 A e leaves of it.

#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::multigrid {

/// An element of the random error, in -1 .. 1.
OSTINATO_FUNCTION inline double random_error(std::size_t i) {
  std::uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
  return static_cast<double>(h >> 11) * 0x1p-52 - 1;
}

/// to = e
struct FillRandomError {
  float* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { to[i] = static_cast<float>(random_error(i)); }
};

/// The part of e that begins at element `first`, in T.
template <class T>
struct FillRandom {
  T* to;
  std::size_t first;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { to[i] = static_cast<T>(random_error(first + i)); }
};

/// r = power A e
template <class T>
struct ProductOfRandom {
  detail::CsrPattern a;
  const T* val;
  double power;
  T* r;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    double total = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      total += static_cast<double>(val[k]) * power * static_cast<T>(random_error(static_cast<std::size_t>(a.col[k])));
    r[i] = static_cast<T>(total);
  }
};

/// What earlier cycles have left of the random error.
template <class T>
struct ErrorLeft {
  double power;
  const T* corrected;  ///< power times what these cycles have taken away; null before the first one

  OSTINATO_FUNCTION double at(std::size_t i) const {
    const double e = static_cast<T>(random_error(i));
    return corrected == nullptr ? e : e - static_cast<double>(corrected[i]) / power;
  }
};

/// The sums are |e - z / power|^2 and |e|^2, of the part of e that begins at element `first`.
template <class T>
struct RandomLeft {
  ErrorLeft<T> error;
  double power;
  const T* z;
  std::size_t first = 0;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const double e = error.at(first + i), left = e - static_cast<double>(z[i]) / power;
    return {{left * left, e * e}};
  }
};

/// r = r - y
struct TakeProduct {
  const float* y;
  float* r;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { r[i] -= y[i]; }
};

/// The sums are the squares of the norms of e - z and of e, in the norm of a definite A: |x|^2 = x . A x. r = A e and
/// y = A z.
struct EnergyLeft {
  ErrorLeft<float> error;
  const float *r, *z, *y;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const double e = error.at(i), x = static_cast<double>(z[i]), ae = static_cast<double>(r[i]);
    return {{e * ae - 2 * x * ae + x * static_cast<double>(y[i]), e * ae}};
  }
};

}  // namespace ostinato::multigrid

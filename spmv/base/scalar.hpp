// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the library asks of a value type, written once. The value types are float, double and complex values of these:
// std::complex, or a class with its members. The functions run in CUDA kernels for the types that do.

#include <cmath>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <ostinato/spmv/base/function.hpp>

namespace ostinato {

namespace detail {

template <class T>
struct Parts {
  using real = T;
  template <class R>
  using like = R;
};
template <template <class> class Complex, class R>
requires requires(Complex<R> z) {
  { z.imag() } -> std::convertible_to<R>;
}
struct Parts<Complex<R>> {
  using real = R;
  template <class Q>
  using like = Complex<Q>;
};

}  // namespace detail

/// The type of absolute values and norms of elements: float or double.
template <class T>
using real_t = typename detail::Parts<std::remove_cv_t<T>>::real;

/// The type in which products of two elements are added up: double, or complex<double>.
template <class T>
using sum_t = typename detail::Parts<std::remove_cv_t<T>>::template like<double>;

/// The narrower type of the same kind: float, or complex<float>.
template <class T>
using low_t = typename detail::Parts<std::remove_cv_t<T>>::template like<float>;

/// Whether elements have the digits of float.
template <class T>
inline constexpr bool is_single = std::is_same_v<real_t<T>, float>;

template <class T>
inline constexpr bool is_complex = !std::is_same_v<real_t<T>, std::remove_cv_t<T>>;

namespace detail {

template <class R>
inline constexpr bool is_float_or_double = std::is_same_v<R, float> || std::is_same_v<R, double>;

}  // namespace detail

/// A value type of vectors and matrices.
template <class T>
concept Scalar = detail::is_float_or_double<real_t<T>>;

/// A value type without imaginary parts.
template <class T>
concept Real = Scalar<T> && !is_complex<T>;

/// Where a sum of products of elements lies, in the memory of the space. A norm in a slot for complex values has the
/// imaginary part 0.
template <class T>
using Slot = sum_t<T>*;

/// The conjugate. For complex values, std::conj is found by its argument.
template <Real T>
OSTINATO_FUNCTION constexpr T conj(T a) {
  return a;
}

/// The real part.
template <Scalar T>
OSTINATO_FUNCTION constexpr real_t<T> real_part(T a) {
  if constexpr (is_complex<T>) {
    return a.real();
  } else {
    return a;
  }
}

/// a b, formed in sum_t: exact for floats.
template <Scalar T, Scalar U>
OSTINATO_FUNCTION constexpr sum_t<T> product_of(T a, U b) {
  return static_cast<sum_t<T>>(a) * static_cast<sum_t<U>>(b);
}

/// |a|^2, formed in double.
template <Scalar T>
OSTINATO_FUNCTION constexpr double abs2(T a) {
  if constexpr (is_complex<T>) {
    return product_of(a.real(), a.real()) + product_of(a.imag(), a.imag());
  } else {
    return product_of(a, a);
  }
}

/// |a|, in double.
template <Scalar T>
OSTINATO_FUNCTION double magnitude(T a) {
  const double re = static_cast<double>(real_part(a));
  if constexpr (is_complex<T>) {
    return std::hypot(re, static_cast<double>(a.imag()));
  } else {
    return re < 0 ? -re : re;
  }
}

/// The real numbers at p: of complex values the real and the imaginary parts beside each other.
template <Scalar T>
OSTINATO_FUNCTION real_t<T>* parts_of(T* p) {
  return reinterpret_cast<real_t<T>*>(p);
}
template <Scalar T>
constexpr std::size_t parts_of_value = is_complex<T> ? 2 : 1;

}  // namespace ostinato

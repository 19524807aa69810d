// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato {

/// The operation y = alpha A x + beta z that kernels compute. z isn't read when beta = 0. z may be y, for the usual
/// update; with alpha = -1, beta = 1 and z = b the result is the residual y = b - A x. A mixed product has vectors of
/// another type V than A: an element of y is added up in T and rounded once.
template <class T, class V = T>
struct Product {
  T alpha;
  const V* x;
  T beta;
  const V* z;
  V* y;
};

/// The operation y = A x.
template <class T>
Product<T> plain_product(const T* x, T* y) {
  return {T{1}, x, T{0}, y, y};
}

}  // namespace ostinato

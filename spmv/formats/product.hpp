// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato {

/// y = alpha A x + beta z, as kernels are asked for it. With beta = 0 z isn't read. z may be y: then it is the usual
/// update; with alpha = -1 and beta = 1 it is the residual y = z - A x.
template <class T>
struct Product {
  T alpha;
  const T* x;
  T beta;
  const T* z;
  T* y;
};

/// y = A x
template <class T>
Product<T> plain_product(const T* x, T* y) {
  return {T{1}, x, T{0}, y, y};
}

}  // namespace ostinato

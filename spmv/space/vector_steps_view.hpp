// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functors behind vector_steps.hpp. vector_steps_definition.hpp uses them; vector_steps.cu has them for Cuda.

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

template <class T>
struct Scale {
  T a;
  const T* x;
  T* y;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { y[i] = a * x[i]; }
};

template <class T>
struct SubtractFrom {
  const T *b, *q;
  T* r;
  OSTINATO_FUNCTION Sums<1, sum_t<T>> operator()(std::size_t i) const {
    const T value = b[i] - q[i];
    r[i] = value;
    return {{abs2(value)}};
  }
};

template <class T>
struct Multiply {
  const T *d, *r;
  T* z;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { z[i] = d[i] * r[i]; }
};

template <class T>
struct MultiplyDot {
  const T *d, *r;
  T* z;
  OSTINATO_FUNCTION Sums<1, sum_t<T>> operator()(std::size_t i) const {
    const T value = d[i] * r[i];
    z[i] = value;
    return {{product_of(conj(r[i]), value)}};
  }
};

}  // namespace ostinato::detail

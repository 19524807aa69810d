// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato {

/// Functor for sum(): the dot product x . y, the sum of conj(x(i)) y(i), accumulated in double precision.
template <class T>
struct Dot {
  const T* x;
  const T* y;
  OSTINATO_FUNCTION Sums<1, sum_t<T>> operator()(std::size_t i) const { return {{product_of(conj(x[i]), y[i])}}; }
};

}  // namespace ostinato

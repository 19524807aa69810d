// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How kernels store a row of a product. Kernels generated at run time contain the text of this file, too
// (cmake/OstinatoCuda.cmake). So the file holds only device code and includes only such files.

#include <ostinato/spmv/formats/contract/product.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::cuda {

/// y(i) of a product; `sum` is row i of A x. Every addition in this file is an explicit fused multiply-add, so that all
/// kernels give the same bits.
template <class T, class V, class I>
__device__ V row_value(const Product<T, V>& p, I i, T sum) {
  const T scaled = p.alpha * sum;
  return static_cast<V>(p.beta == T{0} ? scaled : fma(p.beta, static_cast<T>(p.z[i]), scaled));
}

/// Stores row i of the product and adds w(i) y(i) to the dot product; w may be y.
template <bool Dotted, class T, class V, class I>
__device__ void finish_row(const Product<T, V>& p, I i, T sum, const V* w, Sums<1>& dot) {
  const V value = row_value(p, i, sum);
  p.y[i] = value;
  if constexpr (Dotted) {
    const V other = w == p.y ? value : w[i];
    dot.v[0] = fma(static_cast<double>(other), static_cast<double>(value), dot.v[0]);
  }
}

}  // namespace ostinato::cuda

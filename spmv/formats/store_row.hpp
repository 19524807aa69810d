// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/formats/contract/product.hpp>

namespace ostinato::formats::detail {

/// Stores y(i) of a product; `sum` is row i of A x. Kernels that promise the same bits on every path of a GPU use
/// row_value() of row_value.cuh instead, which rounds once less.
template <class T, class V>
OSTINATO_FUNCTION void store_row(const Product<T, V>& p, std::size_t i, T sum) {
  p.y[i] = static_cast<V>(p.beta == T{0} ? p.alpha * sum : p.alpha * sum + p.beta * static_cast<T>(p.z[i]));
}

/// Stores y(i) of a product whose row i has no entries.
template <class T>
OSTINATO_FUNCTION void store_empty_row(const Product<T>& p, std::size_t i) {
  p.y[i] = p.beta == T{0} ? T{0} : p.beta * p.z[i];
}

}  // namespace ostinato::formats::detail

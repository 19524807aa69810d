// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The BSR storage of bsr.hpp, for both spaces.

#include <ostinato/spmv/formats/block_rows.hpp>

namespace ostinato::formats::detail {

template <class T>
struct BsrView {
  Index cols;
  const Offset* row_ptr;
  const Index* col;
  const T* val;
};

/// Puts the value of entry k into its block.
template <class T>
struct FillBsr {
  const T* from;
  T* val;

  OSTINATO_FUNCTION void operator()(const BlockOrder& order, Index i, Offset k) const {
    const Index height = order.height, width = order.width;
    val[(order.number(i, k) * height + i % height) * width + order.col[k] % width] = from[k];
  }
};

/// Computes row i of a product with blocks of S x S. A value of 0 isn't multiplied, so that padding never meets an
/// infinite x.
template <int S, class T>
struct BsrRow {
  BsrView<T> a;
  Product<T> p;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const std::size_t block_row = i / S;
    const Offset end = a.row_ptr[block_row + 1];
    T sum = 0;
    for (Offset b = a.row_ptr[block_row]; b < end; ++b) {
      const T* const val = a.val + (b * S + static_cast<Offset>(i % S)) * S;
      const Offset first = Offset{a.col[b]} * S;
      for (int q = 0; q < S; ++q) {
        const T v = val[q];
        if (v != T{0} && first + q < a.cols) sum += v * p.x[first + q];
      }
    }
    store_row(p, i, sum);
  }
};

}  // namespace ostinato::formats::detail

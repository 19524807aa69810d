// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The BSR storage of bsr.hpp, for both spaces.

#include <cstdint>
#include <type_traits>

#include <ostinato/bench/formats/block_rows.hpp>

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

/// v x, and 0 where v is 0, whatever x is. Without a branch: a core can't foresee which slots hold padding, and a wrong
/// guess costs as much as 15 slots.
template <class T>
OSTINATO_FUNCTION T product_or_zero(T v, T x) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const Bits kept = Bits{0} - Bits{v != T{0}};
  return v * __builtin_bit_cast(T, __builtin_bit_cast(Bits, x) & kept);
}

/// Computes row i of a product with blocks of S x S. A value of 0 isn't multiplied, so that padding never meets an
/// infinite x. A GPU leaves such slots out; on a core a branch costs more (product_or_zero()).
template <int S, class T, bool is_on_gpu = true>
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
        if constexpr (is_on_gpu) {
          const T v = val[q];
          if (v != T{0} && first + q < a.cols) sum += v * p.x[first + q];
        } else {
          sum += product_or_zero(val[q], p.x[first + q < a.cols ? first + q : a.cols - 1]);
        }
      }
    }
    store_row(p, i, sum);
  }
};

}  // namespace ostinato::formats::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frame of the portable kernels that add up a block of rows at a time.

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats::detail {

/// Rows of a block. One thread takes a block, and the block's sums stay in the first-level cache.
inline constexpr Index block_rows = static_cast<Index>(host_block);

/// Calls f(block, begin, end) for each block of rows begin .. end - 1, in parallel.
template <class F>
void row_blocks(const Host& host, Index rows, F f) {
  parallel_for(host, static_cast<std::size_t>((Offset{rows} + block_rows - 1) / block_rows), [=](std::size_t block) {
    const Index begin = static_cast<Index>(block) * block_rows;
    f(block, begin, static_cast<Index>(std::min<Offset>(Offset{begin} + block_rows, rows)));
  });
}

/// sum[i] = sum over k of value[k][i] * shifted[k][i], added in the order of k. Without Fresh the products are added to
/// the old sum[i].
template <bool Fresh, class Values, class T, class V, std::size_t K>
void multiply_add(const std::array<Values, K>& value, const std::array<const V*, K>& shifted, Index rows, T* sum) {
#pragma omp simd
  for (Index i = 0; i < rows; ++i) {
    T t = Fresh ? T{0} : sum[i];
    for (std::size_t k = 0; k < K; ++k) t += value[k][i] * static_cast<T>(shifted[k][i]);
    sum[i] = t;
  }
}

/// Computes rows begin .. end - 1 of the product p. add_up(begin, end, x, sum) stores these rows of A x in sum.
template <class T, class V, class F>
void multiply_block(const Product<T, V>& p, Index begin, Index end, const F& add_up) {
  if constexpr (std::is_same_v<T, V>) {
    if (p.alpha == T{1} && p.beta == T{0}) return add_up(begin, end, p.x, p.y + begin);
  }
  std::array<T, block_rows> sum;
  add_up(begin, end, p.x, sum.data());
#pragma omp simd
  for (Index i = begin; i < end; ++i)
    store_row(p, static_cast<std::size_t>(i), sum[static_cast<std::size_t>(i - begin)]);
}

template <class T, class F>
void multiply_blocks(const Host& host, Index rows, const Product<T>& p, F add_up) {
  row_blocks(host, rows, [=](std::size_t, Index begin, Index end) { multiply_block(p, begin, end, add_up); });
}

/// The sums of w . y over the blocks of the latest multiply_dot_blocks() of this thread.
inline std::vector<double>& dot_blocks() {
  static thread_local std::vector<double> sums;
  return sums;
}

/// The product, and *slot = w . y in one pass; w may be y. The sums of the blocks are added in order, so the result
/// doesn't depend on the number of threads.
template <class T, class V, class F>
void multiply_dot_blocks(const Host& host, Index rows, const Product<T, V>& p, const V* w, Slot<V> slot, F add_up) {
  std::vector<double>& partial = dot_blocks();
  partial.assign(static_cast<std::size_t>(rows) / block_rows + 1, 0.0);
  row_blocks(host, rows, [=, out = partial.data()](std::size_t block, Index begin, Index end) {
    multiply_block(p, begin, end, add_up);
    const Dot<V> dot{w + begin, p.y + begin};
    out[block] = ostinato::detail::block_sums(dot, 0, static_cast<std::size_t>(end - begin)).v[0];
  });
  *slot = 0;
  for (const double sum : partial) *slot += sum;
}

}  // namespace ostinato::formats::detail

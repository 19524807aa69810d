// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The portable kernel of formats/dia.hpp.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <ostinato/spmv/cuda/dia.hpp>
#include <ostinato/spmv/dot.hpp>
#include <ostinato/spmv/parallel.hpp>

namespace ostinato::formats {

/// Rows in a block: its piece of y stays in the first-level cache while the diagonals pass.
inline constexpr Index dia_block = static_cast<Index>(host_block);

/// A value's place: which of the ascending offsets is column - row.
inline std::size_t diagonal_of(std::span<const Index> offsets, Index offset) {
  return static_cast<std::size_t>(std::lower_bound(offsets.begin(), offsets.end(), offset) - offsets.begin());
}

template <class T>
void dia_fill(const Host& host, const CsrView<T>& a, std::span<const Index> offsets, T* values) {
  const std::size_t rows = static_cast<std::size_t>(a.rows), blocks = (rows + dia_block - 1) / dia_block;
  parallel_for(host, blocks, [=](std::size_t block) {
    const std::size_t begin = block * dia_block, end = std::min(begin + dia_block, rows);
    for (std::size_t d = 0; d < offsets.size(); ++d)
      std::fill(values + d * rows + begin, values + d * rows + end, T{0});
    for (std::size_t i = begin; i < end; ++i) {
      for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
        const Index offset = a.col[static_cast<std::size_t>(k)] - static_cast<Index>(i);
        values[diagonal_of(offsets, offset) * rows + i] = a.val[static_cast<std::size_t>(k)];
      }
    }
  });
}

/// sum(i) += the products of rows begin .. end - 1 with K diagonals from d on, all of which lie inside the matrix
/// there.
template <int K, class T>
void dia_span(const DiaView<T>& a, std::size_t d, Index begin, Index end, const T* x, T* sum) {
  std::array<const T*, K> value, shifted;
  for (std::size_t k = 0; k < K; ++k) {
    value[k] = a.values + (d + k) * static_cast<std::size_t>(a.rows) + begin;
    shifted[k] = x + (static_cast<Offset>(begin) + a.offsets[d + k]);
  }
#pragma omp simd
  for (Index i = 0; i < end - begin; ++i) {
    T t = sum[i];
    for (std::size_t k = 0; k < K; ++k) t += value[k][i] * shifted[k][i];
    sum[i] = t;
  }
}

/// The same where the diagonal may leave the matrix: clipped to its part inside.
template <class T>
void dia_edge(const DiaView<T>& a, std::size_t d, Index begin, Index end, const T* x, T* sum) {
  const Offset from = std::max<Offset>(begin, -static_cast<Offset>(a.offsets[d]));
  const Offset to = std::min<Offset>(end, static_cast<Offset>(a.cols) - a.offsets[d]);
  if (from < to) dia_span<1>(a, d, static_cast<Index>(from), static_cast<Index>(to), x, sum + (from - begin));
}

/// sum(i) = the products of rows begin .. end - 1, up to eight diagonals in one pass.
template <class T>
void dia_rows(const DiaView<T>& a, Index begin, Index end, const T* x, T* sum) {
  constexpr std::array spans = {dia_span<1, T>, dia_span<2, T>, dia_span<3, T>, dia_span<4, T>,
                                dia_span<5, T>, dia_span<6, T>, dia_span<7, T>, dia_span<8, T>};
  std::fill(sum, sum + (end - begin), T{0});
  for (std::size_t d = 0, group = 0; d < a.offsets.size(); d += group) {
    group = std::min(spans.size(), a.offsets.size() - d);
    const bool inside = Offset{begin} + a.offsets[d] >= 0 && Offset{end} + a.offsets[d + group - 1] <= Offset{a.cols};
    if (inside) {
      spans[group - 1](a, d, begin, end, x, sum);
    } else {
      for (std::size_t k = d; k < d + group; ++k) dia_edge(a, k, begin, end, x, sum);
    }
  }
}

/// Runs over blocks of rows; done(block, begin, end, sum) takes each block's products.
template <class T, class Done>
void dia_blocks(const Host& host, const DiaView<T>& a, const T* x, Done done) {
  const std::size_t blocks = static_cast<std::size_t>((static_cast<Offset>(a.rows) + dia_block - 1) / dia_block);
  parallel_for(host, blocks, [=](std::size_t block) {
    std::array<T, dia_block> sum;
    const Index begin = static_cast<Index>(block) * dia_block, end = std::min<Index>(begin + dia_block, a.rows);
    dia_rows(a, begin, end, x, sum.data());
    done(block, begin, end, sum.data());
  });
}

template <class T>
void dia_apply(const Host& host, const DiaView<T>& a, T alpha, const T* x, T beta, T* y) {
  dia_blocks(host, a, x, [=](std::size_t, Index begin, Index end, const T* sum) {
#pragma omp simd
    for (Index i = begin; i < end; ++i)
      y[i] = beta == T{0} ? alpha * sum[i - begin] : alpha * sum[i - begin] + beta * y[i];
  });
}

template <class T>
void dia_apply_dot(const Host& host, const DiaView<T>& a, const T* x, T* y, const T* w, double* slot) {
  std::vector<double> partial(static_cast<std::size_t>(a.rows) / dia_block + 1);
  dia_blocks(host, a, x, [=, out = partial.data()](std::size_t block, Index begin, Index end, const T* sum) {
    double dot = 0;
#pragma omp simd reduction(+ : dot)
    for (Index i = begin; i < end; ++i) {
      y[i] = sum[i - begin];
      dot += static_cast<double>(w[i]) * static_cast<double>(sum[i - begin]);
    }
    out[block] = dot;
  });
  *slot = 0;
  for (double p : partial) *slot += p;
}

}  // namespace ostinato::formats

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The portable kernel of formats/dia.hpp.

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <vector>

#include <ostinato/spmv/cuda/dia.hpp>
#include <ostinato/spmv/dot.hpp>
#include <ostinato/spmv/parallel.hpp>

namespace ostinato::formats {

/// Rows in a block, which one thread takes: their sums stay in the first-level cache.
inline constexpr Index dia_block = static_cast<Index>(host_block);

/// A value's place: which of the ascending offsets is column - row.
inline std::size_t diagonal_of(std::span<const Index> offsets, Index offset) {
  return static_cast<std::size_t>(std::lower_bound(offsets.begin(), offsets.end(), offset) - offsets.begin());
}

/// Calls f(block, begin, end) for blocks of rows.
template <class F>
void dia_blocks(const Host& host, Index rows, F f) {
  parallel_for(host, static_cast<std::size_t>((Offset{rows} + dia_block - 1) / dia_block), [=](std::size_t block) {
    const Index begin = static_cast<Index>(block) * dia_block;
    f(block, begin, static_cast<Index>(std::min<Offset>(Offset{begin} + dia_block, rows)));
  });
}

/// Puts the entries of `a` in their places, and 0 elsewhere. False when an entry lies on none of the diagonals.
template <class T>
bool dia_fill(const Host& host, const CsrView<T>& a, std::span<const Index> offsets, T* values) {
  const std::size_t rows = static_cast<std::size_t>(a.rows);
  std::atomic<bool> all_placed = true;
  dia_blocks(host, a.rows, [=, &all_placed](std::size_t, Index first, Index last) {
    const std::size_t begin = static_cast<std::size_t>(first), end = static_cast<std::size_t>(last);
    for (std::size_t d = 0; d < offsets.size(); ++d)
      std::fill(values + d * rows + begin, values + d * rows + end, T{0});
    for (std::size_t i = begin; i < end; ++i) {
      for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
        const Index offset = a.col[static_cast<std::size_t>(k)] - static_cast<Index>(i);
        const std::size_t d = diagonal_of(offsets, offset);
        if (d < offsets.size() && offsets[d] == offset) {
          values[d * rows + i] = a.val[static_cast<std::size_t>(k)];
        } else {
          all_placed = false;
        }
      }
    }
  });
  return all_placed;
}

/// The products of rows begin .. end - 1 with K diagonals from d on, all of which lie inside the matrix there. Stored in
/// sum with Fresh, otherwise added to it.
template <int K, bool Fresh, class T>
void dia_span(const DiaView<T>& a, std::size_t d, Index begin, Index end, const T* x, T* sum) {
  std::array<const T*, K> value, shifted;
  for (std::size_t k = 0; k < K; ++k) {
    value[k] = a.values + (d + k) * static_cast<std::size_t>(a.rows) + begin;
    shifted[k] = x + (static_cast<Offset>(begin) + a.offsets[d + k]);
  }
#pragma omp simd
  for (Index i = 0; i < end - begin; ++i) {
    T t = Fresh ? T{0} : sum[i];
    for (std::size_t k = 0; k < K; ++k) t += value[k][i] * shifted[k][i];
    sum[i] = t;
  }
}

/// One diagonal that may leave the matrix, clipped to its part inside.
template <class T>
void dia_edge(const DiaView<T>& a, std::size_t d, Index begin, Index end, const T* x, T* sum) {
  const Offset from = std::max<Offset>(begin, -static_cast<Offset>(a.offsets[d]));
  const Offset to = std::min<Offset>(end, static_cast<Offset>(a.cols) - a.offsets[d]);
  if (from < to) dia_span<1, false>(a, d, static_cast<Index>(from), static_cast<Index>(to), x, sum + (from - begin));
}

/// dia_span for a number of diagonals that is known at run time only.
template <bool Fresh, class T>
void dia_group(const DiaView<T>& a, std::size_t d, std::size_t count, Index begin, Index end, const T* x, T* sum) {
  constexpr std::array spans = {dia_span<1, Fresh, T>, dia_span<2, Fresh, T>, dia_span<3, Fresh, T>,
                                dia_span<4, Fresh, T>, dia_span<5, Fresh, T>, dia_span<6, Fresh, T>,
                                dia_span<7, Fresh, T>, dia_span<8, Fresh, T>};
  spans[count - 1](a, d, begin, end, x, sum);
}

/// sum(i) = the products of rows begin .. end - 1: up to eight diagonals in one pass where they lie inside the matrix, one
/// by one where they may leave it. As offsets ascend, those inside stand together.
template <class T>
void dia_rows(const DiaView<T>& a, Index begin, Index end, const T* x, T* sum) {
  const std::size_t diagonals = a.offsets.size();
  std::size_t first = 0;
  while (first < diagonals && Offset{begin} + a.offsets[first] < 0) ++first;
  std::size_t last = diagonals;
  while (last > first && Offset{end} + a.offsets[last - 1] > Offset{a.cols}) --last;
  const bool fresh = first == 0 && last > 0;
  if (!fresh) std::fill(sum, sum + (end - begin), T{0});
  for (std::size_t d = 0; d < first; ++d) dia_edge(a, d, begin, end, x, sum);
  for (std::size_t d = first, group = 0; d < last; d += group) {
    group = std::min<std::size_t>(8, last - d);
    if (d == 0) {
      dia_group<true>(a, d, group, begin, end, x, sum);
    } else {
      dia_group<false>(a, d, group, begin, end, x, sum);
    }
  }
  for (std::size_t d = last; d < diagonals; ++d) dia_edge(a, d, begin, end, x, sum);
}

template <class T>
void dia_apply(const Host& host, const DiaView<T>& a, T alpha, const T* x, T beta, T* y) {
  if (alpha == T{1} && beta == T{0}) {
    return dia_blocks(host, a.rows,
                      [=](std::size_t, Index begin, Index end) { dia_rows(a, begin, end, x, y + begin); });
  }
  dia_blocks(host, a.rows, [=](std::size_t, Index begin, Index end) {
    std::array<T, dia_block> sum;
    dia_rows(a, begin, end, x, sum.data());
    for (Index i = begin; i < end; ++i) {
      const T row = alpha * sum[static_cast<std::size_t>(i - begin)];
      y[i] = beta == T{0} ? row : row + beta * y[i];
    }
  });
}

template <class T>
void dia_apply_dot(const Host& host, const DiaView<T>& a, const T* x, T* y, const T* w, double* slot) {
  std::vector<double> partial(static_cast<std::size_t>(a.rows) / dia_block + 1, 0.0);
  dia_blocks(host, a.rows, [=, out = partial.data()](std::size_t block, Index begin, Index end) {
    dia_rows(a, begin, end, x, y + begin);
    out[block] = detail::block_sums(Dot<T>{w + begin, y + begin}, 0, static_cast<std::size_t>(end - begin)).v[0];
  });
  *slot = 0;
  for (double p : partial) *slot += p;
}

}  // namespace ostinato::formats

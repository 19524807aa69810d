// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/multi_vector.hpp>

#include <algorithm>
#include <complex>
#include <vector>

#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

/// w += sign * sum over k of V(:, k) h(k). All columns are added to one block of w before the next block, so that the
/// block stays in the first-level cache.
template <class T>
void add_columns(const Host& host, int columns, const T* v, const T* h, T sign, Out<T> w) {
  const std::size_t n = w.size();
  parallel_for(host, (n + host_block - 1) / host_block, [=](std::size_t block) {
    const std::size_t begin = block * host_block, end = std::min(begin + host_block, n);
    for (int k = 0; k < columns; ++k) {
      const T* column = v + static_cast<std::size_t>(k) * n;
      const T factor = sign * h[k];
#pragma omp simd
      for (std::size_t i = begin; i < end; ++i) w[i] += factor * column[i];
    }
  });
}

}  // namespace

template <class T>
void project(const Host& host, int columns, const T* v, In<T> w, T* h) {
  const std::size_t n = w.size(), blocks = (n + host_block - 1) / host_block;
  const std::size_t width = static_cast<std::size_t>(columns);
  std::vector<sum_t<T>> partial(blocks * width);
  parallel_for(host, blocks, [=, out = partial.data()](std::size_t block) {
    const std::size_t begin = block * host_block, end = std::min(begin + host_block, n);
    for (std::size_t k = 0; k < width; ++k) {
      Dot<T> product{v + k * n, w.data()};
      out[block * width + k] = detail::block_sums(product, begin, end).v[0];
    }
  });
  for (std::size_t k = 0; k < width; ++k) {
    sum_t<T> total = 0;
    for (std::size_t block = 0; block < blocks; ++block) total += partial[block * width + k];
    h[k] = static_cast<T>(total);
  }
}

template <class T>
void subtract(const Host& host, int columns, const T* v, const T* h, Out<T> w) {
  add_columns(host, columns, v, h, T{-1}, w);
}

template <class T>
void combine(const Host& host, int columns, const T* v, const T* y, Out<T> x) {
  add_columns(host, columns, v, y, T{1}, x);
}

/// Block by block, so that a block of all columns stays in the second-level cache for all results. Several columns at a
/// time save loads and stores of the result.
template <class T>
void combine(const Host& host, int columns, const T* v, int results, const T* y, std::size_t height, Out<T> w) {
  constexpr std::size_t length = 256, together = 8;
  const std::size_t width = static_cast<std::size_t>(results), count = static_cast<std::size_t>(columns),
                    n = w.size() / width;
  parallel_for(host, (n + length - 1) / length, [=](std::size_t block) {
    const std::size_t begin = block * length, end = std::min(begin + length, n);
    for (std::size_t l = 0; l < width; ++l) {
      T* result = w.data() + l * n;
      const T* factor = y + l * height;
      std::size_t k = 0;
      for (; k + together <= count; k += together) {
        const T* column = v + k * n;
#pragma omp simd
        for (std::size_t i = begin; i < end; ++i) {
          T sum = result[i];
          for (std::size_t j = 0; j < together; ++j) sum += factor[k + j] * column[j * n + i];
          result[i] = sum;
        }
      }
      for (; k < count; ++k) {
#pragma omp simd
        for (std::size_t i = begin; i < end; ++i) result[i] += factor[k] * v[k * n + i];
      }
    }
  });
}

#define OSTINATO_INSTANTIATE(T)                                            \
  template void project<T>(const Host&, int, const T*, In<T>, T*);         \
  template void subtract<T>(const Host&, int, const T*, const T*, Out<T>); \
  template void combine<T>(const Host&, int, const T*, const T*, Out<T>);  \
  template void combine<T>(const Host&, int, const T*, int, const T*, std::size_t, Out<T>)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
OSTINATO_FOR_COMPLEX_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato

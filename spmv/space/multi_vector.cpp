// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/multi_vector.hpp>
#include <ostinato/spmv/space/multi_vector_view.hpp>

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
void add_columns(const Host& host, int columns, const Columns<T>& v, const T* h, T sign, Out<T> w) {
  const std::size_t n = w.size();
  parallel_for(host, (n + host_block - 1) / host_block, [=, &v](std::size_t block) {
    const std::size_t begin = block * host_block, end = std::min(begin + host_block, n);
    for (int k = 0; k < columns; ++k) {
      const T* column = v.column(k, n);
      const T factor = sign * h[k];
#pragma omp simd
      for (std::size_t i = begin; i < end; ++i) w[i] += factor * column[i];
    }
  });
}

/// w -= Q a and u -= Q b in some rows, with K columns from the first on, which save loads and stores of w and u.
template <int K, class T>
void subtract_pair(const Columns<T>& q, int first, std::size_t n, const T* a, const T* b, Out<T> w, Out<T> u,
                   std::size_t begin, std::size_t end) {
  const T* columns[K];
  T of_w[K], of_u[K];
  for (int k = 0; k < K; ++k) {
    columns[k] = q.column(first + k, n);
    of_w[k] = a[first + k];
    of_u[k] = b[first + k];
  }
#pragma omp simd
  for (std::size_t i = begin; i < end; ++i) {
    T of_row = w[i], next = u[i];
    for (int k = 0; k < K; ++k) {
      of_row -= of_w[k] * columns[k][i];
      next -= of_u[k] * columns[k][i];
    }
    w[i] = of_row;
    u[i] = next;
  }
}

}  // namespace

template <class T>
void project(const Host& host, int columns, const Columns<T>& v, In<T> w, T* h) {
  const std::size_t n = w.size(), blocks = (n + host_block - 1) / host_block;
  const std::size_t width = static_cast<std::size_t>(columns);
  std::vector<sum_t<T>> partial(blocks * width);
  parallel_for(host, blocks, [=, &v, out = partial.data()](std::size_t block) {
    const std::size_t begin = block * host_block, end = std::min(begin + host_block, n);
    for (std::size_t k = 0; k < width; ++k) {
      Dot<T> product{v.column(static_cast<int>(k), n), w.data()};
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
void subtract(const Host& host, int columns, const Columns<T>& v, const T* h, Out<T> w) {
  add_columns(host, columns, v, h, T{-1}, w);
}

template <class T>
void combine(const Host& host, int columns, const Columns<T>& v, const T* y, Out<T> x) {
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

/// The sums of a block of rows over all columns, then those without columns, before the next block.
template <class T>
void project_pair(const Host& host, int columns, const Columns<T>& q, In<T> w, In<T> u, T* a, T* b,
                  DelayedStep<T>* step) {
  using Pair = Sums<2, sum_t<T>>;
  const std::size_t n = w.size(), blocks = (n + host_block - 1) / host_block;
  const std::size_t width = static_cast<std::size_t>(columns) + 1;
  std::vector<Pair> partial(blocks * width);
  const detail::ConcludeStep<T> of_step{w.data(), u.data(), columns, a, b, step};
  parallel_for(host, blocks, [=, &q, out = partial.data()](std::size_t block) {
    const std::size_t begin = block * host_block, end = std::min(begin + host_block, n);
    Pair* sums = out + block * width;
    for (int k = 0; k < columns; ++k) {
      const T* column = q.column(k, n);  // in the first-level cache for the second sum
      sums->v[0] = detail::block_sums(Dot<T>{column, w.data()}, begin, end).v[0];
      sums->v[1] = detail::block_sums(Dot<T>{column, u.data()}, begin, end).v[0];
      ++sums;
    }
    *sums = detail::block_sums(of_step, begin, end);
  });
  for (int k = 0; k <= columns; ++k) {
    Pair total{};
    for (std::size_t block = 0; block < blocks; ++block) total += partial[block * width + static_cast<std::size_t>(k)];
    if (k < columns) {
      a[k] = static_cast<T>(total.v[0]);
      b[k] = static_cast<T>(total.v[1]);
    } else {
      of_step.finish(total);
    }
  }
}

template <class T>
void orthogonalise_pair(const Host& host, int columns, const Columns<T>& q, const T* a, const T* b, Out<T> w, Out<T> u,
                        DelayedStep<T>* step) {
  constexpr int together = 4;
  const std::size_t n = w.size(), blocks = (n + host_block - 1) / host_block;
  std::vector<Sums<1, sum_t<T>>> partial(blocks);
  detail::OrthogonalisePair<T> rest{0, n, {}, a, b, w.data(), u.data(), step};  // what is left without the columns
  rest.prepare();
  parallel_for(host, blocks, [=, &q, out = partial.data()](std::size_t block) {
    const std::size_t begin = block * host_block, end = std::min(begin + host_block, n);
    int k = 0;
    for (; k + together <= columns; k += together) subtract_pair<together>(q, k, n, a, b, w, u, begin, end);
    for (; k < columns; ++k) subtract_pair<1>(q, k, n, a, b, w, u, begin, end);
    out[block] = detail::block_sums(rest, begin, end);
  });
  detail::finish_sum(rest, blocks, partial.data(), nullptr);
}

#define OSTINATO_INSTANTIATE(T)                                                                                \
  template void project<T>(const Host&, int, const Columns<T>&, In<T>, T*);                                    \
  template void subtract<T>(const Host&, int, const Columns<T>&, const T*, Out<T>);                            \
  template void combine<T>(const Host&, int, const Columns<T>&, const T*, Out<T>);                             \
  template void combine<T>(const Host&, int, const T*, int, const T*, std::size_t, Out<T>);                    \
  template void project_pair<T>(const Host&, int, const Columns<T>&, In<T>, In<T>, T*, T*, DelayedStep<T>*);   \
  template void orthogonalise_pair<T>(const Host&, int, const Columns<T>&, const T*, const T*, Out<T>, Out<T>, \
                                      DelayedStep<T>*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
OSTINATO_FOR_COMPLEX_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato

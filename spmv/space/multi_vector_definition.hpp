// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/multi_vector.hpp>
#include <ostinato/spmv/space/multi_vector_view.hpp>
#include <ostinato/spmv/space/sums.hpp>

// Products with a dense matrix on spaces other than Host and Cuda.

namespace ostinato {

namespace detail {

/// How many dot products are one sum: as many as a kernel adds up where each sum has the host wait for the GPU.
template <class Space>
inline constexpr int dots_at_once = Space::has_host_memory ? 1 : 8;

/// The first of at most K columns, the last of which stands for those that there aren't.
template <int K, class T>
struct SomeColumns {
  int count;
  const T* column[K];

  SomeColumns(const Columns<T>& of, int first, int columns, std::size_t n)
      : count(columns - first < K ? columns - first : K) {
    for (int k = 0; k < K; ++k) column[k] = of.column(first + (k < count ? k : count - 1), n);
  }
};

/// h(k) = v(k) . w of some columns
template <int K, class T>
struct Projection {
  SomeColumns<K, T> v;
  const T* w;
  T* h;
  OSTINATO_FUNCTION Sums<K, sum_t<T>> operator()(std::size_t i) const {
    Sums<K, sum_t<T>> sums;
    for (int k = 0; k < K; ++k) sums.v[k] = product_of(conj(v.column[k][i]), w[i]);
    return sums;
  }
  OSTINATO_FUNCTION void finish(const Sums<K, sum_t<T>>& s) const {
    for (int k = 0; k < v.count; ++k) h[k] = static_cast<T>(s.v[k]);
  }
};

/// a(k) = v(k) . w;  b(k) = v(k) . u
template <int K, class T>
struct ProjectPair {
  SomeColumns<K, T> v;
  const T *w, *u;
  T *a, *b;
  OSTINATO_FUNCTION Sums<2 * K, sum_t<T>> operator()(std::size_t i) const {
    Sums<2 * K, sum_t<T>> sums;
    for (int k = 0; k < K; ++k) {
      const T value = conj(v.column[k][i]);
      sums.v[2 * k] = product_of(value, w[i]);
      sums.v[2 * k + 1] = product_of(value, u[i]);
    }
    return sums;
  }
  OSTINATO_FUNCTION void finish(const Sums<2 * K, sum_t<T>>& s) const {
    for (int k = 0; k < v.count; ++k) {
      a[k] = static_cast<T>(s.v[2 * k]);
      b[k] = static_cast<T>(s.v[2 * k + 1]);
    }
  }
};

/// w += sign V h, row by row.
template <class T>
struct AddColumns {
  int columns;
  std::size_t n;
  Columns<T> v;
  const T* h;
  T sign;
  T* w;
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T sum = w[i];
    for (int k = 0; k < columns; ++k) sum += sign * h[k] * v.column(k, n)[i];
    w[i] = sum;
  }
};

}  // namespace detail

template <class T, class Space>
void project(const Space& space, int columns, const Columns<T>& v, In<T> w, T* h) {
  constexpr int at_once = detail::dots_at_once<Space>;
  for (int k = 0; k < columns; k += at_once)
    sum(space, w.size(), detail::Projection<at_once, T>{{v, k, columns, w.size()}, w.data(), h + k}, nullptr);
}

template <class T, class Space>
void subtract(const Space& space, int columns, const Columns<T>& v, const T* h, Out<T> w) {
  for_each(space, w.size(), detail::AddColumns<T>{columns, w.size(), v, h, T{-1}, w.data()});
}

template <class T, class Space>
void combine(const Space& space, int columns, const Columns<T>& v, const T* y, Out<T> x) {
  for_each(space, x.size(), detail::AddColumns<T>{columns, x.size(), v, y, T{1}, x.data()});
}

template <class T, class Space>
void combine(const Space& space, int columns, const T* v, int results, const T* y, std::size_t height, Out<T> w) {
  const std::size_t n = w.size() / static_cast<std::size_t>(results);
  for (int l = 0; l < results; ++l) {
    const std::size_t at = static_cast<std::size_t>(l);
    combine<T>(space, columns, v, y + at * height, w.subspan(at * n, n));
  }
}

template <class T, class Space>
void project_pair(const Space& space, int columns, const Columns<T>& q, In<T> w, In<T> u, T* a, T* b,
                  DelayedStep<T>* step) {
  const std::size_t n = w.size();
  constexpr int at_once = detail::dots_at_once < Space >> 1 ? detail::dots_at_once<Space> / 2 : 1;
  for (int k = 0; k < columns; k += at_once)
    sum(space, n, detail::ProjectPair<at_once, T>{{q, k, columns, n}, w.data(), u.data(), a + k, b + k}, nullptr);
  sum(space, n, detail::ConcludeStep<T>{w.data(), u.data(), columns, a, b, step}, nullptr);
}

template <class T, class Space>
void orthogonalise_pair(const Space& space, int columns, const Columns<T>& q, const T* a, const T* b, Out<T> w,
                        Out<T> u, DelayedStep<T>* step) {
  sum(space, w.size(), detail::OrthogonalisePair<T>{columns, w.size(), q, a, b, w.data(), u.data(), step}, nullptr);
}

}  // namespace ostinato

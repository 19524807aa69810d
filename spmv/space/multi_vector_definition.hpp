// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/multi_vector.hpp>
#include <ostinato/spmv/space/multi_vector_view.hpp>
#include <ostinato/spmv/space/sums.hpp>

// Products with a dense matrix on spaces other than Host and Cuda.

namespace ostinato {

namespace detail {

/// *h = x . y
template <class T>
struct Projection : Dot<T> {
  T* h;
  OSTINATO_FUNCTION void finish(const Sums<1, sum_t<T>>& s) const { *h = static_cast<T>(s.v[0]); }
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
  for (int k = 0; k < columns; ++k)
    sum(space, w.size(), detail::Projection<T>{{v.column(k, w.size()), w.data()}, h + k}, nullptr);
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
  for (int k = 0; k < columns; ++k)
    sum(space, n, detail::ProjectPair<T>{q.column(k, n), w.data(), u.data(), a + k, b + k}, nullptr);
  sum(space, n, detail::ConcludeStep<T>{w.data(), u.data(), columns, a, b, step}, nullptr);
}

template <class T, class Space>
void orthogonalise_pair(const Space& space, int columns, const Columns<T>& q, const T* a, const T* b, Out<T> w,
                        Out<T> u, DelayedStep<T>* step) {
  sum(space, w.size(), detail::OrthogonalisePair<T>{columns, w.size(), q, a, b, w.data(), u.data(), step}, nullptr);
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/multi_vector.hpp>
#include <ostinato/spmv/space/shared_space.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

// The vector steps of GMRES that multi_vector.hpp doesn't have, for both spaces.

namespace ostinato {

namespace detail {

template <class T>
struct Accumulate {
  const T* more;
  T* h;
  OSTINATO_FUNCTION void operator()(std::size_t k) const { h[k] += more[k]; }
};

template <class T>
struct Normalise {
  const sum_t<T>* ww;
  T *w, *norm;
  real_t<T> length = 0, factor = 0;

  OSTINATO_FUNCTION bool prepare() {
    length = static_cast<real_t<T>>(sqrt(real_part(*ww)));
    factor = length > 0 ? 1 / length : 0;
    return true;
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    w[i] *= factor;
    if (i == 0) *norm = length;
  }
};

/// *norm = sqrt(ww), on a rank that has no part of w.
template <class T>
struct StoreNorm {
  const sum_t<T>* ww;
  T* norm;
  OSTINATO_FUNCTION void operator()(std::size_t) const { *norm = static_cast<real_t<T>>(sqrt(real_part(*ww))); }
};

}  // namespace detail

/// h(k) += more(k)
template <class T, class Space>
void accumulate(const Space& space, int columns, const T* more, T* h) {
  for_each(space, static_cast<std::size_t>(columns), detail::Accumulate<T>{more, h});
}

/// *norm = sqrt(ww);  w = w / *norm, or 0 when *norm is 0
template <class T, class Space>
void normalise(const Space& space, const sum_t<T>* ww, Out<T> w, T* norm) {
  if constexpr (SharedSpace<Space>) {
    if (w.empty()) return for_each(space, 1, detail::StoreNorm<T>{ww, norm});
  }
  for_each(space, w.size(), detail::Normalise<T>{ww, w.data(), norm});
}

/// Orthogonalises w twice against the columns of V, and normalises it: w = h(columns) w' + V h. `again`: room for
/// `columns` elements.
template <class T, class Space>
void orthogonalise(const Space& space, int columns, const Columns<T>& v, Out<T> w, T* h, T* again, Slot<T> ww) {
  project<T>(space, columns, v, w, h);       // h = V^T w
  subtract<T>(space, columns, v, h, w);      // w -= V h
  project<T>(space, columns, v, w, again);   // again = V^T w
  subtract<T>(space, columns, v, again, w);  // w -= V again
  accumulate<T>(space, columns, again, h);   // h += again
  dot<T>(space, w, w, ww);
  normalise<T>(space, ww, w, h + columns);  // h(columns) = |w|;  w /= |w|
}

}  // namespace ostinato

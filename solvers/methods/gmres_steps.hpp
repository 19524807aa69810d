// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
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

}  // namespace detail

/// h(k) += more(k)
template <class T, class Space>
void accumulate(const Space& space, int columns, const T* more, T* h) {
  for_each(space, static_cast<std::size_t>(columns), detail::Accumulate<T>{more, h});
}

/// *norm = sqrt(ww);  w = w / *norm, or 0 when *norm is 0
template <class T, class Space>
void normalise(const Space& space, const sum_t<T>* ww, Out<T> w, T* norm) {
  for_each(space, w.size(), detail::Normalise<T>{ww, w.data(), norm});
}

}  // namespace ostinato

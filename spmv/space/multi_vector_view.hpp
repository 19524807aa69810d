// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/multi_vector.hpp>
#include <ostinato/spmv/space/sums.hpp>

// What the spaces share of multi_vector.hpp.

namespace ostinato::detail {

/// Fills in a step from aa = a . a, ab = a . b, wu = w . u and uu = u . u.
template <class T>
OSTINATO_FUNCTION void conclude(DelayedStep<T>& step, double aa, sum_t<T> ab, sum_t<T> wu, double uu) {
  const double square = real_part(step.ww) - aa;
  step.uu = uu;
  step.rho = square > 0 ? sqrt(square) : 0;
  step.qu = square > 0 ? (wu - ab) / step.rho : sum_t<T>{0};
}

/// w . u and u . u, after a and b: concludes the step.
template <class T>
struct ConcludeStep {
  const T *w, *u;
  int columns;
  const T *a, *b;
  DelayedStep<T>* step;
  OSTINATO_FUNCTION Sums<2, sum_t<T>> operator()(std::size_t i) const {
    return {{product_of(conj(w[i]), u[i]), abs2(u[i])}};
  }
  OSTINATO_FUNCTION void finish(const Sums<2, sum_t<T>>& s) const {
    double aa = 0;
    sum_t<T> ab = 0;
    for (int k = 0; k < columns; ++k) {
      aa += abs2(a[k]);
      ab += product_of(conj(a[k]), b[k]);
    }
    conclude(*step, aa, ab, s.v[0], real_part(s.v[1]));
  }
};

/// orthogonalise_pair(), row by row.
template <class T>
struct OrthogonalisePair {
  int columns;
  std::size_t n;
  Columns<T> q;
  const T *a, *b;
  T *w, *u;
  DelayedStep<T>* step;
  real_t<T> of_w = 0, of_u = 0;
  T qu = 0;

  OSTINATO_FUNCTION bool prepare() {
    of_w = step->rho > 0 ? static_cast<real_t<T>>(1 / step->rho) : 0;
    of_u = step->uu > 0 ? static_cast<real_t<T>>(1 / sqrt(step->uu)) : 0;
    qu = static_cast<T>(step->qu);
    return true;
  }
  OSTINATO_FUNCTION Sums<1, sum_t<T>> operator()(std::size_t i) const {
    T column = w[i], next = u[i];
    for (int k = 0; k < columns; ++k) {
      const T value = q.column(k, n)[i];
      column -= a[k] * value;
      next -= b[k] * value;
    }
    column *= of_w;
    next = (next - qu * column) * of_u;
    w[i] = column;
    u[i] = next;
    return {{abs2(next)}};
  }
  OSTINATO_FUNCTION void finish(const Sums<1, sum_t<T>>& s) const { step[1].ww = s.v[0]; }
};

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of the K-cycle (cycle.hpp), on both spaces: two steps of a flexible Krylov method for A x = r. The first
// takes c = M r and v = A c, the second d = M r' and w = A d, where r' is the residual after the first. CG tests with c
// and d, GCR with v and w.

#include <cstddef>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::algebraic {

/// The scalars of two steps, in the memory of the space.
struct KSlots {
  enum : int { test1_v, test1_r, rr, left, test2_v, test2_w, test2_r, count };

  static constexpr double enough = 0.25;  ///< of the norm of r: the first step does

  const double* s;

  OSTINATO_FUNCTION bool has_first() const { return s[test1_v] > 0 && s[test1_v] - s[test1_v] == 0; }
  OSTINATO_FUNCTION double alpha() const { return has_first() ? s[test1_r] / s[test1_v] : 0; }
  OSTINATO_FUNCTION bool is_done() const { return !has_first() || !(s[left] > enough * enough * s[rr]); }
};

/// The sums are test . v, test . r and r . r.
struct FirstSums {
  const float *test, *v, *r;

  OSTINATO_FUNCTION Sums<3> operator()(std::size_t i) const {
    const double t = test[i], of_r = r[i];
    return {{t * static_cast<double>(v[i]), t * of_r, of_r * of_r}};
  }
};

/// r -= alpha v;  the sum is r . r
struct FirstResidual {
  KSlots slots;
  const float* v;
  float* r;
  float alpha = 0;

  OSTINATO_FUNCTION bool prepare() {
    alpha = static_cast<float>(slots.alpha());
    return true;
  }
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const float value = r[i] - alpha * v[i];
    r[i] = value;
    return {{abs2(value)}};
  }
};

/// The sums are test . v, test . w and test . r.
struct SecondSums {
  const float *test, *v, *w, *r;

  OSTINATO_FUNCTION Sums<3> operator()(std::size_t i) const {
    const double t = test[i];
    return {{t * static_cast<double>(v[i]), t * static_cast<double>(w[i]), t * static_cast<double>(r[i])}};
  }
};

/// x = first c + second x, where x was d: the two steps together. Where c is no direction, x = c; where the first step
/// is enough or d is no direction beside c, the first step alone.
struct CombineSteps {
  KSlots slots;
  const float* c;
  float* x;
  float first = 0, second = 0;

  OSTINATO_FUNCTION bool prepare() {
    constexpr double rounding = 1e-6;  // of float
    const double* const s = slots.s;
    first = slots.has_first() ? static_cast<float>(slots.alpha()) : 1.0f;
    second = 0;
    if (slots.is_done()) return true;
    const double g = s[KSlots::test2_v], rest = s[KSlots::test2_w] - g * g / s[KSlots::test1_v];
    if (!(rest > rounding * s[KSlots::test2_w])) return true;
    const double beta = s[KSlots::test2_r] / rest;
    first = static_cast<float>(slots.alpha() - g * beta / s[KSlots::test1_v]);
    second = static_cast<float>(beta);
    return true;
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const { x[i] = first * c[i] + (second == 0 ? 0.0f : second * x[i]); }
};

}  // namespace ostinato::algebraic

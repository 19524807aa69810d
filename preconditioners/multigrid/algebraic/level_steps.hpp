// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of hierarchy.hpp and cycle.hpp, on both spaces.

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <ostinato/preconditioners/multigrid/rate_steps.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::algebraic {

/// What is left of a sum of entries that should be 0, in the size of the entries.
template <class T>
constexpr double rounding_of_sum = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());

/// to[i] = factor from[i]. The sum counts the values that aren't finite then.
template <class T>
struct ToFloat {
  double factor;
  const T* from;
  float* to;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const auto v = static_cast<float>(factor * static_cast<double>(from[i]));
    to[i] = v;
    return {{v - v == 0.0f ? 0.0 : 1.0}};
  }
};

/// The pattern of a full matrix of n rows: the columns of its n n entries, and then where its rows begin.
struct FillFullPattern {
  std::size_t n;
  Offset* row_ptr;
  Index* col;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (i < n * n) {
      col[i] = static_cast<Index>(i % n);
    } else {
      row_ptr[i - n * n] = static_cast<Offset>((i - n * n) * n);
    }
  }
};

/// size[i] = the sum of w_ik^2 a_kk, where row i of W takes the rows k of a level together: what the diagonal of the
/// next level would be if nothing cancelled out.
template <class T>
struct SumSizes {
  detail::CsrPattern w;
  const T* weight;       ///< null: 1
  const float* inverse;  ///< of the diagonal, 0 for nothing
  double* size;

  using Value = double;

  OSTINATO_FUNCTION double initial(std::size_t) const { return 0; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, double) const { return {w.row_ptr[i], w.row_ptr[i + 1]}; }
  OSTINATO_FUNCTION void add(std::size_t, Offset k, double& total) const {
    const double v = weight == nullptr ? 1 : static_cast<double>(weight[k]), d = inverse[w.col[k]];
    if (d != 0) total += v * v / d;
  }
  OSTINATO_FUNCTION void merge(double& total, double other) const { total += other; }
  OSTINATO_FUNCTION void finish(std::size_t i, double total) const { size[i] = total; }
};

/// inverse[i] = 1 / a_ii, or 0 where that isn't finite, or where a_ii is the rounding of a sum that should be 0: such a
/// row stands for a part of the matrix that is singular by itself.
struct InvertLevelDiagonal {
  detail::CsrPattern a;
  const float* val;
  const double* size;  ///< as SumSizes; null: unknown
  double rounding;     ///< of a_ii, in size[i]
  float* inverse;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset k = a.first_from(static_cast<Index>(i), static_cast<Offset>(i));
    const bool has_entry = k < a.row_ptr[i + 1] && a.col[k] == static_cast<Index>(i);
    const float own = has_entry ? val[k] : 0.0f, d = 1 / own;
    const bool is_rounding = size != nullptr && static_cast<double>(own < 0 ? -own : own) <= rounding * size[i];
    inverse[i] = d - d == 0.0f && !is_rounding ? d : 0.0f;
  }
};

/// Takes the rows whose inverse is 0 out of a matrix: their entries and those of their columns become 0, and 1 on the
/// diagonal, if that entry is stored. The sum counts these rows; with val null nothing else is done.
struct TakeOutRows {
  detail::CsrPattern a;
  const float* inverse;
  float* val;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const bool is_out = inverse[i] == 0;
    for (Offset k = a.row_ptr[i]; val != nullptr && k < a.row_ptr[i + 1]; ++k) {
      const Index j = a.col[k];
      if (is_out || inverse[j] == 0) val[k] = j == static_cast<Index>(i) ? 1.0f : 0.0f;
    }
    return {{is_out ? 1.0 : 0.0}};
  }
};

/// v[i] = random e(i) / root of |a_ii|, 0 in rows whose inverse is 0
struct FillByDiagonal {
  const float* inverse;
  float* v;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const double d = static_cast<double>(inverse[i]);
    v[i] = static_cast<float>(multigrid::random_error(i) * sqrt(d < 0 ? -d : d));
  }
};

/// The sums are v . y, z . y and z . z, where y = A v and z = M^-1 y. z becomes 0 in rows whose inverse is 0.
struct PowerSums {
  const float *inverse, *v, *y;
  float* z;

  OSTINATO_FUNCTION Sums<3> operator()(std::size_t i) const {
    if (inverse[i] == 0) z[i] = 0;
    const auto old = static_cast<double>(v[i]), image = static_cast<double>(y[i]), next = static_cast<double>(z[i]);
    return {{old * image, next * image, next * next}};
  }
};

/// v = z / root of *square; 0 where that is 0
struct NormaliseTo {
  const double* square;
  const float* z;
  float* v;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    v[i] = *square == 0 ? 0.0f : static_cast<float>(static_cast<double>(z[i]) / sqrt(*square));
  }
};

/// A step of the smoother: direction = keep direction + add M^-1 residual;  x = x + weight direction
struct SmootherStep {
  float keep, add, weight;
};

/// M^-1 residual: D^-1 residual, or what a preconditioner made of it. 0 in rows that have no diagonal entry to trust.
struct Correction {
  const float *inverse, *made;  ///< `made`: by a preconditioner; null: M is D

  OSTINATO_FUNCTION float of(std::size_t i, float residual) const {
    if (made == nullptr) return inverse[i] * residual;
    return inverse[i] == 0 ? 0.0f : made[i];
  }
};

/// The first step from x = 0, where the residual is b: residual = b;  direction = add M^-1 b;  x = weight direction
struct SmoothFromZero {
  SmootherStep step;
  Correction correction;
  const float* b;
  float *residual, *direction, *x;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    residual[i] = b[i];
    const float d = step.add * correction.of(i, b[i]);
    direction[i] = d;
    x[i] = step.weight * d;
  }
};

/// What f does to element i of b, and then the smoother's first step.
template <class F>
struct ThenSmooth {
  F f;
  SmoothFromZero smooth;

  OSTINATO_FUNCTION bool prepare() requires requires(F given) { given.prepare(); }
  { return f.prepare(); }
  OSTINATO_FUNCTION auto operator()(std::size_t i) const {
    if constexpr (std::is_void_v<decltype(f(i))>) {
      f(i);
      smooth(i);
    } else {
      const auto total = f(i);
      smooth(i);
      return total;
    }
  }
};

/// A step with a direction before it, or with none where keep is 0. Then residual = b, unless b is null.
struct Smooth {
  SmootherStep step;
  Correction correction;
  const float* b;
  float *residual, *direction, *x;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const float d = step.add * correction.of(i, residual[i]) + (step.keep == 0 ? 0.0f : step.keep * direction[i]);
    direction[i] = d;
    x[i] += step.weight * d;
    if (b != nullptr) residual[i] = b[i];
  }
};

/// y = a x + b y;  with b = 0, y isn't read
struct AddScaled {
  float a;
  const float* x;
  float b;
  float* y;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { y[i] = a * x[i] + (b == 0 ? 0.0f : b * y[i]); }
};

/// z = factor x;  the sum is r . z
template <class T>
struct FromFloat {
  double factor;
  const float* x;
  const T* r;
  T* z;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    z[i] = static_cast<T>(factor * static_cast<double>(x[i]));
    return {{product_of(r[i], z[i])}};
  }
};

}  // namespace ostinato::algebraic

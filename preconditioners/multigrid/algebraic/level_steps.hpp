// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of hierarchy.hpp and cycle.hpp, on both spaces.

#include <cstddef>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::algebraic {

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

/// inverse[i] = 1 / a_ii, or 0 where that isn't finite.
struct InvertLevelDiagonal {
  detail::CsrPattern a;
  const float* val;
  float* inverse;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset k = a.first_from(static_cast<Index>(i), static_cast<Offset>(i));
    const float d = k < a.row_ptr[i + 1] && a.col[k] == static_cast<Index>(i) ? 1 / val[k] : 0.0f;
    inverse[i] = d - d == 0.0f ? d : 0.0f;
  }
};

/// A step of the smoother: direction = keep direction + add D^-1 residual;  x = x + weight direction
struct SmootherStep {
  float keep, add, weight;
};

/// The first step from x = 0, where the residual is b: residual = b;  direction = add D^-1 b;  x = weight direction
struct SmoothFromZero {
  SmootherStep step;
  const float *inverse, *b;
  float *residual, *direction, *x;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    residual[i] = b[i];
    const float d = step.add * inverse[i] * b[i];
    direction[i] = d;
    x[i] = step.weight * d;
  }
};

/// A step with a direction before it, or with none where keep is 0.
struct Smooth {
  SmootherStep step;
  const float *inverse, *residual;
  float *direction, *x;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const float d = step.add * inverse[i] * residual[i] + (step.keep == 0 ? 0.0f : step.keep * direction[i]);
    direction[i] = d;
    x[i] += step.weight * d;
  }
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
    return {{static_cast<double>(r[i]) * static_cast<double>(z[i])}};
  }
};

}  // namespace ostinato::algebraic

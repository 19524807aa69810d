// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coefficients in half precision: how they are made, and the list of the steps of a cycle that take them.

#include <cmath>
#include <cstddef>

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/half.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::multigrid {

/// An operator in half precision. The smoothest vector v was constant before the operator was scaled: v(i) is 1 / root
/// of point i. A v is next to nothing, and rounding would make it much more: the centre takes what rounding adds to
/// A v. The sum is the number of coefficients beyond the range.
///
/// Weights of the interpolation stay in float: what rounding adds to P times a constant can't be taken by others, and
/// cycles on lines and on thin grids of some thousand points then make errors larger.
///
/// The floats for a point and its neighbour and back may differ in the last bit, and then round apart where the middle
/// of two numbers lies between them: a cycle is symmetric to some 1e-5, not to the rounding of float.
struct RoundOperator {
  Extents grid;
  signed char slot[neighbours];
  const float* a;
  const float* root;  ///< 1 / the square root of the diagonal
  Half* to;

  OSTINATO_FUNCTION Sums<1> operator()(Index x, Index y, Index z) const {
    const std::size_t i = grid.number(x, y, z), points = grid.points();
    float lost = 0;
    Sums<1> beyond{};
    for (int k = 0; k < neighbours; ++k) {
      if (k == centre || slot[k] < 0) continue;
      const std::size_t at = static_cast<std::size_t>(slot[k]) * points + i;
      const float value = a[at];
      to[at] = Half::nearest(value);
      beyond.v[0] += std::abs(value) <= Half::largest ? 0.0 : 1.0;
      const Step d = Step::of(k);
      if (value != 0) lost += (value - to[at]) / root[grid.number(x + d.x, y + d.y, z + d.z)];
    }
    to[static_cast<std::size_t>(slot[centre]) * points + i] = Half::nearest(bounded(lost * root[i]));
    return beyond;
  }

  /// A row whose entries add up to no more than its diagonal loses 2^-11 at most. More is lost where coefficients below
  /// 6e-5, which have fewer bits, lead to points of a far larger diagonal, and the centre has to stay positive.
  OSTINATO_FUNCTION static float bounded(float own) {
    constexpr float most = 1.0f / 64;
    return own > most ? most : own > -most ? own : -most;
  }
};

/// root of the coarse points: a point's weight for the fine point where it lies is the quotient of theirs.
struct CoarseRoot {
  Extents fine, coarse;
  Halving halved;
  const float* fine_root;
  const float* own_weight;
  float* root;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const std::size_t j = coarse.number(x, y, z);
    root[j] =
        own_weight[j] *
        fine_root[fine.number(Halving::fine(halved.x, x), Halving::fine(halved.y, y), Halving::fine(halved.z, z))];
  }
};

}  // namespace ostinato::multigrid

/// The steps of a cycle with HalfCoefficients, as OSTINATO_FOR_HALF_GRID(functor) and OSTINATO_SUM_HALF_GRID(functor),
/// which the user of the list defines.
#define OSTINATO_MULTIGRID_HALF_STEPS OSTINATO_STENCIL_SHAPES(OSTINATO_MULTIGRID_HALF_STEPS_SHAPE)

#define OSTINATO_MULTIGRID_HALF_STEPS_SHAPE(...)                                                \
  OSTINATO_FOR_HALF_GRID(multigrid::Residual<__VA_ARGS__, float*, multigrid::HalfCoefficients>) \
  OSTINATO_FOR_HALF_GRID(multigrid::Smooth<__VA_ARGS__, float*, multigrid::HalfCoefficients>)   \
  OSTINATO_SUM_HALF_GRID(multigrid::Leave<__VA_ARGS__, float, multigrid::HalfCoefficients>)     \
  OSTINATO_SUM_HALF_GRID(multigrid::Leave<__VA_ARGS__, double, multigrid::HalfCoefficients>)

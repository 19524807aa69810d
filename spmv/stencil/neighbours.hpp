// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The neighbours of a point of a grid, numbered 13 + x + 3 y + 9 z, with x, y and z the steps -1, 0 or 1 along the
// axes; 13 is the point itself.

#include <type_traits>
#include <utility>

#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/base/function.hpp>

namespace ostinato::detail {

inline constexpr int neighbours = 27;
inline constexpr int centre = 13;

/// The steps along the axes that lead to a neighbour.
struct Step {
  int x, y, z;

  OSTINATO_FUNCTION static constexpr Step of(int k) { return {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}; }
  OSTINATO_FUNCTION constexpr int number() const { return centre + x + 3 * y + 9 * z; }
  OSTINATO_FUNCTION constexpr int axes() const { return (x != 0) + (y != 0) + (z != 0); }
  OSTINATO_FUNCTION constexpr Step operator+(const Step& d) const { return {x + d.x, y + d.y, z + d.z}; }
  /// From the number of a point to that of its neighbour.
  OSTINATO_FUNCTION Index distance(const Extents& e) const { return (z * e.y + y) * e.x + x; }
};

/// A set of neighbours, in ascending order. Set::has(k) says which.
template <class Set>
struct NeighbourSet {
  OSTINATO_FUNCTION static constexpr int count() { return coefficient(neighbours); }
  /// The neighbour that coefficient c belongs to.
  OSTINATO_FUNCTION static constexpr int neighbour(int c) {
    int k = 0;
    for (; k < neighbours; ++k) {
      if (Set::has(k) && c-- == 0) break;
    }
    return k;
  }
  /// The coefficient of a neighbour: the number of those before it.
  OSTINATO_FUNCTION static constexpr int coefficient(int neighbour) {
    int c = 0;
    for (int k = 0; k < neighbour; ++k) c += Set::has(k) ? 1 : 0;
    return c;
  }
};

/// The neighbours that a stencil in `Dimensions` dimensions has beside the point itself, in ascending order. A star has
/// those along the axes only.
template <int Dimensions, bool Star>
struct Shape : NeighbourSet<Shape<Dimensions, Star>> {
  static constexpr bool star = Star;
  static constexpr bool wraps = false;
  static constexpr int column_axis = Dimensions - 1;  ///< 2 for z, 1 for y; a line has no columns
  /// The step to the k-th point of a column from its first.
  OSTINATO_FUNCTION static constexpr Step along(int k) { return {0, Dimensions == 2 ? k : 0, Dimensions == 3 ? k : 0}; }

  OSTINATO_FUNCTION static constexpr bool has(int k) {
    const Step d = Step::of(k);
    if (k == centre || (Dimensions < 3 && d.z != 0) || (Dimensions < 2 && d.y != 0)) return false;
    return !Star || d.axes() == 1;
  }
};

/// The axes of a grid that are periodic: the last point along such an axis is beside the first.
struct Periodic {
  bool x = false, y = false, z = false;

  OSTINATO_FUNCTION bool any() const { return x || y || z; }
  /// A point that may lie one step outside of an axis, where that leads to the other end of the axis.
  OSTINATO_FUNCTION static Index wrap(Index at, Index extent, bool periodic) {
    return !periodic ? at : at < 0 ? at + extent : at >= extent ? at - extent : at;
  }
  /// Goes one step from a point. False when the step leads out of the grid.
  OSTINATO_FUNCTION bool go(const Extents& e, const Step& d, Index& px, Index& py, Index& pz) const {
    px = wrap(px + d.x, e.x, x);
    py = wrap(py + d.y, e.y, y);
    pz = wrap(pz + d.z, e.z, z);
    return e.contains(px, py, pz);
  }
};

/// The neighbours that the points of a grid have, known at run time.
struct Around {
  unsigned has = 0;  ///< bit k: neighbour k; not the point itself
  int count = 0;     ///< of these neighbours
  Periodic periodic = {};

  Around() = default;
  Around(int dimensions, bool star, const Periodic& axes) : periodic(axes) {
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      if (k == centre || (dimensions < 3 && d.z != 0) || (dimensions < 2 && d.y != 0) || (star && d.axes() > 1))
        continue;
      has |= 1u << k;
      ++count;
    }
  }

  /// Calls f(c, j) for the coefficients of a point and the points in the grid that they belong to.
  template <class F>
  OSTINATO_FUNCTION void for_neighbours(const Extents& e, Index px, Index py, Index pz, F f) const {
    int c = 0;
    for (int k = 0; k < neighbours; ++k) {
      if ((has >> k & 1u) == 0) continue;
      Index x = px, y = py, z = pz;
      if (periodic.go(e, Step::of(k), x, y, z)) f(c, e.number(x, y, z));
      ++c;
    }
  }
};

/// The shape of all stencils on a grid with periodic axes: Around has its neighbours.
struct Wrapped {
  static constexpr bool wraps = true;
  static constexpr int column_axis = 2;
  OSTINATO_FUNCTION static constexpr Step along(int k) { return {0, 0, k}; }
};

/// The shapes that there are kernels for, on grids without periodic axes.
#define OSTINATO_STENCIL_SHAPES(DO) \
  DO(detail::Shape<1, true>)        \
  DO(detail::Shape<2, true>)        \
  DO(detail::Shape<2, false>)       \
  DO(detail::Shape<3, true>)        \
  DO(detail::Shape<3, false>)

/// Calls f with the shape of a stencil.
template <class F>
auto with_shape(int dimensions, bool star, F f) {
  if (dimensions == 1) return f(Shape<1, true>{});
  if (dimensions == 2) return star ? f(Shape<2, true>{}) : f(Shape<2, false>{});
  return star ? f(Shape<3, true>{}) : f(Shape<3, false>{});
}

/// As with_shape(), for any axes.
template <class F>
auto with_shape(int dimensions, bool star, const Around& around, F f) {
  return around.periodic.any() ? f(Wrapped{}) : with_shape(dimensions, star, f);
}

/// Calls f(c, step) for the coefficients of a shape. The steps are constants to the compiler.
template <class Shape, class F, int... C>
OSTINATO_FUNCTION void for_coefficients(F f, std::integer_sequence<int, C...>) {
  (f(C, std::integral_constant<int, Shape::neighbour(C)>{}), ...);
}
template <class Shape, class F>
OSTINATO_FUNCTION void for_coefficients(F f) {
  for_coefficients<Shape>(f, std::make_integer_sequence<int, Shape::count()>{});
}

/// 0, 1 or 2 for a point at the beginning of an axis, between, or at its end.
OSTINATO_FUNCTION inline int place(Index at, Index extent) { return at == 0 ? 0 : at == extent - 1 ? 2 : 1; }

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stencils of structured multigrid. A neighbour of a point is numbered 13 + x + 3 y + 9 z, with x, y and z the steps
// -1, 0 or 1 along the axes; 13 is the point itself. The coefficients of a grid are kept in one of two ways:
//
//   by point: coefficient c of point i is a[c * points + i].
//   by class: all points with the same place along each axis have the same coefficients; that of class k is
//             a[c * 125 + k]. A matrix of constant coefficients stores nothing else.
//
// A row of constant coefficients differs from others at the ends of an axis only: three places along each axis, 27
// classes. Once the rows are divided by the diagonals of their neighbours, the points beside the ends differ, too: five
// places, 125 classes.

#include <cstddef>
#include <utility>

#include <ostinato/spmv/space/extents.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/function.hpp>

namespace ostinato::multigrid {

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
  static constexpr int column_axis = Dimensions - 1;  ///< 2 for z, 1 for y; a line has no columns
  /// The step to the k-th point of a column from its first.
  OSTINATO_FUNCTION static constexpr Step along(int k) { return {0, Dimensions == 2 ? k : 0, Dimensions == 3 ? k : 0}; }

  OSTINATO_FUNCTION static constexpr bool has(int k) {
    const Step d = Step::of(k);
    if (k == centre || (Dimensions < 3 && d.z != 0) || (Dimensions < 2 && d.y != 0)) return false;
    return !Star || d.axes() == 1;
  }
};

/// The shapes that there are kernels for, and the sets of halved axes (1 for x, 2 for y, 4 for z).
#define OSTINATO_MULTIGRID_SHAPES(DO) \
  DO(multigrid::Shape<1, true>)       \
  DO(multigrid::Shape<2, true>)       \
  DO(multigrid::Shape<2, false>) DO(multigrid::Shape<3, true>) DO(multigrid::Shape<3, false>)
#define OSTINATO_MULTIGRID_HALVINGS(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

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

/// The same for five places: 1 and 3 are the points beside the ends.
inline constexpr int scaled_classes = 125;
OSTINATO_FUNCTION inline int scaled_place(Index at, Index extent) {
  return at == 0 ? 0 : at == extent - 1 ? 4 : at == 1 ? 1 : at == extent - 2 ? 3 : 2;
}

/// Where the coefficients of a grid are: by point or by class.
struct Coefficients {
  Extents grid;
  const float* a = nullptr;
  bool by_class = false;

  OSTINATO_FUNCTION std::size_t stride() const { return by_class ? scaled_classes : grid.points(); }
  OSTINATO_FUNCTION std::size_t at(Index x, Index y, Index z, std::size_t point) const {
    if (!by_class) return point;
    return static_cast<std::size_t>(scaled_place(x, grid.x) + 5 * scaled_place(y, grid.y) +
                                    25 * scaled_place(z, grid.z));
  }

  /// The points of a line of n points that have the same coefficients, or coefficients one behind the other.
  Range even_part(int n) const { return by_class ? Range{2, n - 2} : Range{0, n}; }

  /// Whether all points of a column have the coefficients of its first point: by class, when the column is away from
  /// the ends of its axis.
  OSTINATO_FUNCTION bool is_even(Index y, Index z) const {
    if (!by_class) return false;
    return grid.z > 1 ? z > 1 && z + column_points < grid.z - 1 : y > 1 && y + column_points < grid.y - 1;
  }
};

}  // namespace ostinato::multigrid

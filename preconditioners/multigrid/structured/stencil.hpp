// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stencils of structured multigrid. The coefficients of a grid are kept in one of two ways:
//
//   by point: coefficient c of point i is a[c * points + i].
//   by class: all points with the same place along each axis have the same coefficients; that of class k is
//             a[c * 125 + k]. A matrix of constant coefficients stores nothing else.
//
// A row of constant coefficients differs from others at the ends of an axis only: three places along each axis, 27
// classes. Once the rows are divided by the diagonals of their neighbours, the points beside the ends differ, too: five
// places, 125 classes.
//
// The coefficients of a grid with periodic axes are kept by point.

#include <cstddef>
#include <utility>

#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/stencil/neighbours.hpp>

namespace ostinato::multigrid {

using detail::Around;
using detail::centre;
using detail::for_coefficients;
using detail::neighbours;
using detail::NeighbourSet;
using detail::Periodic;
using detail::place;
using detail::Shape;
using detail::Step;
using detail::with_shape;
using detail::Wrapped;

/// A number that the compiler knows.
template <int N>
struct Number {
  OSTINATO_FUNCTION constexpr operator int() const { return N; }
};

/// Calls f(Number) for Begin .. End - 1.
template <int Begin, int End, class F>
OSTINATO_FUNCTION void each(F f) {
  [&]<int... K>(std::integer_sequence<int, K...>) { (f(Number<Begin + K>{}), ...); }
  (std::make_integer_sequence<int, End - Begin>{});
}

/// The sets of halved axes that there are kernels for (1 for x, 2 for y, 4 for z).
#define OSTINATO_MULTIGRID_HALVINGS(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

/// The steps from a coarse point to the fine points that it has weights for. Axes: 1 for x, 2 for y, 4 for z.
template <int Axes>
struct Halved : NeighbourSet<Halved<Axes>> {
  static constexpr bool x = (Axes & 1) != 0, y = (Axes & 2) != 0, z = (Axes & 4) != 0;

  OSTINATO_FUNCTION static constexpr bool has(int k) {
    const Step d = Step::of(k);
    return (d.x == 0 || x) && (d.y == 0 || y) && (d.z == 0 || z);
  }
};

/// As place(), with five places: 1 and 3 are the points beside the ends.
inline constexpr int scaled_classes = 125;
OSTINATO_FUNCTION inline int scaled_place(Index at, Index extent) {
  return at == 0 ? 0 : at == extent - 1 ? 4 : at == 1 ? 1 : at == extent - 2 ? 3 : 2;
}

/// Where the coefficients of a grid are: by point or by class.
struct Coefficients {
  Extents grid;
  const float* a = nullptr;
  bool by_class = false;
  Around around = {};  ///< of an operator

  OSTINATO_FUNCTION std::size_t stride() const { return by_class ? scaled_classes : grid.points(); }
  OSTINATO_FUNCTION std::size_t at(Index x, Index y, Index z, std::size_t point) const {
    if (!by_class) return point;
    return static_cast<std::size_t>(scaled_place(x, grid.x) + 5 * scaled_place(y, grid.y) +
                                    25 * scaled_place(z, grid.z));
  }

  /// The points of a line of n points that have the same coefficients, or coefficients one behind the other.
  Range even_part(int n) const {
    if (around.periodic.any()) return {1, n - 1};
    return by_class ? Range{2, n - 2} : Range{0, n};
  }

  /// Whether all points of a column have the coefficients of its first point: by class, when the column is away from
  /// the ends of its axis.
  OSTINATO_FUNCTION bool is_even(Index y, Index z) const {
    if (!by_class) return false;
    return grid.z > 1 ? z > 1 && z + column_points < grid.z - 1 : y > 1 && y + column_points < grid.y - 1;
  }
};

}  // namespace ostinato::multigrid

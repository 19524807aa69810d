// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::generate_detail {

/// A node of a grid: its matrix row and its coordinates, x first.
template <int D>
struct Point {
  Index row;
  std::array<Index, D> at;
};

/// A grid of n^D nodes, numbered along x first. In a periodic one the last node of each axis is beside the first.
template <int D>
struct Grid {
  explicit Grid(Index side, bool around = false) : n(side), periodic(around) {
    Index s = 1;
    for (Index& of_axis : stride) {
      of_axis = s;
      s *= side;
    }
  }

  Point<D> point(Index row) const {
    Point<D> p{row, {}};
    auto rest = static_cast<std::uint32_t>(row);  // unsigned division is cheaper, and dominates the cost of a row
    for (int axis = 0; axis < D - 1; ++axis) {
      p.at[axis] = static_cast<Index>(rest % static_cast<std::uint32_t>(n));
      rest /= static_cast<std::uint32_t>(n);
    }
    p.at[D - 1] = static_cast<Index>(rest);
    return p;
  }

  bool has_neighbour(const Point<D>& p, int axis, int side) const {
    return periodic || (side < 0 ? p.at[axis] > 0 : p.at[axis] < n - 1);
  }
  /// The row of the node beside, which the grid has.
  Index neighbour(const Point<D>& p, int axis, int side) const {
    const bool leaves = side < 0 ? p.at[axis] == 0 : p.at[axis] == n - 1;
    return p.row + side * stride[axis] * (leaves ? 1 - n : 1);
  }

  Index n;
  bool periodic;
  std::array<Index, D> stride;
};

/// Emits the rows of a (2 D + 1)-point stencil, for build_rows(). Coefficients has the functions
/// centre(point) and neighbour(point, axis, side), where side is -1 or +1.
template <int D, class Coefficients>
struct Stencil {
  Grid<D> grid;
  Coefficients coefficients;

  template <class Emit>
  void operator()(Index row, Emit& emit) const {
    const Point<D> p = grid.point(row);
    if (grid.periodic) return emit_around(p, emit);
    for (int axis = D - 1; axis >= 0; --axis)
      if (grid.has_neighbour(p, axis, -1))
        emit(row - grid.stride[axis], [&] { return coefficients.neighbour(p, axis, -1); });
    emit(row, [&] { return coefficients.centre(p); });
    for (int axis = 0; axis < D; ++axis)
      if (grid.has_neighbour(p, axis, +1))
        emit(row + grid.stride[axis], [&] { return coefficients.neighbour(p, axis, +1); });
  }

 private:
  struct Entry {
    Index col;
    int axis, side;  // side 0: the centre
  };

  /// The row of a periodic grid, whose neighbours come in another order at the ends of an axis.
  template <class Emit>
  void emit_around(const Point<D>& p, Emit& emit) const {
    std::array<Entry, 2 * D + 1> entries;
    std::size_t count = 0;
    entries[count++] = {p.row, 0, 0};
    for (int axis = 0; axis < D; ++axis) {
      for (const int side : {-1, 1}) entries[count++] = {grid.neighbour(p, axis, side), axis, side};
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.col < b.col; });
    for (const Entry& e : entries)
      emit(e.col, [&] { return e.side == 0 ? coefficients.centre(p) : coefficients.neighbour(p, e.axis, e.side); });
  }
};

/// A table of sin(pi x) at x = k / intervals for k = 0 .. intervals. Smooth coefficients then need no sine per entry.
class SineTable {
 public:
  explicit SineTable(std::int64_t intervals) : values_(static_cast<std::size_t>(intervals) + 1) {
    for (std::int64_t k = 0; k <= intervals; ++k)
      values_[static_cast<std::size_t>(k)] =
          std::sin(std::numbers::pi * static_cast<double>(k) / static_cast<double>(intervals));
  }
  double operator[](std::int64_t k) const { return values_[static_cast<std::size_t>(k)]; }

 private:
  Array<double> values_;
};

}  // namespace ostinato::generate_detail

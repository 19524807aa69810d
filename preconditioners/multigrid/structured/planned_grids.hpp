// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which axes of a grid are halved, and the grids that follow from that.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/structured/slots.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato::multigrid {

/// A grid of this size is solved by a dense inverse.
inline constexpr std::size_t coarsest_points = 64;

/// An axis that couples less than this share of the strongest isn't halved. In three dimensions and by point, the next
/// operator then has 27 coefficients for half of the points or more: that takes more time than the iterations that it
/// saves (coupling 0.3 along two axes, 90^3, one core, 2026-11: with 0.5 a digit took 2.3 times as long).
inline double weak_axis(int dimensions, bool by_class) { return dimensions > 2 && !by_class ? 0.25 : 0.5; }

/// The damping of Jacobi: what smooths a star best along as many axes as are halved. `largest` bounds the eigenvalues.
inline double damping(int axes, double largest) {
  constexpr double best[] = {1, 2.0 / 3, 0.8, 6.0 / 7};
  return best[(axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1)] * 2 / largest;
}

/// The periodic axes that keep 2 points. The diagonal of a grid on which an axis has 1 point is what other axes couple:
/// if that is hardly more than the rounding of the axis to float, the axis keeps 2.
inline Periodic axes_to_keep(const double (&strength)[3], const Periodic& periodic) {
  const auto is_alone = [&](double own) {
    constexpr double least = 5e-6;
    return strength[0] + strength[1] + strength[2] - own < least * own;
  };
  return {periodic.x && is_alone(strength[0]), periodic.y && is_alone(strength[1]),
          periodic.z && is_alone(strength[2])};
}

/// The axes to halve: those that couple points strongly, by the limit `weak`. The axes in `keep` keep 2 points.
inline int axes_to_halve(const double (&strength)[3], const Extents& e, double weak, const Periodic& keep = {}) {
  const bool can[3] = {e.x > (keep.x ? 2 : 1), e.y > (keep.y ? 2 : 1), e.z > (keep.z ? 2 : 1)};
  double strongest = 0;
  for (int k = 0; k < 3; ++k) strongest = can[k] ? std::max(strongest, strength[k]) : strongest;
  int axes = 0;
  for (int k = 0; k < 3; ++k) axes |= can[k] && strength[k] >= weak * strongest ? 1 << k : 0;
  return axes;
}

inline int all_axes(int dimensions) { return (1 << dimensions) - 1; }

inline Periodic periodic_axes(const Grid& grid) { return {grid.periodic[0], grid.periodic[1], grid.periodic[2]}; }

/// The grids of a hierarchy by point, without arrays. An axis couples a quarter as strongly once it is halved.
template <class Space>
std::vector<Level<Space>> planned(const Grid& grid, const double (&strength)[3], const Periodic& keep) {
  double now[3] = {strength[0], strength[1], strength[2]};
  const Periodic periodic = periodic_axes(grid);
  std::vector<Level<Space>> grids;
  for (Extents e = grid.extents;; e = grids.back().next) {
    Level<Space> level{.grid = e, .dimensions = grid.dimensions, .star = grids.empty() && grid.star};
    level.axes = e.points() > coarsest_points ? axes_to_halve(now, e, weak_axis(grid.dimensions, false), keep) : 0;
    level.next = halving(level.axes).of(e, periodic);
    level.periodic = periodic;
    for (int k = 0; k < 3; ++k) now[k] *= (level.axes >> k & 1) != 0 ? 0.25 : 1;
    grids.push_back(std::move(level));
    if (grids.back().axes == 0) return grids;
  }
}

/// How far to trust planned(). is_even: all axes of the first grid are halved, by some margin. On small grids the last
/// few grids count, whose couplings are known least.
inline Certainty certainty_for(const Extents& e, bool is_even) {
  constexpr std::size_t many_points = 1000;
  return is_even && e.points() > many_points ? Certainty::close : Certainty::rough;
}

/// Refuses a level whose numbers have left the range of float, or that can't be halved although it is large.
inline void require_usable(double omega, int axes, const Extents& e, std::size_t coarsest) {
  if (!std::isfinite(omega) || !(omega > 0)) throw ArgumentError("multigrid: a coarse operator isn't finite");
  if (axes == 0 && e.points() > coarsest) throw ArgumentError("multigrid: no axis of the grid can be halved");
}

}  // namespace ostinato::multigrid

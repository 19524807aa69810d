// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/structured/classes.hpp>
#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/base/function.hpp>

namespace ostinato::multigrid {

/// The end of a grid that a point lies at, for tables: 1, 2 and 4 for the last places along x, y and z.
OSTINATO_FUNCTION inline int end_of(bool x, bool y, bool z) { return (x ? 1 : 0) + (y ? 2 : 0) + (z ? 4 : 0); }

/// The rows of a plain grid of three dimensions: of a finest grid whose star is the same up to the sides (is_plain()),
/// or of a coarse one below (StarByAxes). They are sums over the axes of a 1-D operator along the axis times masses
/// along the others, over the diagonal of most rows. Where an axis of n points is halved and n is even, the last coarse
/// point lies next to the side, and has values of its own; all other rows are the same.
///
/// The scaled operator is S K S, where K are these rows and S is 1 / sqrt(the diagonal of K). The passes over a plain
/// grid (planes.hpp) keep the vectors of coarse grids as S times those of the scaled operator, and so read them as they
/// are.
struct PlainStar {
  struct Axis {
    float side = 0;               ///< the coefficient of both neighbours, at most 0
    float own = 0, last_own = 0;  ///< the operator's diagonal: in most places, and in the last one
    float last_mass = 1;          ///< the mass in the last place, where others have 1
  };
  Axis axis[3];
  float weight = 0;            ///< of interpolation to the fine point at a coarse one, where S is 1 on both grids
  float next_scale[8] = {};    ///< S of the next grid, by end
  bool next_is_plain = false;  ///< whether the next grid's vectors are kept as those of plain grids

  /// Finds next_scale. roots: of the next grid's rows; fine: this grid.
  void find_scales(const ClassRoots& roots, const Extents& fine);

  /// The product of the masses of an end along the other axes.
  float mass_beside(int along, int end) const;
  /// The diagonal of the rows at an end.
  float diagonal(int end) const;
  bool ends_differ() const;
};

/// Which grids of a hierarchy are plain, from the finest one down: below a plain grid those with 4 points along each
/// axis whose rows at the last place of an axis lie at a coarse point, or are like others. An axis of an odd number of
/// points leaves its rows alike. On smaller grids other kernels take as long (H200, 2026-11: 32^3 4.9 us down and 3.6
/// up; 64^3 by planes 4.0 and 5.2).
class PlainGrids {
 public:
  static constexpr std::size_t fewest_points = std::size_t{1} << 18;

  explicit PlainGrids(bool is_finest_plain) : so_far_(is_finest_plain) {}

  /// Whether the next grid is plain. axes: that are halved; star: whether the operator is one by axes.
  bool add(const Extents& e, int axes, bool star);

 private:
  bool so_far_, is_finest_ = true, alike_[3] = {true, true, true};
};

}  // namespace ostinato::multigrid

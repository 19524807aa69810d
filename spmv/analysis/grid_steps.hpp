// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/divider.hpp>
#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// A point of a grid.
struct GridPoint {
  Index x, y, z;
};

/// The points of the shortest axis that may be periodic.
inline constexpr Index fewest_periodic = 4;

/// The step from a point to one beside it. The ends of an axis are beside each other, too; `around` has bit k when the
/// step leads from one end of axis k to the other.
struct GridStep {
  Index x, y, z;
  int around;

  OSTINATO_FUNCTION static GridStep of(const Extents& grid, const GridPoint& from, const GridPoint& to) {
    GridStep d{to.x - from.x, to.y - from.y, to.z - from.z, 0};
    if (d.is_beside()) return d;
    d.go_around(d.x, grid.x, 1);
    d.go_around(d.y, grid.y, 2);
    d.go_around(d.z, grid.z, 4);
    return d;
  }
  OSTINATO_FUNCTION bool is_beside() const { return x >= -1 && x <= 1 && y >= -1 && y <= 1 && z >= -1 && z <= 1; }
  OSTINATO_FUNCTION int axes() const { return (x != 0) + (y != 0) + (z != 0); }

 private:
  OSTINATO_FUNCTION void go_around(Index& step, Index extent, int bit) {
    if (extent < fewest_periodic || (step != extent - 1 && step != 1 - extent)) return;
    step = step > 0 ? -1 : 1;
    around |= bit;
  }
};

/// The rows of a matrix on a grid: each belongs to an unknown of a point.
class GridRows {
 public:
  Extents grid;
  int unknowns;
  bool by_field;

  GridRows(const Extents& extents, int unknowns_of_point, bool are_by_field)
      : grid(extents),
        unknowns(unknowns_of_point),
        by_field(are_by_field),
        over_x_(extents.x),
        over_y_(extents.y),
        over_unknowns_(unknowns_of_point),
        over_points_(points()) {}

  OSTINATO_FUNCTION Index points() const { return static_cast<Index>(grid.points()); }
  /// The point with this number.
  OSTINATO_FUNCTION GridPoint numbered(Index i) const {
    const Index line = over_x_.quotient(i), z = over_y_.quotient(line);
    return {i - line * grid.x, line - z * grid.y, z};
  }
  /// The point that a row belongs to.
  OSTINATO_FUNCTION GridPoint point(Index row) const {
    return numbered(unknowns == 1 ? row : by_field ? row - field(row) * points() : over_unknowns_.quotient(row));
  }
  OSTINATO_FUNCTION int unknown(Index row) const {
    return unknowns == 1 ? 0 : by_field ? field(row) : row - over_unknowns_.quotient(row) * unknowns;
  }
  /// The step from a point, that of row `from`, to the point of row `to`.
  OSTINATO_FUNCTION GridStep step(Index from, const GridPoint& at, Index to) const {
    if (unknowns == 1) {  // along x or along y, as most steps: without a division
      const Index along = to - from;
      if (along >= -1 && along <= 1 && at.x + along >= 0 && at.x + along < grid.x) return {along, 0, 0, 0};
      if (along == grid.x && at.y + 1 < grid.y) return {0, 1, 0, 0};
      if (along == -grid.x && at.y > 0) return {0, -1, 0, 0};
    }
    return GridStep::of(grid, at, point(to));
  }
  OSTINATO_FUNCTION std::size_t row(std::size_t point, int unknown) const {
    const auto u = static_cast<std::size_t>(unknown);
    return by_field ? u * grid.points() + point : point * static_cast<std::size_t>(unknowns) + u;
  }

 private:
  OSTINATO_FUNCTION Index field(Index row) const { return over_points_.quotient(row); }

  Divider over_x_, over_y_, over_unknowns_, over_points_;
};

/// What the rows of a matrix say about a grid. Entries of value 0 count for `leaning` only: where couplings cancel,
/// which of them are exactly 0 is chance.
struct GridCounts {
  /// Rows with an entry that leads to no point beside, or that lead around an axis at a slant only.
  static constexpr int off = 0;
  static constexpr int slanted = 1;   ///< rows with an entry that a star doesn't have
  static constexpr int dominant = 2;  ///< rows whose diagonal exceeds the sum of the others by over 2 % of itself
  static constexpr int leaning = 3;   ///< rows between the ends of all axes that lead to one side more often
  /// Rows with an entry from one end to the other of x, changing nothing else; 5: of y, 6: of z.
  static constexpr int around = 4;
  /// Rows of points with several unknowns whose diagonal exceeds the sum of the others of its unknown by over 30 % of
  /// itself.
  static constexpr int dominant_alone = 7;
  static constexpr int number = 8;
};

/// Counts what the entries of a row say about a grid.
template <class T>
struct CountOffGrid {
  static constexpr int blocks_of_multiprocessor = 4;

  CsrPattern a;
  const T* val;
  GridRows rows;

  OSTINATO_FUNCTION static bool is_inside(Index at, Index extent) { return extent == 1 || (at > 0 && at < extent - 1); }

  OSTINATO_FUNCTION Sums<GridCounts::number> operator()(std::size_t i) const {
    const auto row = static_cast<Index>(i);
    const GridPoint p = rows.point(row);
    const int unknown = rows.unknown(row);
    Sums<GridCounts::number> counts{};
    double own = 0, others = 0, of_same_unknown = 0;
    Index lean = 0;
    bool off = false, slanted = false;
    int around = 0, straight = 0;  // axes
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const GridStep d = rows.step(row, p, a.col[k]);
      lean += d.x + 3 * d.y + 9 * d.z;
      if (val[k] == T{0}) continue;
      off = off || !d.is_beside();
      slanted = slanted || d.axes() > 1;
      around |= d.around;
      if (d.around != 0 && d.axes() == 1 && rows.unknown(a.col[k]) == unknown) straight |= d.around;
      const double v = static_cast<double>(val[k]), size = v < 0 ? -v : v;
      (a.col[k] == row ? own : others) += size;
      if (rows.unknowns > 1 && a.col[k] != row && rows.unknown(a.col[k]) == unknown) of_same_unknown += size;
    }
    const bool inside = is_inside(p.x, rows.grid.x) && is_inside(p.y, rows.grid.y) && is_inside(p.z, rows.grid.z);
    counts.v[GridCounts::off] = off || around != straight ? 1 : 0;
    for (int axis = 0; axis < 3; ++axis) counts.v[GridCounts::around + axis] = straight >> axis & 1;
    counts.v[GridCounts::slanted] = slanted ? 1 : 0;
    counts.v[GridCounts::leaning] = inside && lean != 0 ? 1 : 0;
    counts.v[GridCounts::dominant] = own - others > 0.02 * own ? 1 : 0;
    counts.v[GridCounts::dominant_alone] = rows.unknowns > 1 && own - of_same_unknown > 0.3 * own ? 1 : 0;
    return counts;
  }
};

}  // namespace ostinato::detail

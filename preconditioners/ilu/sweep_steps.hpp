// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels that share the rows of a sweep out, for both spaces: a GPU needs tiles, and tests make them on the host.

#include <ostinato/preconditioners/ilu/sweep.hpp>
#include <ostinato/spmv/space/bisect.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato::detail {

/// begins[row] := 1 where a tile begins with a row, 0 elsewhere.
struct MarkTiles {
  SweepGroups groups;
  const Index* group;
  Offset* begins;

  OSTINATO_FUNCTION void operator()(std::size_t row) const {
    const Index own = group[row], last = static_cast<Index>(row);
    const Index first = bisect(Index{0}, last, [this, own](Index r) { return group[r] >= own; });
    begins[row] = (last - first) % (32 >> groups.log_lanes(own)) == 0 ? 1 : 0;
  }
};

/// Writes the tiles. `before`: the number of tiles that begin before each row.
struct ListTiles {
  SweepGroups groups;
  const Index* group;
  const Offset* before;
  Index rows;
  SweepTile* tile;

  OSTINATO_FUNCTION void operator()(std::size_t row) const {
    if (before[row + 1] > before[row]) tile[before[row]] = {static_cast<Index>(row), groups.log_lanes(group[row])};
    if (static_cast<Index>(row) == rows - 1) tile[before[rows]] = {rows, 0};
  }
};

/// row[target[i]] := i
struct ListRowsOfTargets {
  const Index* target;
  Index* row;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { row[target[i]] = static_cast<Index>(i); }
};

/// place[k] := the row whose element entry k needs.
struct FindPlaces {
  const Index *col, *row;
  Index* place;

  OSTINATO_FUNCTION void operator()(std::size_t k) const { place[k] = row[col[k]]; }
};

/// Sets all bits.
struct SetBits {
  unsigned* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { to[i] = ~0u; }
};

/// The tiles of rows with these groups, and the number of rows behind them.
template <class Space>
Vector<Space, SweepTile> tiles_of(const Space& space, const SweepGroups& groups, const Vector<Space, Index>& group) {
  const std::size_t n = group.size();
  Vector<Space, Offset> before(space, n + 1);
  for_each(space, n, MarkTiles{groups, group.data(), before.data()});
  exclusive_scan(space, before.span());
  Offset count = 0;
  space.download(&count, before.data() + n, sizeof count);
  Vector<Space, SweepTile> tiles(space, static_cast<std::size_t>(count) + 1);
  for_each(space, n, ListTiles{groups, group.data(), before.data(), static_cast<Index>(n), tiles.data()});
  return tiles;
}

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels that share the rows of a sweep out, for both spaces: a GPU needs tiles, and tests make them on the host.

#include <cstddef>
#include <span>

#include <ostinato/preconditioners/triangular/sweep.hpp>
#include <ostinato/spmv/base/bisect.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato::detail {

/// The same work for two sweeps in one launch: the first `of_first` elements are those of the first one.
template <class F>
struct Both {
  std::size_t of_first;
  F f[2];

  OSTINATO_FUNCTION auto operator()(std::size_t i) const { return i < of_first ? f[0](i) : f[1](i - of_first); }
};

/// begins[row] := 1 where a tile begins with a row, 0 elsewhere.
struct MarkTiles {
  JoinedGroups groups;
  const unsigned* group;
  Offset* begins;

  OSTINATO_FUNCTION void operator()(std::size_t row) const {
    const unsigned own = group[row];
    const auto last = static_cast<Offset>(row);
    const Offset first = bisect(Offset{0}, last, [this, own](Offset r) { return group[r] >= own; });
    begins[row] = (last - first) % (32 >> groups.log_lanes(own)) == 0 ? 1 : 0;
  }
};

/// Writes the tiles of a sweep. `before`: the number of tiles that begin before each of its rows.
struct ListTiles {
  JoinedGroups groups;
  const unsigned* group;
  const Offset* before;
  Index rows;
  SweepTile* tile;

  OSTINATO_FUNCTION void operator()(std::size_t row) const {
    const Offset number = before[row] - before[0];
    if (before[row + 1] > before[row]) tile[number] = {static_cast<Index>(row), groups.log_lanes(group[row])};
    if (static_cast<Index>(row) == rows - 1) tile[before[rows] - before[0]] = {rows, 0};
  }
};

/// row[target[i]] := i. Unsets the elements of row i, and resets the state.
template <class T>
struct PrepareRows {
  std::size_t rows;
  const Index* target;
  Index* row;
  T* waiting;
  SweepState* state;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    row[target[i]] = static_cast<Index>(i);
    unset(waiting + i);
    unset(waiting + rows + i);
    if (i == 0) *state = {0, 0, 0};
  }
  OSTINATO_FUNCTION static void unset(T* element) {
    for (std::size_t word = 0; word < sizeof(T) / sizeof(unsigned); ++word)
      reinterpret_cast<unsigned*>(element)[word] = ~0u;
  }
};

/// place[k] := the row whose element entry k needs.
struct FindPlaces {
  const Index *col, *row;
  Index* place;

  OSTINATO_FUNCTION void operator()(std::size_t k) const { place[k] = row[col[k]]; }
};

/// The tiles of one sweep or of two, and behind those of each the number of its rows.
template <class Space>
void make_tiles(const Space& space, const JoinedGroups& groups, const Vector<Space, unsigned>& group,
                std::span<const std::size_t> rows, Vector<Space, SweepTile>* tiles) {
  const std::size_t n = group.size(), first = rows[0];
  Vector<Space, Offset> before(space, n + 2);
  for_each(space, n, MarkTiles{groups, group.data(), before.data()});
  exclusive_scan(space, before.span().first(n + 1));
  space.copy(before.data() + n + 1, before.data() + first, sizeof(Offset));
  Offset counts[2];  // of both sweeps, and of the first
  space.download(counts, before.data() + n, sizeof counts);
  const auto list = [&](std::size_t sweep, std::size_t begin, Offset count) {
    tiles[sweep] = Vector<Space, SweepTile>(space, static_cast<std::size_t>(count) + 1);
    return ListTiles{groups, group.data() + begin, before.data() + begin, static_cast<Index>(rows[sweep]),
                     tiles[sweep].data()};
  };
  const ListTiles lower = list(0, 0, counts[1]);
  const ListTiles upper = rows.size() > 1 ? list(1, first, counts[0] - counts[1]) : lower;
  for_each(space, n, Both<ListTiles>{first, {lower, upper}});
}

}  // namespace ostinato::detail

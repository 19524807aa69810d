// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the warps of a GPU run a sweep. A warp takes tiles by a ticket, in the order of the levels: so the first of the
// unfinished tiles waits for nobody, and no warp waits forever, however many of them the GPU holds at once. Rows of a
// tile are of one level: no lane waits for another lane of its warp, which would have to let it pass.
//
// What a row waits for is an element by rows, which neighbouring lanes read and write side by side. An element is
// unset until one store publishes it, and is itself the signal: no fence is needed, and no flag. There are two sets of
// elements. A run unsets those of the next run, so that no fill stands between runs.
//
// A warp has, on a GPU (sweep.cu) as in tests, whose lanes are threads,
//   lane()               this lane, 0 .. 31
//   draw(state)          the next ticket, in lane 0
//   of_first(v)          v of lane 0
//   end(state, warps)    the warp is at its end; all lanes call the function
//   look(p, v)           whether the element is published; then v is the element
//   publish(p, v)        publishes an element
//   unset(p)             unsets it
//   row_sum(v, lanes)    the sum of v over `lanes` neighbouring lanes, in a fixed order

#include <ostinato/preconditioners/triangular/sweep.hpp>

namespace ostinato::detail {

/// Entries that a lane takes together. It looks at all of their elements before it waits for any of them.
inline constexpr int entries_of_lane = 4;

/// Values that a lane multiplies with elements, and the rows of the elements; -1 where the row has ended.
template <class T>
struct LaneEntries {
  T value[entries_of_lane];
  Index place[entries_of_lane];

  OSTINATO_FUNCTION void load(const SweepTiles<T>& s, Offset first, Offset end, Offset stride) {
#pragma unroll
    for (int j = 0; j < entries_of_lane; ++j) {
      const Offset k = first + j * stride;
      place[j] = k < end ? s.place[k] : -1;
      value[j] = k < end ? s.rows.val[k] : T{0};
    }
  }
};

/// sum + the products of the entries, in order, once all of their elements are there.
template <class Warp, class T>
OSTINATO_FUNCTION T add_products(const Warp& warp, const LaneEntries<T>& e, const T* waiting, T sum) {
  T element[entries_of_lane];
  bool open[entries_of_lane];
  bool waits;
#pragma unroll
  for (int j = 0; j < entries_of_lane; ++j) {
    element[j] = T{0};
    open[j] = e.place[j] >= 0;
  }
  do {
    waits = false;
#pragma unroll
    for (int j = 0; j < entries_of_lane; ++j) open[j] = open[j] && !warp.look(waiting + e.place[j], element[j]);
#pragma unroll
    for (int j = 0; j < entries_of_lane; ++j) waits = waits || open[j];
  } while (waits);
#pragma unroll
  for (int j = 0; j < entries_of_lane; ++j) sum += e.value[j] * element[j];
  return sum;
}

/// Takes the rows of a tile. `waiting` and `next`: the elements of this run and of the next.
template <class Warp, class T, class In, class Copy>
OSTINATO_FUNCTION void solve_tile(const Warp& warp, const SweepTiles<T>& s, unsigned number, T* waiting, T* next,
                                  const In* in, T* out, Copy* copy) {
  const SweepTile tile = s.tile[number];
  const int lanes = 1 << tile.log_lanes;
  const std::size_t row =
      static_cast<std::size_t>(tile.first) + static_cast<std::size_t>(warp.lane() >> tile.log_lanes);
  const bool is_row = row < static_cast<std::size_t>(s.tile[number + 1].first);
  const int part = warp.lane() & (lanes - 1);
  const bool writes = is_row && part == 0;
  Offset k = is_row ? s.rows.row_ptr[row] + part : 0;
  const Offset end = is_row ? s.rows.row_ptr[row + 1] : 0;
  LaneEntries<T> entries;
  entries.load(s, k, end, lanes);
  // What doesn't depend on other rows is read before the waiting: the rows that wait for this one wait for it, too.
  const Index target = writes ? s.rows.target[row] : 0;
  T sum = writes ? -s.rows.scale[row] * static_cast<T>(in[s.rows.source[row]]) : T{0};
  if (writes) warp.unset(next + row);
  while (k < end) {
    k += entries_of_lane * lanes;
    LaneEntries<T> following;
    following.load(s, k, end, lanes);
    sum = add_products(warp, entries, waiting, sum);
    entries = following;
  }
  sum = -warp.row_sum(sum, lanes);
  if (!writes) return;
  warp.publish(waiting + row, sum);
  out[target] = sum;
  if (copy != nullptr) copy[target] = static_cast<Copy>(sum);
}

/// What each warp does.
template <class Warp, class T, class In, class Copy>
OSTINATO_FUNCTION void solve_tiles(const Warp& warp, const SweepTiles<T>& s, const In* in, T* out, Copy* copy) {
  const bool odd = s.state->runs % 2 != 0;
  T* const waiting = s.waiting + (odd ? s.rows.rows : 0);
  T* const next = s.waiting + (odd ? 0 : s.rows.rows);
  unsigned number = warp.of_first(warp.draw(s.state));
  while (number < s.count) {
    const unsigned later = warp.draw(s.state);  // on its way while this warp waits
    solve_tile(warp, s, number, waiting, next, in, out, copy);
    number = warp.of_first(later);
  }
  warp.end(s.state, s.warps);
}

}  // namespace ostinato::detail

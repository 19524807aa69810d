// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The levels of the rows of a triangle, found by groups of lanes, for zero_fill.hpp. zero_fill_rows.hpp says what a
// group has.

#include <ostinato/preconditioners/triangular/triangle.hpp>

namespace ostinato::detail {

/// Entries of a row, whose levels a lane looks at together.
struct EntriesInView {
  static constexpr int together = 4;

  Index turn[together];  ///< of the rows that the entries wait for; -1: none, or its level is known

  /// The entries first, first + stride, .. as far as they are before `end`.
  OSTINATO_FUNCTION void view(const Triangle& triangle, std::size_t i, Offset first, Offset end, Offset stride) {
#pragma unroll
    for (int j = 0; j < together; ++j) {
      const Offset entry = first + j * stride;
      turn[j] = entry < end ? triangle.needed_turn(i, entry) : -1;
    }
  }

  /// Raises `level` above the levels that are known. Returns whether all are.
  template <class Group>
  OSTINATO_FUNCTION bool look(const Group& group, const Index* level_of_turn, Index& level) {
    Index found[together];
    bool open[together], all = true;
#pragma unroll
    for (int j = 0; j < together; ++j) {
      found[j] = -1;
      open[j] = turn[j] >= 0 && !group.look(level_of_turn + turn[j], found[j]);
    }
#pragma unroll
    for (int j = 0; j < together; ++j) {
      if (!open[j]) turn[j] = -1;
      all = all && !open[j];
      level = found[j] + 1 > level ? found[j] + 1 : level;
    }
    return all;
  }

  /// Whether the first of the levels that weren't known is known now.
  template <class Group>
  OSTINATO_FUNCTION bool look_at_first(const Group& group, const Index* level_of_turn) const {
    Index first = -1, found;
#pragma unroll
    for (int j = together - 1; j >= 0; --j) first = turn[j] >= 0 ? turn[j] : first;
    return first < 0 || group.look(level_of_turn + first, found);
  }
};

/// The level of a row, which a lane finds.
struct LaneRow {
  std::size_t i;
  Offset next = 0, end;  ///< entries that haven't been looked at, of those that wait for rows of other groups
  Index level = 0;       ///< one more than the known ones of the rows that it waits for
  unsigned inside = 0;   ///< the lanes whose rows it waits for, too
  EntriesInView view = {};

  /// `first`: the turn of the first lane. Entries that wait for rows of the lanes are the last.
  OSTINATO_FUNCTION LaneRow(const Triangle& triangle, std::size_t row, Offset entries, Index first)
      : i(row), end(entries) {
    for (Index& t : view.turn) t = -1;
    for (; end > 0; --end) {
      const Index turn = triangle.needed_turn(i, end - 1);
      if (turn < first) break;
      inside |= 1u << (turn - first);
    }
  }

  /// Goes through the entries as far as levels are known. Returns whether that is to the end.
  template <class Group>
  OSTINATO_FUNCTION bool advance(const Group& group, const Triangle& triangle, const Index* level_of_turn) {
    while (view.look(group, level_of_turn, level)) {
      if (next >= end) return true;
      view.view(triangle, i, next, end, 1);
      next += EntriesInView::together;
    }
    return false;
  }

  /// Raises the level above those of the rows of the lanes `needed`, which have looked at all of their entries. A lane
  /// whose level is known passes it on. Returns whether the level is known afterwards.
  template <class Group>
  OSTINATO_FUNCTION bool follow_lanes(const Group& group, unsigned needed, bool is_known) {
    for (int row = 0; row < group.lanes(); ++row) {  // by then this row has its level, unless it waits for others
      if ((needed >> row & 1u) == 0) continue;
      const Index other = group.of_lane(is_known ? level : -1, row);
      if ((inside >> row & 1u) == 0) continue;
      if (other < 0) is_known = false;
      level = other + 1 > level ? other + 1 : level;
    }
    return is_known;
  }
};

/// Takes the entries of long rows that wait for rows of other groups: the lanes share them.
template <class Group>
OSTINATO_FUNCTION void share_long_rows(const Group& group, const Triangle& triangle, Index first,
                                       const Index* level_of_turn, LaneRow& own) {
  constexpr Offset entries_of_long_row = 128;
  const unsigned long_rows = group.all_bits(own.end > entries_of_long_row ? 1u << group.lane() : 0u);
  for (int row = 0; row < group.lanes(); ++row) {
    if ((long_rows >> row & 1u) == 0) continue;
    const auto i = static_cast<std::size_t>(triangle.turn(first + row));
    const Offset end = group.of_lane(own.end, row), stride = group.lanes();
    Index level = 0;
    for (Offset k = group.lane(); k < end; k += EntriesInView::together * stride) {
      EntriesInView part;
      part.view(triangle, i, k, end, stride);
      while (!part.look(group, level_of_turn, level)) {
      }
    }
    level = group.largest(level);
    if (row != group.lane()) continue;
    own.level = level;
    own.next = end;
  }
}

/// level[t] := the level of the row whose turn is t: one more than those of the rows that it waits for, 0 where there
/// are none. *most becomes the latest level. For `first` and the turns that follow, one for each lane, which is a
/// multiple of the lanes. A row's level is published as soon as it is known; within a group levels go from lane to
/// lane, without memory.
template <class Group>
OSTINATO_FUNCTION void find_levels_of_rows(const Group& group, const Triangle& triangle, Index first, Index* level,
                                           Index* most) {
  const unsigned bit = 1u << group.lane(), all = ~0u >> (32 - group.lanes());
  const bool is_row = group.lane() < triangle.a.rows - first;
  const auto i = static_cast<std::size_t>(triangle.turn(first + (is_row ? group.lane() : 0)));
  LaneRow own(triangle, i, is_row ? triangle.end(i) - triangle.begin(i) : 0, first);
  share_long_rows(group, triangle, first, level, own);
  bool is_open = is_row, is_ready = false, look_at_all = true;
  unsigned published = group.all_bits(is_row ? 0u : bit), tried = 0;
  while (published != all) {
    bool moved = false;
    if (is_open && !is_ready) {
      // Many rows that look at many levels would slow down those that are due.
      if (look_at_all) {
        is_ready = own.advance(group, triangle, level);
      } else if (own.inside == 0) {
        moved = own.view.look_at_first(group, level);
      }
    }
    const unsigned ready = group.all_bits(is_open && is_ready ? bit : 0u);
    look_at_all = ready != tried || group.any(moved);
    if (ready == tried) continue;
    const bool may_be_known = is_open && is_ready && (own.inside & ~ready) == 0;
    const unsigned needed = group.all_bits(own.inside) & ready;
    const bool is_known = own.follow_lanes(group, needed, may_be_known);
    if (is_known) {
      group.publish(level + first + group.lane(), own.level);
      is_open = false;
    }
    const unsigned known = group.all_bits(is_known ? bit : 0u);
    published |= known;
    own.inside &= ~known;
    tried = ready & ~known;
  }
  const Index latest = group.largest(own.level);
  if (group.lane() == 0) group.raise(most, latest);
}

}  // namespace ostinato::detail

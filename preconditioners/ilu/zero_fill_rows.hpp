// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a group of lanes factors a row of a matrix in place, for zero_fill.hpp. A lane is a thread of a GPU; the host
// runs groups of one lane, and tests groups whose lanes are threads. A group has
//   lane(), lanes()          this lane and the number of lanes
//   sync()                   waits for the other lanes, and shows what they have written
//   look(p, v)               whether the element is published; then v is the element
//   publish(p, v)            publishes an element
//   largest(v)               the largest v of the lanes
//   of_lane(v, lane)         the v of a lane
//   any(v)                   whether v is true in any lane, of this group or of those that go in step with it
//   all_bits(v)              the bits that are set in any lane's v
//   raise(p, v)              atomically *p := the larger of *p and v
//   minus_product(a, b, c)   a - b c, where the product is rounded too, so that every space gives the same bits
// All lanes call the functions below with the same arguments.
//
// Each element is published once, by one store, and is itself the signal. Rows begin in an order in which no row comes
// before one that it waits for; so the first of the unfinished rows waits for nobody, and no group waits forever.

#include <cmath>

#include <ostinato/preconditioners/ilu/raise.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>

namespace ostinato::detail {

/// The strict lower or upper triangle of a square pattern. Rows have turns: those of the lower triangle come from the
/// first to the last, those of the upper triangle from the last to the first.
struct Triangle {
  CsrPattern a;
  const Offset* after;  ///< the first entry of each row past the diagonal
  bool upper;

  OSTINATO_FUNCTION bool has_diagonal(std::size_t i) const {
    return after[i] > a.row_ptr[i] && a.col[after[i] - 1] == static_cast<Index>(i);
  }
  OSTINATO_FUNCTION Offset begin(std::size_t i) const { return upper ? after[i] : a.row_ptr[i]; }
  OSTINATO_FUNCTION Offset end(std::size_t i) const {
    return upper ? a.row_ptr[i + 1] : after[i] - (has_diagonal(i) ? 1 : 0);
  }
  /// The turn of a row, and the row of a turn.
  OSTINATO_FUNCTION Index turn(Index i) const { return upper ? a.rows - 1 - i : i; }
  /// The turn of the row that an entry of row i waits for. Entries are counted so that turns ascend.
  OSTINATO_FUNCTION Index needed_turn(std::size_t i, Offset entry) const {
    return turn(a.col[upper ? end(i) - 1 - entry : begin(i) + entry]);
  }
};

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
    bool is_known = is_open && is_ready && (own.inside & ~ready) == 0;
    const unsigned needed = group.all_bits(own.inside) & ready;
    for (int row = 0; row < group.lanes(); ++row) {  // by then this row has its level, unless it waits for others
      if ((needed >> row & 1u) == 0) continue;
      const Index other = group.of_lane(is_known ? own.level : -1, row);
      if ((own.inside >> row & 1u) == 0) continue;
      if (other < 0) is_known = false;
      own.level = other + 1 > own.level ? other + 1 : own.level;
    }
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

/// Entries of a row of U, or of L^T.
struct UpperEntries {
  Offset first;
  Index count;
};

/// Memory of a group: for a row of up to `size` entries, and an element for its diagonal.
struct RowRoom {
  double* diagonal;
  Index size = 0;
  double* value = nullptr;
  Index* col = nullptr;
  UpperEntries* upper = nullptr;
};

/// The row that a group factors: in the group's memory where there is room, otherwise where the matrix is.
struct OwnRow {
  double* value;
  const Index* col;
  const UpperEntries* upper;  ///< what each entry below the diagonal brings in; null: not in the group's memory
};

/// A matrix that is factored row by row.
struct FactoredRows {
  CsrPattern a;
  const Offset* after;  ///< the first entry of each row past the diagonal
  double* work;         ///< entries: the matrix, of which the entries below the diagonal become L
  double* upper;        ///< entries past the diagonal are published: of U, and of L^T by IC
  double* pivot;        ///< published

  OSTINATO_FUNCTION Triangle lower() const { return {a, after, false}; }

  /// The first `size` entries of row i, `below` of them below the diagonal.
  template <class Group, class Upper>
  OSTINATO_FUNCTION OwnRow open(const Group& group, std::size_t i, Index size, Index below, const RowRoom& room,
                                Upper upper_entries) const {
    const Offset begin = a.row_ptr[i];
    if (size > room.size) return {work + begin, a.col + begin, nullptr};
    for (Index k = group.lane(); k < size; k += group.lanes()) {
      room.col[k] = a.col[begin + k];
      room.value[k] = work[begin + k];
      if (k < below) room.upper[k] = upper_entries(a.col[begin + k]);
    }
    group.sync();
    return {room.value, room.col, room.upper};
  }

  /// Writes the row of L.
  template <class Group>
  OSTINATO_FUNCTION void close(const Group& group, std::size_t i, const OwnRow& own, Index below) const {
    if (own.upper == nullptr) return;
    group.sync();
    for (Index k = group.lane(); k < below; k += group.lanes()) work[a.row_ptr[i] + k] = own.value[k];
  }

  /// Row i of ILU(0). `boost` as in IlukOptions. Returns whether the pivot was raised.
  template <class Group>
  OSTINATO_FUNCTION bool eliminate(const Group& group, std::size_t i, double boost, const RowRoom& room) const;

  /// Row i of IC(0) of A with its diagonal times `factor`. Returns whether the pivot isn't a positive number.
  ///
  /// Requires  A symmetric pattern with a full diagonal: an entry of L is published at its mirror entry, where the row
  ///           of a column finds the entries of its rows.
  template <class Group>
  OSTINATO_FUNCTION bool decompose(const Group& group, std::size_t i, double factor, const RowRoom& room) const;
};

/// Where a group is in its row: an entry below the diagonal, and what that still changes.
struct RowCursor {
  Index entry = 0;
  UpperEntries upper = {0, 0};  ///< that the entry brings in
  Index taken = 0;              ///< of these, or of what they may change, where that is less
};

/// What the next entries of a row change. The lanes share the entries of U that an entry brings in, and search them in
/// the own row; or, where that is shorter, they share the rest of the own row and search it in the row of U. A strip is
/// one pair for each lane. A lane looks at all of its elements of U before it waits for the first.
struct ComingStrips {
  static constexpr int count = 4;
  static constexpr Index none = -1, own_diagonal = -2;

  Index entry[count];                    ///< of the own row; `none` where the row has come to its diagonal
  bool is_first[count], is_last[count];  ///< of the strips of its entry
  Index row[count];                      ///< of U
  Index searched[count];                 ///< entries of U to search; 0: the own row is searched
  Offset from[count];                    ///< where these begin
  Offset at[count];                      ///< this lane's entry of U
  Index to[count];                       ///< what that changes: an entry of the own row, its diagonal or nothing
  double pivot[count], upper[count];
  bool has_pivot[count], has_upper[count];

  /// The strips from a cursor on, which goes on behind them. `i`, `size`: the own row, and its entries that may change;
  /// its diagonal may, too. `upper_entries(k)`: what entry k of the own row brings in.
  template <class Group, class Upper>
  OSTINATO_FUNCTION ComingStrips(const Group& group, const OwnRow& own, std::size_t i, Index below, Index size,
                                 RowCursor& next, Upper upper_entries) {
    const bool has_diagonal = below < size && own.col[below] == static_cast<Index>(i);
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const bool is_entry = next.entry < below;
      const Index rest = size - next.entry - 1;
      const Index items = rest + (has_diagonal ? 0 : 1), item = next.taken + group.lane();
      const bool searches_upper = items < next.upper.count;
      const Index shared = searches_upper ? items : next.upper.count;
      entry[j] = is_entry ? next.entry : none;
      row[j] = is_entry ? own.col[next.entry] : 0;
      searched[j] = searches_upper ? next.upper.count : 0;
      from[j] = next.upper.first;
      at[j] = from[j] + (searches_upper ? 0 : item);
      to[j] = none;
      if (is_entry && item < shared) to[j] = searches_upper && item < rest ? next.entry + 1 + item : own_diagonal;
      if (to[j] >= 0 && own.col[to[j]] == static_cast<Index>(i)) to[j] = own_diagonal;
      is_first[j] = next.taken == 0;
      next.taken += group.lanes();
      is_last[j] = next.taken >= shared;
      if (!is_entry || !is_last[j]) continue;
      next.taken = 0;
      ++next.entry;
      if (next.entry < below) next.upper = upper_entries(next.entry);
    }
  }

  /// Completes the pairs: searches all strips of the own row at once.
  OSTINATO_FUNCTION void search(const FactoredRows& rows, std::size_t i, const OwnRow& own, Index size) {
    Index column[count], place[count];
    const Index first = entry[0] + 1;
#pragma unroll
    for (int j = 0; j < count; ++j) {
      column[j] = to[j] == none || searched[j] > 0 ? 0 : rows.a.col[at[j]];
      place[j] = first;
    }
    for (Index rest = size - first; rest > 1; rest -= rest / 2) {
#pragma unroll
      for (int j = 0; j < count; ++j) place[j] += own.col[place[j] + rest / 2 - 1] < column[j] ? rest / 2 : 0;
    }
#pragma unroll
    for (int j = 0; j < count; ++j) {
      if (to[j] == none) continue;
      if (searched[j] > 0) {
        search_upper(rows, j, to[j] == own_diagonal ? static_cast<Index>(i) : own.col[to[j]]);
      } else if (column[j] != static_cast<Index>(i)) {
        const Index k = place[j] + (place[j] < size && own.col[place[j]] < column[j] ? 1 : 0);
        to[j] = k < size && own.col[k] == column[j] ? k : none;
      }
    }
  }
  OSTINATO_FUNCTION void search_upper(const FactoredRows& rows, int j, Index column) {
    const Offset end = at[j] + searched[j];
    for (Index rest = searched[j]; rest > 1; rest -= rest / 2)
      at[j] += rows.a.col[at[j] + rest / 2 - 1] < column ? rest / 2 : 0;
    if (rows.a.col[at[j]] < column) ++at[j];
    if (at[j] >= end || rows.a.col[at[j]] != column) to[j] = none;
  }

  /// Nothing is known. `with_diagonal`: whether the diagonal waits for an element of U, too.
  OSTINATO_FUNCTION void reset(bool with_diagonal) {
#pragma unroll
    for (int j = 0; j < count; ++j) {
      has_pivot[j] = entry[j] == none || !is_first[j];
      has_upper[j] = to[j] == none || (to[j] == own_diagonal && !with_diagonal);
      pivot[j] = upper[j] = 0;
    }
  }

  /// Waits for the elements of one of the strips; looks at those of the others, too.
  template <class Group>
  OSTINATO_FUNCTION void wait(const Group& group, const FactoredRows& rows, int which) {
    while (group.any(!has_pivot[which] || !has_upper[which])) {
#pragma unroll
      for (int j = 0; j < count; ++j) {
        if (!has_pivot[j]) has_pivot[j] = group.look(rows.pivot + row[j], pivot[j]);
        if (!has_upper[j]) has_upper[j] = group.look(rows.upper + at[j], upper[j]);
      }
    }
  }
};

/// Calls step(strips, j) for the strips of row i in turn, once their elements are there. `size`: entries that they may
/// change.
template <class Group, class Upper, class Step>
OSTINATO_FUNCTION void for_strips(const Group& group, const FactoredRows& rows, std::size_t i, const OwnRow& own,
                                  Index below, Index size, bool with_diagonal, Upper upper_entries, Step step) {
  RowCursor next;
  if (below > 0) next.upper = upper_entries(0);
  while (group.any(next.entry < below)) {
    ComingStrips coming(group, own, i, below, size, next, upper_entries);
    if (coming.entry[0] != ComingStrips::none) coming.search(rows, i, own, size);  // else this group waits for others
    coming.reset(with_diagonal);
#pragma unroll
    for (int j = 0; j < ComingStrips::count; ++j) {
      if (!group.any(coming.entry[j] != ComingStrips::none)) break;
      coming.wait(group, rows, j);
      if (coming.entry[j] != ComingStrips::none) step(coming, j);
    }
  }
}

template <class Group>
OSTINATO_FUNCTION bool FactoredRows::eliminate(const Group& group, std::size_t i, double boost,
                                               const RowRoom& room) const {
  const Offset begin = a.row_ptr[i];
  const auto size = static_cast<Index>(a.row_ptr[i + 1] - begin), below = static_cast<Index>(lower().end(i) - begin);
  const auto past = [this](Index row) {
    return UpperEntries{after[row], static_cast<Index>(a.row_ptr[row + 1] - after[row])};
  };
  const OwnRow own = open(group, i, size, below, room, past);
  const auto entries = [&](Index k) { return own.upper != nullptr ? own.upper[k] : past(own.col[k]); };
  double most = 0, factor = 0;
  for (Index k = group.lane(); k < size; k += group.lanes()) most = fmax(most, fabs(own.value[k]));
  most = group.largest(most);
  if (group.lane() == 0) *room.diagonal = begin + below < after[i] ? own.value[below] : 0.0;
  group.sync();
  for_strips(group, *this, i, own, below, size, true, entries, [&](const ComingStrips& coming, int j) {
    if (coming.is_first[j]) factor = own.value[coming.entry[j]] / coming.pivot[j];
    if (coming.to[j] != ComingStrips::none) {
      double* const to = coming.to[j] == ComingStrips::own_diagonal ? room.diagonal : own.value + coming.to[j];
      *to = group.minus_product(*to, factor, coming.upper[j]);
    }
    if (!coming.is_last[j]) return;
    group.sync();
    if (group.lane() == 0) own.value[coming.entry[j]] = factor;
  });
  for (Offset e = after[i] + group.lane(); e < begin + size; e += group.lanes())
    group.publish(upper + e, own.value[e - begin]);
  double own_pivot = *room.diagonal;
  const bool raised = ostinato::raise(own_pivot, most, boost);
  if (group.lane() == 0) group.publish(pivot + i, own_pivot);
  close(group, i, own, below);
  group.sync();
  return raised;
}

template <class Group>
OSTINATO_FUNCTION bool FactoredRows::decompose(const Group& group, std::size_t i, double factor,
                                               const RowRoom& room) const {
  const Offset begin = a.row_ptr[i];
  const auto below = static_cast<Index>(lower().end(i) - begin);
  const auto up_to_own = [this, i](Index row) {
    return UpperEntries{after[row], static_cast<Index>(a.first_from(row, static_cast<Offset>(i) + 1) - after[row])};
  };
  const OwnRow own = open(group, i, below, below, room, up_to_own);
  const auto entries = [&](Index k) { return own.upper != nullptr ? own.upper[k] : up_to_own(own.col[k]); };
  double diagonal = work[begin + below] * factor, value = 0, share = 0;
  for_strips(group, *this, i, own, below, below, false, entries, [&](const ComingStrips& coming, int j) {
    if (coming.is_first[j]) {
      value = own.value[coming.entry[j]];
      share = value / coming.pivot[j];
    }
    if (coming.to[j] == ComingStrips::own_diagonal) {
      group.publish(upper + coming.at[j], share);
    } else if (coming.to[j] != ComingStrips::none) {
      double& to = own.value[coming.to[j]];
      to = group.minus_product(to, value, coming.upper[j]);
    }
    if (!coming.is_last[j]) return;
    diagonal = group.minus_product(diagonal, value, share);
    group.sync();
    if (group.lane() == 0) own.value[coming.entry[j]] = share;
  });
  if (group.lane() == 0) group.publish(pivot + i, diagonal);
  close(group, i, own, below);
  group.sync();
  return !(diagonal > 0 && diagonal - diagonal == 0);
}

}  // namespace ostinato::detail

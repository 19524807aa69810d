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
};

template <class Group, class V>
OSTINATO_FUNCTION V wait_for_element(const Group& group, const V* p) {
  V v;
  while (!group.look(p, v)) {
  }
  return v;
}

/// What the level of a row follows from, of rows that have neighbouring turns, one a lane.
struct RowLevel {
  Index level = 0;      ///< one more than those of the rows before the lanes' that it waits for; 0: there are none
  unsigned inside = 0;  ///< the lanes whose rows it waits for, too

  /// Takes some entries k, k + stride, .. of a row, which wait together. `first`: the first turn of the lanes.
  template <class Group>
  OSTINATO_FUNCTION void take(const Group& group, const Triangle& triangle, Offset k, Offset end, Offset stride,
                              Index first, const Index* level_of_turn) {
    constexpr int together = 4;
    for (; k < end; k += together * stride) {
      Index turn[together], found[together];
      bool open[together];
#pragma unroll
      for (int j = 0; j < together; ++j) {
        turn[j] = k + j * stride < end ? triangle.turn(triangle.a.col[k + j * stride]) : -1;
        open[j] = turn[j] >= 0 && turn[j] < first;
        found[j] = -1;
        if (turn[j] >= first) inside |= 1u << (turn[j] - first);
      }
      bool waits;
      do {
        waits = false;
#pragma unroll
        for (int j = 0; j < together; ++j) open[j] = open[j] && !group.look(level_of_turn + turn[j], found[j]);
#pragma unroll
        for (int j = 0; j < together; ++j) waits = waits || open[j];
      } while (waits);
#pragma unroll
      for (int j = 0; j < together; ++j) level = found[j] + 1 > level ? found[j] + 1 : level;
    }
  }
};

/// level[t] := the level of the row whose turn is t: one more than those of the rows that it waits for, 0 where there
/// are none. *most becomes the latest level. For `first` and the turns that follow, one for each lane, which is a
/// multiple of the lanes: within a group levels go from lane to lane, without memory.
template <class Group>
OSTINATO_FUNCTION void find_levels_of_rows(const Group& group, const Triangle& triangle, Index first, Index* level,
                                           Index* most) {
  constexpr Offset entries_of_long_row = 64;
  const int lane = group.lane(), lanes = group.lanes();
  const bool is_row = lane < triangle.a.rows - first;
  const Index turn = first + (is_row ? lane : 0);
  const auto i = static_cast<std::size_t>(triangle.turn(turn));
  const Offset begin = triangle.begin(i), end = is_row ? triangle.end(i) : begin;
  const bool is_long = end - begin > entries_of_long_row;
  RowLevel own;
  if (!is_long) own.take(group, triangle, begin, end, 1, first, level);
  const unsigned long_rows = group.all_bits(is_long ? 1u << lane : 0u);
  for (int row = 0; row < lanes; ++row) {
    if ((long_rows >> row & 1u) == 0) continue;
    RowLevel part;
    part.take(group, triangle, group.of_lane(begin, row) + lane, group.of_lane(end, row), lanes, first, level);
    part.level = group.largest(part.level);
    part.inside = group.all_bits(part.inside);
    if (row == lane) own = part;
  }
  const unsigned needed = group.all_bits(own.inside);
  for (int row = 0; row < lanes; ++row) {  // by then this row has its level
    if ((needed >> row & 1u) == 0) continue;
    const Index other = group.of_lane(own.level, row) + 1;
    if ((own.inside >> row & 1u) != 0 && other > own.level) own.level = other;
  }
  if (is_row) group.publish(level + turn, own.level);
  const Index latest = group.largest(own.level);
  if (lane == 0) group.raise(most, latest);
}

/// The same for one row, whose entries the lanes share: faster where few rows wait for those of neighbouring turns.
template <class Group>
OSTINATO_FUNCTION void find_level_of_row(const Group& group, const Triangle& triangle, Index turn, Index* level,
                                         Index* most) {
  const auto i = static_cast<std::size_t>(triangle.turn(turn));
  const Offset end = triangle.end(i);
  Index own = 0;
  for (Offset k = triangle.begin(i) + group.lane(); k < end; k += group.lanes()) {
    const Index other = wait_for_element(group, level + triangle.turn(triangle.a.col[k])) + 1;
    own = other > own ? other : own;
  }
  own = group.largest(own);
  if (group.lane() != 0) return;
  group.publish(level + turn, own);
  group.raise(most, own);
}

/// A matrix that is factored row by row.
struct FactoredRows {
  CsrPattern a;
  const Offset* after;  ///< the first entry of each row past the diagonal
  double* work;         ///< entries: the matrix, of which each row becomes its row of L
  double* upper;        ///< entries past the diagonal are published: of U, and of L^T by IC
  double* pivot;        ///< published

  OSTINATO_FUNCTION Triangle lower() const { return {a, after, false}; }

  /// Entry of row i in a column, among first .. end - 1; null where there is none.
  OSTINATO_FUNCTION double* place(Offset first, Offset end, Index column) const {
    const Offset k = bisect(first, end, [this, column](Offset e) { return a.col[e] >= column; });
    return k < end && a.col[k] == column ? work + k : nullptr;
  }

  /// Row i of ILU(0). `boost` as in IlukOptions. `diagonal` is memory of the group. Returns whether the pivot was
  /// raised.
  template <class Group>
  OSTINATO_FUNCTION bool eliminate(const Group& group, std::size_t i, double boost, double* diagonal) const;

  /// Row i of IC(0) of A with its diagonal times `factor`. Returns whether the pivot isn't a positive number.
  ///
  /// Requires  A symmetric pattern with a full diagonal: an entry of L is published at its mirror entry, where the row
  ///           of a column finds the entries of its rows.
  template <class Group>
  OSTINATO_FUNCTION bool decompose(const Group& group, std::size_t i, double factor) const;
};

/// Rows of U that the next entries of a row bring in: what a lane needs of each. It looks at all of them before it
/// waits for the first, and they are searched before the waiting.
struct ComingRows {
  static constexpr int count = 4;

  Index row[count];
  Offset first[count], last[count];  ///< this lane's first entry in the row of U, and the row's end
  double* to[count];                 ///< what that entry changes; null: nothing
  double pivot[count], upper[count];
  bool has_pivot[count], has_upper[count];

  /// The rows of the entries from k to end - 1. `target(k, e)`: what entry e of U changes in the row of entry k.
  template <class Group, class Target>
  OSTINATO_FUNCTION void find(const Group& group, const FactoredRows& rows, Offset k, Offset end, Target target) {
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const bool is_entry = k + j < end;
      row[j] = is_entry ? rows.a.col[k + j] : 0;
      first[j] = is_entry ? rows.after[row[j]] + group.lane() : 0;
      last[j] = is_entry ? rows.a.row_ptr[row[j] + 1] : 0;
      to[j] = first[j] < last[j] ? target(k + j, first[j]) : nullptr;
      has_pivot[j] = !is_entry;
      has_upper[j] = to[j] == nullptr;
      pivot[j] = upper[j] = 0;
    }
  }

  /// Waits for the elements of one of the rows; looks at those of the others, too.
  template <class Group>
  OSTINATO_FUNCTION void wait(const Group& group, const FactoredRows& rows, int which) {
    while (!has_pivot[which] || !has_upper[which]) {
#pragma unroll
      for (int j = 0; j < count; ++j) {
        if (!has_pivot[j]) has_pivot[j] = group.look(rows.pivot + row[j], pivot[j]);
        if (!has_upper[j]) has_upper[j] = group.look(rows.upper + first[j], upper[j]);
      }
    }
  }
};

template <class Group>
OSTINATO_FUNCTION bool FactoredRows::eliminate(const Group& group, std::size_t i, double boost,
                                               double* diagonal) const {
  const Offset begin = a.row_ptr[i], end = a.row_ptr[i + 1], lower_end = lower().end(i);
  double size = 0;
  for (Offset k = begin + group.lane(); k < end; k += group.lanes()) size = fmax(size, fabs(work[k]));
  size = group.largest(size);
  if (group.lane() == 0) *diagonal = lower_end < after[i] ? work[lower_end] : 0.0;
  group.sync();
  const auto target = [&, this](Offset k, Offset e) {
    return a.col[e] == static_cast<Index>(i) ? diagonal : place(k + 1, end, a.col[e]);
  };
  for (Offset k = begin; k < lower_end; k += ComingRows::count) {
    ComingRows coming;
    coming.find(group, *this, k, lower_end, target);
#pragma unroll
    for (int j = 0; j < ComingRows::count; ++j) {
      if (k + j >= lower_end) break;
      coming.wait(group, *this, j);
      const double factor = work[k + j] / coming.pivot[j];
      if (coming.to[j] != nullptr) *coming.to[j] = group.minus_product(*coming.to[j], factor, coming.upper[j]);
      for (Offset e = coming.first[j] + group.lanes(); e < coming.last[j]; e += group.lanes()) {
        double* const to = target(k + j, e);
        if (to != nullptr) *to = group.minus_product(*to, factor, wait_for_element(group, upper + e));
      }
      group.sync();
      if (group.lane() == 0) work[k + j] = factor;
    }
  }
  for (Offset e = after[i] + group.lane(); e < end; e += group.lanes()) group.publish(upper + e, work[e]);
  double own = *diagonal;
  const bool raised = ostinato::raise(own, size, boost);
  if (group.lane() == 0) group.publish(pivot + i, own);
  group.sync();
  return raised;
}

template <class Group>
OSTINATO_FUNCTION bool FactoredRows::decompose(const Group& group, std::size_t i, double factor) const {
  const Offset begin = a.row_ptr[i], lower_end = lower().end(i);
  const auto own_column = static_cast<Index>(i);
  double own = work[lower_end] * factor;
  const auto target = [&, this](Offset k, Offset e) {
    return a.col[e] < own_column ? place(k + 1, lower_end, a.col[e]) : nullptr;
  };
  for (Offset k = begin; k < lower_end; k += ComingRows::count) {
    ComingRows coming;
    coming.find(group, *this, k, lower_end, target);
#pragma unroll
    for (int j = 0; j < ComingRows::count; ++j) {
      if (k + j >= lower_end) break;
      coming.wait(group, *this, j);
      const double value = work[k + j], share = value / coming.pivot[j];
      if (coming.to[j] != nullptr) *coming.to[j] = group.minus_product(*coming.to[j], value, coming.upper[j]);
      for (Offset e = coming.first[j]; e < coming.last[j] && a.col[e] <= own_column; e += group.lanes()) {
        if (a.col[e] == own_column) {
          group.publish(upper + e, share);
        } else if (e != coming.first[j]) {
          double* const to = target(k + j, e);
          if (to != nullptr) *to = group.minus_product(*to, value, wait_for_element(group, upper + e));
        }
      }
      own = group.minus_product(own, value, share);
      group.sync();
      if (group.lane() == 0) work[k + j] = share;
    }
  }
  if (group.lane() == 0) group.publish(pivot + i, own);
  return !(own > 0 && own - own == 0);
}

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a group of lanes factors a row of a matrix in place, for zero_fill.hpp. A lane is a thread of a GPU; the host
// runs groups of one lane, and tests groups whose lanes are threads. A group has
//   lane(), lanes()          this lane and the number of lanes
//   looks_ahead              whether rows that are factored go through several strips at once (zero_fill_strips.hpp)
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
#include <ostinato/preconditioners/ilu/zero_fill_levels.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_strips.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>

namespace ostinato::detail {

/// Memory of a group: for a row of up to `size` entries, and an element for its diagonal.
struct RowRoom {
  double* diagonal;
  Index size = 0;
  double* value = nullptr;
  Index* col = nullptr;
  UpperEntries* upper = nullptr;
};

/// A matrix that is factored row by row.
struct FactoredRows {
  CsrPattern a;
  const Offset* after;  ///< the first entry of each row past the diagonal
  double* work;         ///< entries: the matrix, of which the entries below the diagonal become L
  double* upper;        ///< entries past the diagonal are published: of U, and of L^T by IC
  double* pivot;        ///< published

  OSTINATO_FUNCTION Triangle lower() const { return {a, after, false}; }
  OSTINATO_FUNCTION PublishedRows published() const { return {a.col, upper, pivot}; }

  /// The first `size` entries of row i, which may change.
  template <class Group, class Upper>
  OSTINATO_FUNCTION OwnRow open(const Group& group, std::size_t i, Index size, const RowRoom& room,
                                Upper upper_entries) const {
    const Offset begin = a.row_ptr[i];
    const auto below = static_cast<Index>(lower().end(i) - begin), number = static_cast<Index>(i);
    const bool has_diagonal = below < size && lower().has_diagonal(i);
    if (size > room.size) return {work + begin, a.col + begin, nullptr, number, below, size, has_diagonal};
    for (Index k = group.lane(); k < size; k += group.lanes()) {
      room.col[k] = a.col[begin + k];
      room.value[k] = work[begin + k];
      if (k < below) room.upper[k] = upper_entries(a.col[begin + k]);
    }
    group.sync();
    return {room.value, room.col, room.upper, number, below, size, has_diagonal};
  }

  /// Writes the row of L.
  template <class Group>
  OSTINATO_FUNCTION void close(const Group& group, const OwnRow& own) const {
    if (own.upper == nullptr) return;
    group.sync();
    const Offset begin = a.row_ptr[own.number];
    for (Index k = group.lane(); k < own.below; k += group.lanes()) work[begin + k] = own.value[k];
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

 private:
  /// Calls the functions of `row`, in the way that the group takes.
  template <class Group, class Upper, class Row>
  OSTINATO_FUNCTION void for_strips(const Group& group, const OwnRow& own, Upper upper_entries, Row row) const {
    const auto entries = [&](Index k) { return own.upper != nullptr ? own.upper[k] : upper_entries(own.col[k]); };
    if constexpr (Group::looks_ahead) {
      for_coming_strips(group, published(), own, entries, row);
    } else {
      for_strips_in_turn(group, published(), own, entries, row);
    }
  }
};

/// What the entries below the diagonal change in a row of ILU(0).
template <class Group>
struct EliminatedRow {
  static constexpr bool takes_diagonal = true;

  const Group& group;
  const OwnRow& own;
  double* diagonal;
  double factor = 0;

  OSTINATO_FUNCTION void begin(Index entry, double pivot) { factor = own.value[entry] / pivot; }
  OSTINATO_FUNCTION void change(Index to, Offset, double upper) {
    double* const changed = to == Changed::diagonal ? diagonal : own.value + to;
    *changed = group.minus_product(*changed, factor, upper);
  }
  OSTINATO_FUNCTION void end(Index entry) {
    group.sync();
    if (group.lane() == 0) own.value[entry] = factor;
  }
};

template <class Group>
OSTINATO_FUNCTION bool FactoredRows::eliminate(const Group& group, std::size_t i, double boost,
                                               const RowRoom& room) const {
  const Offset begin = a.row_ptr[i];
  const auto size = static_cast<Index>(a.row_ptr[i + 1] - begin);
  const auto past = [this](Index row) {
    return UpperEntries{after[row], static_cast<Index>(a.row_ptr[row + 1] - after[row])};
  };
  const OwnRow own = open(group, i, size, room, past);
  double most = 0;
  for (Index k = group.lane(); k < size; k += group.lanes()) most = fmax(most, fabs(own.value[k]));
  most = group.largest(most);
  if (group.lane() == 0) *room.diagonal = own.has_diagonal ? own.value[own.below] : 0.0;
  group.sync();
  for_strips(group, own, past, EliminatedRow<Group>{group, own, room.diagonal});
  for (Offset e = after[i] + group.lane(); e < begin + size; e += group.lanes())
    group.publish(upper + e, own.value[e - begin]);
  double own_pivot = *room.diagonal;
  const bool raised = ostinato::raise(own_pivot, most, boost) != PivotChange::none;
  if (group.lane() == 0) group.publish(pivot + i, own_pivot);
  close(group, own);
  group.sync();
  return raised;
}

/// What the entries below the diagonal change in a row of IC(0).
template <class Group>
struct DecomposedRow {
  static constexpr bool takes_diagonal = false;

  const Group& group;
  const OwnRow& own;
  double* upper;     ///< where the row publishes L^T
  double* diagonal;  ///< of this lane
  double value = 0, share = 0;

  OSTINATO_FUNCTION void begin(Index entry, double pivot) {
    value = own.value[entry];
    share = value / pivot;
  }
  OSTINATO_FUNCTION void change(Index to, Offset at, double of_upper) {
    if (to == Changed::diagonal) return group.publish(upper + at, share);
    own.value[to] = group.minus_product(own.value[to], value, of_upper);
  }
  OSTINATO_FUNCTION void end(Index entry) {
    *diagonal = group.minus_product(*diagonal, value, share);
    group.sync();
    if (group.lane() == 0) own.value[entry] = share;
  }
};

template <class Group>
OSTINATO_FUNCTION bool FactoredRows::decompose(const Group& group, std::size_t i, double factor,
                                               const RowRoom& room) const {
  const Offset begin = a.row_ptr[i];
  const auto below = static_cast<Index>(lower().end(i) - begin);
  const auto up_to_own = [this, i](Index row) {
    return UpperEntries{after[row], static_cast<Index>(a.first_from(row, static_cast<Offset>(i) + 1) - after[row])};
  };
  const OwnRow own = open(group, i, below, room, up_to_own);
  double diagonal = work[begin + below] * factor;
  for_strips(group, own, up_to_own, DecomposedRow<Group>{group, own, upper, &diagonal});
  if (group.lane() == 0) group.publish(pivot + i, diagonal);
  close(group, own);
  group.sync();
  return !(diagonal > 0 && diagonal - diagonal == 0);
}

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a group of lanes factors a row of a matrix in place, for zero_fill.hpp. A lane is a thread of a GPU; the host
// runs groups of one lane, and tests groups whose lanes are threads. A group has
//   lane(), lanes()          this lane and the number of lanes
//   sync()                   waits for the other lanes, and shows what they have written
//   wait(p)                  the element that a group publishes, which may be this group's later; first waits for it
//   publish(p, v)            ends the waiting for an element
//   largest(v)               the largest v of the lanes
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

/// level[t] := the level of the row whose turn is t: one more than those of the rows that it waits for, 0 where there
/// are none. most[0] becomes the latest level, most[1] the entries of the longest row.
template <class Group>
OSTINATO_FUNCTION void find_level(const Group& group, const Triangle& triangle, Index turn, Index* level, Index* most) {
  const auto i = static_cast<std::size_t>(triangle.turn(turn));
  const Offset begin = triangle.begin(i), end = triangle.end(i);
  Index own = 0;
  for (Offset k = begin + group.lane(); k < end; k += group.lanes()) {
    const Index other = group.wait(level + triangle.turn(triangle.a.col[k])) + 1;
    own = other > own ? other : own;
  }
  own = group.largest(own);
  if (group.lane() != 0) return;
  group.publish(level + turn, own);
  group.raise(most, own);
  group.raise(most + 1, static_cast<Index>(end - begin));
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
  OSTINATO_FUNCTION bool eliminate(const Group& group, std::size_t i, double boost, double* diagonal) const {
    const Offset begin = a.row_ptr[i], end = a.row_ptr[i + 1], lower_end = lower().end(i);
    double size = 0;
    for (Offset k = begin + group.lane(); k < end; k += group.lanes()) size = fmax(size, fabs(work[k]));
    size = group.largest(size);
    if (group.lane() == 0) *diagonal = lower_end < after[i] ? work[lower_end] : 0.0;
    group.sync();
    for (Offset k = begin; k < lower_end; ++k) {
      const auto row = static_cast<std::size_t>(a.col[k]);
      const auto target = [&, this](Offset e) {
        return a.col[e] == static_cast<Index>(i) ? diagonal : place(k + 1, end, a.col[e]);
      };
      // The place of the first entry is searched before the waiting.
      const Offset last = a.row_ptr[row + 1];
      Offset e = after[row] + group.lane();
      double* to = e < last ? target(e) : nullptr;
      const double factor = work[k] / group.wait(pivot + row);
      while (e < last) {
        if (to != nullptr) *to = group.minus_product(*to, factor, group.wait(upper + e));
        e += group.lanes();
        if (e < last) to = target(e);
      }
      group.sync();
      if (group.lane() == 0) work[k] = factor;
    }
    for (Offset e = after[i] + group.lane(); e < end; e += group.lanes()) group.publish(upper + e, work[e]);
    double own = *diagonal;
    const bool raised = ostinato::raise(own, size, boost);
    if (group.lane() == 0) group.publish(pivot + i, own);
    group.sync();
    return raised;
  }

  /// Row i of IC(0) of A with its diagonal times `factor`. Returns whether the pivot isn't a positive number.
  ///
  /// Requires  A symmetric pattern with a full diagonal: an entry of L is published at its mirror entry, where the row
  ///           of a column finds the entries of its rows.
  template <class Group>
  OSTINATO_FUNCTION bool decompose(const Group& group, std::size_t i, double factor) const {
    const Offset begin = a.row_ptr[i], lower_end = lower().end(i);
    double own = work[lower_end] * factor;
    for (Offset k = begin; k < lower_end; ++k) {
      const auto row = static_cast<std::size_t>(a.col[k]);
      const Offset last = a.row_ptr[row + 1];
      Offset e = after[row] + group.lane();
      double* to = e < last ? place(k + 1, lower_end, a.col[e]) : nullptr;
      const double value = work[k];
      const double share = value / group.wait(pivot + row);
      while (e < last && a.col[e] <= static_cast<Index>(i)) {
        if (a.col[e] == static_cast<Index>(i)) {
          group.publish(upper + e, share);
        } else if (to != nullptr) {
          *to = group.minus_product(*to, value, group.wait(upper + e));
        }
        e += group.lanes();
        if (e < last) to = place(k + 1, lower_end, a.col[e]);
      }
      own = group.minus_product(own, value, share);
      group.sync();
      if (group.lane() == 0) work[k] = share;
    }
    if (group.lane() == 0) group.publish(pivot + i, own);
    return !(own > 0 && own - own == 0);
  }
};

}  // namespace ostinato::detail

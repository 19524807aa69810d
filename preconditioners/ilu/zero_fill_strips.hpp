// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the entries below the diagonal of a row that is factored change in that row, for zero_fill_rows.hpp, which says
// what a group of lanes has.
//
// Row k of U, which an entry in column k brings in, and the rest of the own row have columns in common. The lanes share
// the entries of U and search them in the own row; or, where that is much shorter, they share the rest of the own row
// and search it in the row of U, which waits for memory at each step. A strip is a pair, or some pairs, for each lane.
//
// There are two ways through the strips. One looks at several strips at once, so that the chain of rows that wait for
// each other is short; the other looks at one strip after the other, and leaves registers to more rows at once.

#include <ostinato/spmv/matrix/csr_pattern.hpp>

namespace ostinato::detail {

/// Entries of a row of U, or of L^T.
struct UpperEntries {
  Offset first;
  Index count;
};

/// The row that a group factors: in the group's memory where there is room, otherwise where the matrix is.
struct OwnRow {
  double* value;
  const Index* col;
  const UpperEntries* upper;  ///< what each entry below the diagonal brings in; null: not in the group's memory
  Index number;
  Index below, size;  ///< entries below the diagonal, and entries that may change; the diagonal may, too
  bool has_diagonal;  ///< among these entries
};

/// What rows that are finished have published.
struct PublishedRows {
  const Index* col;
  const double *upper, *pivot;
};

/// What an element of U changes: an entry of the own row, its diagonal or nothing.
struct Changed {
  static constexpr Index nothing = -1, diagonal = -2;
};

/// Where a group is in its row: an entry below the diagonal, and what that still changes.
struct RowCursor {
  Index entry = 0;
  UpperEntries upper = {0, 0};  ///< that the entry brings in
  Index taken = 0;              ///< of `shared`
  bool searches_upper = false;  ///< whether the rest of the own row is searched in U
  Index shared = 0;             ///< entries that the lanes share: of U or, with searches_upper, of the own row

  /// Goes to an entry.
  template <class Group>
  OSTINATO_FUNCTION void go_to(const Group& group, const OwnRow& own, Index to, const UpperEntries& brought_in) {
    entry = to;
    upper = brought_in;
    taken = 0;
    const Index rest = own.size - entry - (own.has_diagonal ? 1 : 0);
    searches_upper = rest + 3 * group.lanes() < upper.count;
    shared = searches_upper ? rest : upper.count;
  }
};

/// The place of a column among some entries of U. Returns -1 where it isn't there.
OSTINATO_FUNCTION inline Offset place_in_upper(const Index* col, const UpperEntries& entries, Index column) {
  Offset k = entries.first;
  for (Index rest = entries.count; rest > 1; rest -= rest / 2) k += col[k + rest / 2 - 1] < column ? rest / 2 : 0;
  if (col[k] < column) ++k;
  return k < entries.first + entries.count && col[k] == column ? k : -1;
}

/// Finds item `item` of the rest of the own row behind `entry` in U.
OSTINATO_FUNCTION inline void find_in_upper(const PublishedRows& rows, const OwnRow& own, Index entry, Index item,
                                            const UpperEntries& entries, Offset& at, Index& to) {
  const Index k = entry + 1 + item, column = k < own.size ? own.col[k] : own.number;
  at = place_in_upper(rows.col, entries, column);
  to = at < 0 ? Changed::nothing : column == own.number ? Changed::diagonal : k;
}

/// The next strips of a row, a pair for each lane. A lane looks at all of its elements of U before it waits for the
/// first.
struct ComingStrips {
  static constexpr int count = 4;
  static constexpr Index none = -1;

  Index entry[count];                    ///< of the own row; `none` where the row has come to its diagonal
  bool is_first[count], is_last[count];  ///< of the strips of its entry
  Index row[count];                      ///< of U
  Offset at[count];                      ///< this lane's entry of U
  Index to[count];                       ///< what that changes
  double pivot[count], upper[count];
  bool has_pivot[count], has_upper[count];

  /// The strips from a cursor on, which goes on behind them. `upper_entries(k)`: what entry k of the own row brings in.
  template <class Group, class Upper>
  OSTINATO_FUNCTION ComingStrips(const Group& group, const PublishedRows& rows, const OwnRow& own, RowCursor& next,
                                 Upper upper_entries) {
    const Index first = next.entry + 1;
    Index column[count], place[count];
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const bool is_entry = next.entry < own.below;
      const Index item = next.taken + group.lane();
      const bool has_pair = is_entry && item < next.shared;
      entry[j] = is_entry ? next.entry : none;
      row[j] = is_entry ? own.col[next.entry] : 0;
      at[j] = next.upper.first + item;
      to[j] = Changed::nothing;
      column[j] = none;
      if (has_pair && next.searches_upper) {
        find_in_upper(rows, own, next.entry, item, next.upper, at[j], to[j]);
      } else if (has_pair) {
        column[j] = rows.col[at[j]];
      }
      place[j] = first;
      is_first[j] = next.taken == 0;
      next.taken += group.lanes();
      is_last[j] = next.taken >= next.shared;
      if (!is_entry || !is_last[j]) continue;
      const Index following = next.entry + 1;
      next.go_to(group, own, following, following < own.below ? upper_entries(following) : UpperEntries{0, 0});
    }
    search_own(own, first, column, place);
  }

  /// Nothing is known. `takes_diagonal`: whether the diagonal waits for an element of U, too.
  OSTINATO_FUNCTION void reset(bool takes_diagonal) {
#pragma unroll
    for (int j = 0; j < count; ++j) {
      has_pivot[j] = entry[j] == none || !is_first[j];
      has_upper[j] = to[j] == Changed::nothing || (to[j] == Changed::diagonal && !takes_diagonal);
      pivot[j] = upper[j] = 0;
    }
  }

  /// Waits for the elements of one of the strips; looks at those of the others, too.
  template <class Group>
  OSTINATO_FUNCTION void wait(const Group& group, const PublishedRows& rows, int which) {
    while (group.any(!has_pivot[which] || !has_upper[which])) {
#pragma unroll
      for (int j = 0; j < count; ++j) {
        if (!has_pivot[j]) has_pivot[j] = group.look(rows.pivot + row[j], pivot[j]);
        if (!has_upper[j]) has_upper[j] = group.look(rows.upper + at[j], upper[j]);
      }
    }
  }

 private:
  /// Searches the columns of all strips in the own row, behind the first entry, at once.
  OSTINATO_FUNCTION void search_own(const OwnRow& own, Index first, const Index (&column)[count],
                                    Index (&place)[count]) {
    for (Index rest = own.size - first; rest > 1; rest -= rest / 2) {
#pragma unroll
      for (int j = 0; j < count; ++j) place[j] += own.col[place[j] + rest / 2 - 1] < column[j] ? rest / 2 : 0;
    }
#pragma unroll
    for (int j = 0; j < count; ++j) {
      if (column[j] == none) continue;
      const Index k = place[j] + (place[j] < own.size && own.col[place[j]] < column[j] ? 1 : 0);
      if (k < own.size && own.col[k] == column[j]) to[j] = k;
      if (column[j] == own.number) to[j] = Changed::diagonal;
    }
  }
};

/// A strip of two pairs for each lane.
struct NextStrip {
  static constexpr int pairs = 2;

  Offset at[pairs] = {};  ///< this lane's entries of U
  Index to[pairs] = {};   ///< what they change
  double pivot = 0, upper[pairs] = {};

  /// Finds the pairs at a cursor. `longest_step`: the largest power of 2 below own.size.
  template <class Group>
  OSTINATO_FUNCTION void find(const Group& group, const PublishedRows& rows, const OwnRow& own, const RowCursor& next,
                              Index longest_step) {
    if (!next.searches_upper) return search_own(group, rows, own, next, longest_step);
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const Index item = next.taken + p * group.lanes() + group.lane();
      to[p] = Changed::nothing;
      if (item < next.shared) find_in_upper(rows, own, next.entry, item, next.upper, at[p], to[p]);
    }
  }

  /// Waits for the elements, and for the pivot of row `row` of U if it is wanted.
  template <class Group>
  OSTINATO_FUNCTION void wait(const Group& group, const PublishedRows& rows, Index row, bool wants_pivot,
                              bool takes_diagonal) {
    bool has_pivot = !wants_pivot, has_upper[pairs], has_all;
#pragma unroll
    for (int p = 0; p < pairs; ++p)
      has_upper[p] = to[p] == Changed::nothing || (to[p] == Changed::diagonal && !takes_diagonal);
    do {
      if (!has_pivot) has_pivot = group.look(rows.pivot + row, pivot);
      has_all = has_pivot;
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        if (!has_upper[p]) has_upper[p] = group.look(rows.upper + at[p], upper[p]);
        has_all = has_all && has_upper[p];
      }
    } while (group.any(!has_all));
  }

 private:
  template <class Group>
  OSTINATO_FUNCTION void search_own(const Group& group, const PublishedRows& rows, const OwnRow& own,
                                    const RowCursor& next, Index longest_step) {
    Index column[pairs], place[pairs];
    bool has_pair[pairs];
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const Index item = next.taken + p * group.lanes() + group.lane();
      has_pair[p] = item < next.upper.count;
      at[p] = next.upper.first + item;
      column[p] = has_pair[p] ? rows.col[at[p]] : 0;
      place[p] = next.entry;
    }
    const auto go = [&](Index step) {
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        const Index k = place[p] + step;
        if (k < own.size && own.col[k] <= column[p]) place[p] = k;
      }
    };
    constexpr Index unrolled = 64;
    for (Index step = longest_step; step > unrolled; step /= 2) go(step);
#pragma unroll
    for (Index step = unrolled; step > 0; step /= 2) go(step);
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      to[p] = has_pair[p] && own.col[place[p]] == column[p] ? place[p] : Changed::nothing;
      if (has_pair[p] && column[p] == own.number) to[p] = Changed::diagonal;
    }
  }
};

// Both ways call, for the entries below the diagonal in turn, once their elements are there: row.begin(entry, pivot),
// row.change(to, at, upper) for what changes, and row.end(entry). `upper_entries(k)`: what entry k of the own row
// brings in.

template <class Group, class Upper, class Row>
OSTINATO_FUNCTION void for_coming_strips(const Group& group, const PublishedRows& rows, const OwnRow& own,
                                         Upper upper_entries, Row row) {
  RowCursor next;
  next.go_to(group, own, 0, own.below > 0 ? upper_entries(0) : UpperEntries{0, 0});
  while (group.any(next.entry < own.below)) {
    ComingStrips coming(group, rows, own, next, upper_entries);
    coming.reset(Row::takes_diagonal);
#pragma unroll
    for (int j = 0; j < ComingStrips::count; ++j) {
      if (!group.any(coming.entry[j] != ComingStrips::none)) break;
      coming.wait(group, rows, j);
      if (coming.entry[j] == ComingStrips::none) continue;
      if (coming.is_first[j]) row.begin(coming.entry[j], coming.pivot[j]);
      if (coming.to[j] != Changed::nothing) row.change(coming.to[j], coming.at[j], coming.upper[j]);
      if (coming.is_last[j]) row.end(coming.entry[j]);
    }
  }
}

template <class Group, class Upper, class Row>
OSTINATO_FUNCTION void for_strips_in_turn(const Group& group, const PublishedRows& rows, const OwnRow& own,
                                          Upper upper_entries, Row row) {
  Index longest_step = 1;
  while (2 * longest_step < own.size) longest_step *= 2;
  RowCursor next;
  NextStrip strip;
  for (Index entry = 0; entry < own.below; ++entry) {
    next.go_to(group, own, entry, upper_entries(entry));
    do {
      strip.find(group, rows, own, next, longest_step);
      strip.wait(group, rows, own.col[entry], next.taken == 0, Row::takes_diagonal);
      if (next.taken == 0) row.begin(entry, strip.pivot);
#pragma unroll
      for (int p = 0; p < NextStrip::pairs; ++p) {
        if (strip.to[p] != Changed::nothing) row.change(strip.to[p], strip.at[p], strip.upper[p]);
      }
      next.taken += NextStrip::pairs * group.lanes();
    } while (next.taken < next.shared);
    row.end(entry);
  }
}

}  // namespace ostinato::detail

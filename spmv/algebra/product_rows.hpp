// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a group of lanes computes a row of a product C = A B. A lane is a thread of a GPU; in tests, a thread of the host
// (tests/support/lanes.hpp). A group has
//   lane(), lanes()      this lane and the number of lanes
//   sync()               waits for the other lanes, and shows what they have written
//   load(p)              reads what another lane may write at the same time
//   swap_if(p, old, v)   atomically *p := v if *p == old; returns the previous value
//   add(p, v)            atomically *p += v; returns the previous value
//   set_bit(p, bit)      atomically *p |= bit
//   all(b)               whether b is true on all lanes, none of which goes on before all have asked
// All lanes call the functions below with the same arguments.

#include <cstdint>

#include <ostinato/spmv/base/bisect.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>

namespace ostinato::detail {

/// Calls f(j) for the column j of each term of row i of A B; several times for a column with several terms. `width`
/// lanes share a row of B: a power of two that divides the number of lanes. f returns false to end the calls on its
/// lane.
template <class Group, class F>
OSTINATO_FUNCTION void visit_terms(const Group& group, int width, const CsrPattern& a, const CsrPattern& b,
                                   std::size_t i, F f) {
  const int parts = group.lanes() / width;
  for (Offset k = a.row_ptr[i] + group.lane() / width; k < a.row_ptr[i + 1]; k += parts) {
    const auto of_b = static_cast<std::size_t>(a.col[k]);
    for (Offset q = b.row_ptr[of_b] + group.lane() % width; q < b.row_ptr[of_b + 1]; q += width) {
      if (!f(b.col[q])) return;
    }
  }
}

/// Where the search for column j begins in a hash table of `size` slots, a power of two, and where it goes on.
OSTINATO_FUNCTION inline std::uint32_t slot_of(Index j, int size) {
  return static_cast<std::uint32_t>(j) * 2654435769u >> 7 & static_cast<std::uint32_t>(size - 1);
}
OSTINATO_FUNCTION inline std::uint32_t next_slot(std::uint32_t s, int size) {
  return (s + 1) & static_cast<std::uint32_t>(size - 1);
}

/// The set of the columns of a row, in a hash table.
///
/// Requires  `list` has room for `most` columns.
struct ColumnTable {
  Index* slots;
  int size;  ///< number of slots, a power of two
  Index* list;
  int* counters;  ///< columns in the table, columns in the list
  int most;       ///< columns that the table takes, fewer than slots

  /// Collects the columns of row i of A B. Returns their number; more than `most` when they don't fit.
  template <class Group>
  OSTINATO_FUNCTION int collect(const Group& group, int width, const CsrPattern& a, const CsrPattern& b,
                                std::size_t i) const {
    for (int s = group.lane(); s < size; s += group.lanes()) slots[s] = -1;
    if (group.lane() == 0) counters[0] = counters[1] = 0;
    group.sync();
    int mine = 0;
    visit_terms(group, width, a, b, i, [&, this](Index j) {
      mine += insert(group, j);
      return mine <= most;
    });
    if (mine > 0) group.add(counters, mine);
    group.sync();
    return group.load(counters);
  }

  /// Writes the columns, ascending. Requires that they fit.
  template <class Group>
  OSTINATO_FUNCTION void write(const Group& group, Index* col) const {
    for (int s = group.lane(); s < size; s += group.lanes()) {
      if (slots[s] != -1) list[group.add(counters + 1, 1)] = slots[s];
    }
    group.sync();
    const int count = counters[1];
    for (int e = group.lane(); e < count; e += group.lanes()) {
      const Index mine = list[e];
      int rank = 0;
      for (int other = 0; other < count; ++other) rank += list[other] < mine;
      col[rank] = mine;
    }
    group.sync();
  }

 private:
  /// Returns the number of columns that are new: 0 or 1, and more than `most` where the table is full.
  template <class Group>
  OSTINATO_FUNCTION int insert(const Group& group, Index j) const {
    std::uint32_t s = slot_of(j, size);
    for (int probes = 0; probes < size; ++probes, s = next_slot(s, size)) {
      Index seen = group.load(slots + s);
      if (seen == -1) {
        seen = group.swap_if(slots + s, Index{-1}, j);
        if (seen == -1) return 1;
      }
      if (seen == j) return 0;
    }
    return most + 1;
  }
};

/// The set of the columns of a row, as bits, for rows that are too long for a table.
struct ColumnBits {
  std::uint32_t* words;  ///< all 0 before collect() and after clear()
  Index count;           ///< number of words
  Offset* before;        ///< columns in the words before those of each lane; one element more than lanes

  /// Collects the columns of row i of A B. Returns their number.
  template <class Group>
  OSTINATO_FUNCTION Offset collect(const Group& group, int width, const CsrPattern& a, const CsrPattern& b,
                                   std::size_t i) const {
    visit_terms(group, width, a, b, i, [&, this](Index j) {
      const std::uint32_t bit = 1u << (j % 32);
      if ((group.load(words + j / 32) & bit) == 0) group.set_bit(words + j / 32, bit);
      return true;
    });
    group.sync();
    Offset mine = 0;
    for (Index w = first(group, group.lane()); w < first(group, group.lane() + 1); ++w) {
      for (std::uint32_t rest = words[w]; rest != 0; rest &= rest - 1) ++mine;
    }
    before[group.lane() + 1] = mine;
    group.sync();
    if (group.lane() == 0) {
      before[0] = 0;
      for (int l = 0; l < group.lanes(); ++l) before[l + 1] += before[l];
    }
    group.sync();
    return before[group.lanes()];
  }

  /// Writes the columns, ascending, after collect().
  template <class Group>
  OSTINATO_FUNCTION void write(const Group& group, Index* col) const {
    Offset at = before[group.lane()];
    for (Index w = first(group, group.lane()); w < first(group, group.lane() + 1); ++w) {
      for (Index bit = 0; bit < 32; ++bit) {
        if ((words[w] >> bit & 1u) != 0) col[at++] = w * 32 + bit;
      }
    }
  }

  /// Prepares for the next row.
  template <class Group>
  OSTINATO_FUNCTION void clear(const Group& group) const {
    group.sync();
    for (Index w = group.lane(); w < count; w += group.lanes()) words[w] = 0;
    group.sync();
  }

 private:
  /// The first word of a lane.
  template <class Group>
  OSTINATO_FUNCTION Index first(const Group& group, int lane) const {
    return static_cast<Index>(static_cast<Offset>(count) * lane / group.lanes());
  }
};

/// What an entry of A contributes to a row of C: a factor times a row of B.
template <class T>
struct ScaledRow {
  Offset begin;  ///< of the row of B
  Index length;
  T factor;
};

/// The sums of a row of C, in a hash table of its columns.
template <class T>
struct SumTable {
  Index* slots;          ///< columns
  T* sums;               ///< in the order of the slots
  int size;              ///< number of slots, a power of two and more than the columns of the row
  ScaledRow<T>* scaled;  ///< one for each lane

  /// The slot of column j. A column that isn't in the table, because the pattern of C is that of another product, gets
  /// a free slot, whose sum nobody reads.
  OSTINATO_FUNCTION std::uint32_t find(Index j) const {
    std::uint32_t s = slot_of(j, size);
    while (slots[s] != j && slots[s] != -1) s = next_slot(s, size);
    return s;
  }

  /// The table that is `count` tables further on.
  OSTINATO_FUNCTION SumTable after(int count) const {
    return {slots + count * size, sums + count * size, size, nullptr};
  }

  /// Empties the table and inserts the columns of a row, which differ.
  template <class Group>
  OSTINATO_FUNCTION void begin(const Group& group, const Index* col, Index count) const {
    for (int s = group.lane(); s < size; s += group.lanes()) {
      slots[s] = -1;
      sums[s] = 0;
    }
    group.sync();
    for (Index e = group.lane(); e < count; e += group.lanes()) {
      std::uint32_t s = slot_of(col[e], size);
      while (group.swap_if(slots + s, Index{-1}, col[e]) != -1) s = next_slot(s, size);
    }
    group.sync();
  }
};

/// A product C = A B whose pattern is known. The terms of an entry are added in the order of the row of A, or in that
/// of each of its parts.
template <class T>
struct ProductValues {
  CsrPattern a;
  const T* a_val;
  CsrPattern b;
  const T* b_val;
  CsrPattern c;
  T* c_val;

  /// Adds up a part of row i of A, one of `parts` of about the same length, in a table. The lanes share each row of B,
  /// whose columns differ, and take the rows of B one after the other.
  template <class Group>
  OSTINATO_FUNCTION void add_part(const Group& group, std::size_t i, int part, int parts,
                                  const SumTable<T>& table) const {
    table.begin(group, c.col + c.row_ptr[i], static_cast<Index>(c.length(i)));
    const Offset length = a.length(i), first = length * part / parts, last = length * (part + 1) / parts;
    visit_entries(group, a.row_ptr[i] + first, static_cast<Index>(last - first), table.scaled, [&, this](int entries) {
      add_parts(group, table.scaled, entries, [&](Index j) { return table.sums + table.find(j); });
    });
  }

  /// Writes row i: the sums of `parts` tables that are one after the other, in their order. `group` is one of as many
  /// groups, number `part` of them, each of which writes some of the columns.
  template <class Group>
  OSTINATO_FUNCTION void write(const Group& group, std::size_t i, int part, int parts, const SumTable<T>& first) const {
    const Offset begin = c.row_ptr[i];
    const auto count = static_cast<Index>(c.length(i));
    for (Index e = part * group.lanes() + group.lane(); e < count; e += parts * group.lanes()) {
      const Index j = c.col[begin + e];
      T sum = first.sums[first.find(j)];
      for (int p = 1; p < parts; ++p) {
        const SumTable<T> table = first.after(p);
        sum += table.sums[table.find(j)];
      }
      c_val[begin + e] = sum;
    }
    group.sync();
  }

  /// Computes row i without a table, by a search for each column: for several rows of B at the same time, for which the
  /// lanes then add one row after the other. `sums` has an element for each entry of the row, and may be the row of
  /// c_val itself; `scaled` has one for each lane.
  template <class Group>
  OSTINATO_FUNCTION void multiply(const Group& group, std::size_t i, T* sums, ScaledRow<T>* scaled) const {
    const Offset begin = c.row_ptr[i];
    const auto count = static_cast<Index>(c.length(i));
    if (count == 0) return;
    const Index* const col = c.col + begin;
    // A column that isn't there, because the pattern of C is that of another product, changes another one's sum.
    const auto place_of = [=](Index j) { return bisect(Index{0}, count - 1, [=](Index e) { return col[e] >= j; }); };
    const auto sum_of = [=](Index j) { return sums + place_of(j); };
    for (Index e = group.lane(); e < count; e += group.lanes()) sums[e] = 0;
    group.sync();
    visit_entries(group, a.row_ptr[i], static_cast<Index>(a.length(i)), scaled, [&, this](int entries) {
      const int width = width_of(group, scaled, entries);
      if (width == group.lanes()) return add_parts(group, scaled, entries, sum_of);
      for (int e = 0; e < entries; e += group.lanes() / width) add_rows(group, width, scaled + e, entries - e, sum_of);
    });
    if (sums == c_val + begin) return;
    for (Index e = group.lane(); e < count; e += group.lanes()) c_val[begin + e] = sums[e];
    group.sync();
  }

 private:
  /// Calls use(n) for as many of some entries of A at a time as there are lanes, or fewer: the first n of `scaled`.
  template <class Group, class Use>
  OSTINATO_FUNCTION void visit_entries(const Group& group, Offset begin, Index count, ScaledRow<T>* scaled,
                                       Use use) const {
    for (Index first = 0; first < count; first += group.lanes()) {
      if (const Index k = first + group.lane(); k < count) {
        const auto of_b = static_cast<std::size_t>(a.col[begin + k]);
        scaled[group.lane()] = {b.row_ptr[of_b], static_cast<Index>(b.length(of_b)), a_val[begin + k]};
      }
      group.sync();
      use(count - first < group.lanes() ? count - first : group.lanes());
      group.sync();
    }
  }

  /// The lanes that each of `count` rows of B takes: a power of two, as many as the longest row has elements, or all.
  template <class Group>
  OSTINATO_FUNCTION static int width_of(const Group& group, const ScaledRow<T>* rows, int count) {
    const Index own = group.lane() < count ? rows[group.lane()].length : 0;
    int width = 1;
    while (width < group.lanes() && !group.all(own <= width)) width *= 2;
    return width;
  }

  /// Adds some rows of B, one after the other, in parts of as many elements as there are lanes. The loads of some parts
  /// overlap. sum_of(j) is the place of the sum of column j.
  template <class Group, class F>
  OSTINATO_FUNCTION void add_parts(const Group& group, const ScaledRow<T>* rows, int count, F sum_of) const {
    constexpr int at_once = 4;
    int r = 0;
    Index first = 0;  // element of the next part in row r
    while (r < count) {
      Index column[at_once];
      T value[at_once], factor[at_once];
      for (int u = 0; u < at_once; ++u) {
        column[u] = -1;
        if (r == count) continue;
        const ScaledRow<T>& row = rows[r];
        if (const Index q = first + group.lane(); q < row.length) {
          column[u] = b.col[row.begin + q];
          value[u] = b_val[row.begin + q];
          factor[u] = row.factor;
        }
        first += group.lanes();
        if (first < row.length) continue;
        ++r;
        first = 0;
      }
      T* sum[at_once];
      for (int u = 0; u < at_once; ++u) sum[u] = column[u] < 0 ? nullptr : sum_of(column[u]);
      for (int u = 0; u < at_once; ++u) {
        if (sum[u] != nullptr) *sum[u] += factor[u] * value[u];
        group.sync();
      }
    }
  }

  /// Adds the first of `count` rows of B, none of which has more than `width` elements: as many as lanes can take with
  /// `width` lanes a row. The lanes find the sums for all rows at the same time, and then add one row after the other.
  template <class Group, class F>
  OSTINATO_FUNCTION void add_rows(const Group& group, int width, const ScaledRow<T>* rows, int count, F sum_of) const {
    const int together = group.lanes() / width, own = group.lane() / width;
    if (count > together) count = together;
    const ScaledRow<T> row = own < count ? rows[own] : ScaledRow<T>{};
    T* sum = nullptr;
    T value = 0;
    if (const Index q = group.lane() % width; q < row.length) {
      sum = sum_of(b.col[row.begin + q]);
      value = b_val[row.begin + q];
    }
    for (int r = 0; r < count; ++r) {
      if (r == own && sum != nullptr) *sum += row.factor * value;
      group.sync();
    }
  }
};

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a group of lanes computes a row of a product C = A B. A lane is a thread of a GPU; tests run a group of one lane
// on the host. A group has
//   lane(), lanes()      this lane and the number of lanes
//   sync()               waits for the other lanes, and shows what they have written
//   load(p)              reads what another lane may write at the same time
//   swap_if(p, old, v)   atomically *p := v if *p == old; returns the previous value
//   add(p, v)            atomically *p += v; returns the previous value
//   set_bit(p, bit)      atomically *p |= bit
// All lanes call the functions below with the same arguments.

#include <cstdint>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/bisect.hpp>

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

/// The set of the columns of a row, in a hash table.
///
/// Requires  most + lanes <= slots, a power of two; `list` has room for `most` columns.
struct ColumnTable {
  Index* slots;
  int size;  ///< number of slots
  Index* list;
  int* counters;  ///< columns in the table, columns in the list
  int most;       ///< columns that the table takes

  /// Collects the columns of row i of A B. Returns their number; more than `most` when they don't fit.
  template <class Group>
  OSTINATO_FUNCTION int collect(const Group& group, int width, const CsrPattern& a, const CsrPattern& b,
                                std::size_t i) const {
    for (int s = group.lane(); s < size; s += group.lanes()) slots[s] = -1;
    if (group.lane() == 0) counters[0] = counters[1] = 0;
    group.sync();
    visit_terms(group, width, a, b, i, [&, this](Index j) {
      if (group.load(counters) > most) return false;
      insert(group, j);
      return true;
    });
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
  template <class Group>
  OSTINATO_FUNCTION void insert(const Group& group, Index j) const {
    const auto mask = static_cast<std::uint32_t>(size - 1);
    for (std::uint32_t s = (static_cast<std::uint32_t>(j) * 2654435769u >> 7) & mask;; s = (s + 1) & mask) {
      Index seen = group.load(slots + s);
      if (seen == -1) seen = group.swap_if(slots + s, Index{-1}, j);
      if (seen == -1) group.add(counters, 1);
      if (seen == -1 || seen == j) return;
    }
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

/// A product C = A B whose pattern is known.
template <class T>
struct ProductValues {
  CsrPattern a;
  const T* a_val;
  CsrPattern b;
  const T* b_val;
  CsrPattern c;
  T* c_val;

  /// Computes row i. The lanes share each row of B, whose columns differ, and take the rows of B one after the other:
  /// so the terms of an entry are added in the order of the row of A. `sums` has an element for each entry of the row,
  /// and may be the row of c_val itself.
  template <class Group>
  OSTINATO_FUNCTION void multiply(const Group& group, std::size_t i, T* sums) const {
    const Offset begin = c.row_ptr[i];
    const auto count = static_cast<Index>(c.length(i));
    const Index* const col = c.col + begin;
    for (Index e = group.lane(); e < count; e += group.lanes()) sums[e] = 0;
    group.sync();
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const auto of_b = static_cast<std::size_t>(a.col[k]);
      const T factor = a_val[k];
      for (Offset q = b.row_ptr[of_b] + group.lane(); q < b.row_ptr[of_b + 1]; q += group.lanes()) {
        const Index j = b.col[q];
        const Index place = bisect(Index{0}, count, [=](Index e) { return col[e] >= j; });
        sums[place] += factor * b_val[q];
      }
      group.sync();
    }
    if (sums == c_val + begin) return;
    for (Index e = group.lane(); e < count; e += group.lanes()) c_val[begin + e] = sums[e];
    group.sync();
  }
};

}  // namespace ostinato::detail

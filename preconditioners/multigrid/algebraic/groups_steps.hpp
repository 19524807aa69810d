// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of groups.hpp, on both spaces.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::algebraic {

/// of[i] = the outer group of the inner group of row i
struct JoinGroups {
  const Index *inner, *outer;
  Index* of;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { of[i] = inner[i] < 0 ? -1 : outer[inner[i]]; }
};

/// count[i] = the number of rows in the members of outer group i
struct CountJoined {
  detail::CsrPattern inner, outer;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset total = 0;
    for (Offset m = outer.row_ptr[i]; m < outer.row_ptr[i + 1]; ++m)
      total += inner.length(static_cast<std::size_t>(outer.col[m]));
    count[i] = total;
  }
};

/// Lists the rows in the one or two members of outer group i, ascending.
struct FillJoined {
  detail::CsrPattern inner, outer;
  const Offset* begin;
  Index* members;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset m = outer.row_ptr[i], last = outer.row_ptr[i + 1] - 1;
    if (last < m) return;
    Offset k = inner.row_ptr[outer.col[m]], l = inner.row_ptr[outer.col[last]];
    const Offset k_end = inner.row_ptr[outer.col[m] + 1], l_end = last == m ? l : inner.row_ptr[outer.col[last] + 1];
    for (Offset to = begin[i]; k < k_end || l < l_end; ++to) {
      const bool takes_first = l == l_end || (k < k_end && inner.col[k] < inner.col[l]);
      members[to] = takes_first ? inner.col[k++] : inner.col[l++];
    }
  }
};

/// of[i] = the point of row i
struct FindPoint {
  Points points;
  Index* of;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { of[i] = points.point_of(static_cast<Index>(i)); }
};

/// of[i] = the group of row i, where the unknowns of a group of points are neighbours
struct FindGroupOfRow {
  Points points;
  const Index* group;  ///< of each point
  Index* of;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const auto row = static_cast<Index>(i);
    const Index g = group[points.point_of(row)];
    of[i] = g < 0 ? -1 : g * points.unknowns + points.unknown_of(row);
  }
};

/// Row i and group i of the rows of points.
struct FillPointGroups {
  Points points;
  Index* of;
  Offset* begin;  ///< points + 1
  Index* members;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const auto n = static_cast<Index>(i);
    if (n <= points.count) begin[i] = static_cast<Offset>(i) * points.unknowns;
    if (n >= points.rows()) return;
    of[i] = points.point_of(n);
    members[i] = points.row(n / points.unknowns, static_cast<int>(n % points.unknowns));
  }
};

/// The number of entries in the rows of group i.
struct CountGroupTerms {
  detail::CsrPattern a, members;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset total = 0;
    for (Offset m = members.row_ptr[i]; m < members.row_ptr[i + 1]; ++m)
      total += a.length(static_cast<std::size_t>(members.col[m]));
    count[i] = total;
  }
};

/// Adds up the terms of a row's own column, which are many: a term to one of 32 parts, as if each were on a lane of a
/// warp, and the parts pairwise at the end.
template <class T>
struct OwnColumn {
  static constexpr int parts = 32;

  T part[parts] = {};
  bool has_terms = false;

  OSTINATO_FUNCTION void add(std::uint32_t term, T v) {
    part[term % parts] += v;
    has_terms = true;
  }
  OSTINATO_FUNCTION T total() {
    for (int half = parts / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) part[l] += part[l + half];
    }
    return part[0];
  }
};

/// Row i of the matrix of the groups, in a table that has a place for each of its terms. The columns and sums end at
/// the beginning of the table, ascending. Few terms are inserted in order, many are hashed and sorted. The terms of a
/// column are added one after the other, those of column i as in OwnColumn.
template <class T>
struct CollapseRow {
  detail::CsrPattern a;
  const T* val;
  detail::CsrPattern members;
  const Index* group;  ///< of each row of A, or -1
  Points points;
  const Offset* begin;  ///< of each table
  Index* col;
  T* sum;
  Offset* count;  ///< of the entries of each row

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const auto places = static_cast<std::uint32_t>(begin[i + 1] - begin[i]);
    Index* const c = col + begin[i];
    T* const s = sum + begin[i];
    std::uint32_t filled = 0;
    if (places <= few) {
      visit(i, places, [&](Index to, T v) { filled = insert(c, s, filled, to, v); });
    } else {
      for (std::uint32_t p = 0; p < places; ++p) c[p] = -1;
      visit(i, places, [&](Index to, T v) {
        const std::uint32_t p = place_of(c, places, to);
        s[p] = c[p] < 0 ? v : s[p] + v;
        c[p] = to;
      });
      for (std::uint32_t p = 0; p < places; ++p) {
        if (c[p] < 0) continue;
        c[filled] = c[p];
        s[filled++] = s[p];
      }
      sort(c, s, filled);
    }
    count[i] = filled;
  }

  /// The same with `place`, whose elements begin as 0: where a column is in the table, if it is. Groups of other ranks
  /// are columns, too, so that there may be more of them than rows.
  void operator()(std::size_t i, std::vector<std::uint32_t>& place) const {
    Index* const c = col + begin[i];
    T* const s = sum + begin[i];
    std::uint32_t filled = 0;
    visit(i, static_cast<std::uint32_t>(begin[i + 1] - begin[i]), [&](Index to, T v) {
      const auto at = static_cast<std::size_t>(to);
      if (at >= place.size()) place.resize(at + 1);
      const std::uint32_t p = place[at];
      if (p < filled && c[p] == to) {
        s[p] += v;
      } else {
        place[at] = filled;
        c[filled] = to;
        s[filled++] = v;
      }
    });
    sort(c, s, filled);
    count[i] = filled;
  }

  /// The column that entry k, of a row, goes to; -1 for an entry that doesn't count.
  OSTINATO_FUNCTION Index column_of(Index row, Offset k) const { return column_from(row, a.col[k]); }

  /// The same for an entry in column j.
  OSTINATO_FUNCTION Index column_from(Index row, Index j) const {
    if (points.unknowns > 1 && points.unknown_of(j) != points.unknown_of(row)) return -1;
    return group[j];
  }

 private:
  static constexpr std::uint32_t few = 64;

  /// Calls f(column, value) for each term of other columns than i, and for the sum of those of column i. In a row of
  /// more terms than a warp has lanes, the first term of each 32 members is on the first lane; shorter rows don't have
  /// so many members, because each has a diagonal entry.
  template <class F>
  OSTINATO_FUNCTION void visit(std::size_t i, std::uint32_t terms, F f) const {
    OwnColumn<T> own;
    std::uint32_t term = 0;
    const Offset first = members.row_ptr[i];
    for (Offset m = first; m < members.row_ptr[i + 1]; ++m) {
      if (terms > own.parts && (m - first) % own.parts == 0) term = 0;
      const Index row = members.col[m];
      for (Offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k, ++term) {
        const Index to = column_of(row, k);
        if (to == static_cast<Index>(i))
          own.add(term, val[k]);
        else if (to >= 0)
          f(to, val[k]);
      }
    }
    if (own.has_terms) f(static_cast<Index>(i), own.total());
  }

  /// Adds v to column j of a sorted row of n columns. Returns the new number of columns. Columns come nearly in order.
  OSTINATO_FUNCTION static std::uint32_t insert(Index* c, T* s, std::uint32_t n, Index j, T v) {
    std::uint32_t p = n;
    while (p > 0 && c[p - 1] > j) --p;
    if (p > 0 && c[p - 1] == j) {
      s[p - 1] += v;
      return n;
    }
    for (std::uint32_t q = n; q > p; --q) {
      c[q] = c[q - 1];
      s[q] = s[q - 1];
    }
    c[p] = j;
    s[p] = v;
    return n + 1;
  }

  /// Where a column is in the table, or where it goes.
  OSTINATO_FUNCTION static std::uint32_t place_of(const Index* c, std::uint32_t places, Index j) {
    const std::uint64_t mixed = static_cast<std::uint32_t>(j) * 2654435769u;
    auto p = static_cast<std::uint32_t>(mixed * places >> 32);
    while (c[p] >= 0 && c[p] != j) p = p + 1 == places ? 0 : p + 1;
    return p;
  }

  /// Sorts by column. Few columns are sorted by insertion: the first gap is then 1.
  /// Source    Shell sort with the gaps of Knuth.
  OSTINATO_FUNCTION static void sort(Index* c, T* s, std::uint32_t n) {
    std::uint32_t gap = 1;
    while (9 * gap < n) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
      for (std::uint32_t p = gap; p < n; ++p) {
        const Index j = c[p];
        const T v = s[p];
        std::uint32_t q = p;
        for (; q >= gap && c[q - gap] > j; q -= gap) {
          c[q] = c[q - gap];
          s[q] = s[q - gap];
        }
        c[q] = j;
        s[q] = v;
      }
    }
  }
};

/// Moves row i from its table into the matrix.
template <class T>
struct MoveRow {
  const Offset* begin;
  const Index* col_from;
  const T* val_from;
  const Offset* row_ptr;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { move(i, 0, 1); }

  /// Moves every `lanes`-th entry.
  OSTINATO_FUNCTION void move(std::size_t i, int lane, int lanes) const {
    const Offset shift = begin[i] - row_ptr[i];
    for (Offset k = row_ptr[i] + lane; k < row_ptr[i + 1]; k += lanes) {
      col[k] = col_from[k + shift];
      val[k] = val_from[k + shift];
    }
  }
};

/// coarse[i] = the sum of the elements of group i
struct SumGroup {
  detail::CsrPattern members;
  const float* fine;
  float* coarse;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    float total = 0;
    for (Offset m = members.row_ptr[i]; m < members.row_ptr[i + 1]; ++m) total += fine[members.col[m]];
    coarse[i] = total;
  }
};

/// fine[i] += the element of the group of row i;  residual = b
struct AddOfGroup {
  const Index* group;
  const float* coarse;
  float* fine;
  const float* b;
  float* residual;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (group[i] >= 0) fine[i] += coarse[group[i]];
    residual[i] = b[i];
  }
};

}  // namespace ostinato::algebraic

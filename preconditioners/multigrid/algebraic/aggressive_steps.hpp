// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of aggressive.hpp, on both spaces.

#include <cstddef>
#include <cstdint>

#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/interpolation_steps.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::algebraic {

/// The strong entries of a matrix after a first splitting.
struct FirstSplit {
  detail::CsrPattern a;
  const std::uint8_t* strong;
  const std::int32_t* split;
  const Offset* number;  ///< of each coarse row
};

/// Counts the rows that coarse row i depends on, and itself.
struct CountReached {
  FirstSplit m;
  Offset* count;  ///< for each coarse row

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (m.split[i] != coarse) return;
    Offset reached = 1;
    for (Offset k = m.a.row_ptr[i]; k < m.a.row_ptr[i + 1]; ++k) reached += m.strong[k];
    count[m.number[i]] = reached;
  }
};

/// Lists the rows that coarse row i depends on, and itself, ascending.
template <class T>
struct FillReached {
  FirstSplit m;
  const Offset* row_ptr;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (m.split[i] != coarse) return;
    Offset to = row_ptr[m.number[i]];
    const auto own = static_cast<Index>(i);
    bool is_listed = false;
    for (Offset k = m.a.row_ptr[i]; k < m.a.row_ptr[i + 1]; ++k) {
      if (!is_listed && m.a.col[k] >= own) {
        is_listed = true;
        put(to++, own);
      }
      if (m.strong[k]) put(to++, m.a.col[k]);
    }
    if (!is_listed) put(to, own);
  }
  OSTINATO_FUNCTION void put(Offset to, Index column) const {
    col[to] = column;
    val[to] = T{1};
  }
};

/// Counts the coarse rows that row i depends on; itself for a coarse row.
struct CountFirstCoarse {
  FirstSplit m;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset found = m.split[i] == coarse ? 1 : 0;
    for (Offset k = m.a.row_ptr[i]; k < m.a.row_ptr[i + 1]; ++k)
      found += m.split[i] != coarse && m.strong[k] && m.split[m.a.col[k]] == coarse;
    count[i] = found;
  }
};

template <class T>
struct FillFirstCoarse {
  FirstSplit m;
  const Offset* row_ptr;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset to = row_ptr[i];
    if (m.split[i] == coarse) {
      col[to] = static_cast<Index>(m.number[i]);
      val[to] = T{1};
      return;
    }
    for (Offset k = m.a.row_ptr[i]; k < m.a.row_ptr[i + 1]; ++k) {
      const Index j = m.a.col[k];
      if (!m.strong[k] || m.split[j] != coarse) continue;
      col[to] = static_cast<Index>(m.number[j]);
      val[to++] = T{1};
    }
  }
};

/// Keeps of the coarse rows those of the second splitting, and those that no path joins with another, unless three
/// strong entries lead from such a row to one of the second splitting. That leaves a tenth fewer rows where the strong
/// entries form lines.
struct KeepSecond {
  detail::CsrPattern a;
  const std::uint8_t* strong;
  const Offset* number;        ///< of the first splitting
  const std::int32_t* second;  ///< for each coarse row of the first
  const Offset* paths;         ///< row pointers of the coarse rows that paths reach, with the row itself
  std::int32_t* split;         ///< of the first, becomes that of both

  static constexpr Offset longest = 8;  ///< rows that three entries are followed from; longer ones have many paths

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (split[i] != coarse) return;
    const Offset at = number[i];
    if (second[at] == coarse) return;
    const bool is_alone = paths[at + 1] - paths[at] <= 1;
    if (!is_alone || leads_to_second<3>(static_cast<Index>(i))) split[i] = fine;
  }

 private:
  /// Whether `Steps` strong entries lead from row i to a row of the second splitting.
  template <int Steps>
  OSTINATO_FUNCTION bool leads_to_second(Index i) const {
    if constexpr (Steps == 0) {
      return number[i + 1] > number[i] && second[number[i]] == coarse;
    } else {
      if (a.row_ptr[i + 1] - a.row_ptr[i] > longest) return false;
      for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        if (strong[k] && leads_to_second<Steps - 1>(a.col[k])) return true;
      return false;
    }
  }
};

/// A pass of the interpolation: coarse rows are done in pass 0, a fine row in the pass after that of the first row that
/// it depends on; not_done for rows that aren't done yet.
enum Pass : std::int32_t { not_done = -1 };

/// Rows of at most `most` entries each, at fixed places, and the pass in which each of them is done.
template <class T>
struct HeldRows {
  Offset most;
  std::int32_t* pass;
  Index *length, *col;
  T* val;

  OSTINATO_FUNCTION Offset begin(std::size_t i) const { return static_cast<Offset>(i) * most; }
};

/// A coarse row holds a 1 for itself, the other rows nothing yet.
template <class T>
struct BeginRows {
  const std::int32_t* split;
  const Offset* number;
  HeldRows<T> rows;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const bool is_coarse = split[i] == coarse;
    rows.pass[i] = is_coarse ? 0 : not_done;
    rows.length[i] = is_coarse ? 1 : 0;
    if (!is_coarse) return;
    rows.col[rows.begin(i)] = static_cast<Index>(number[i]);
    rows.val[rows.begin(i)] = T{1};
  }
};

/// Does the rows of a pass: those that depend on a row of an earlier one. The terms of an entry are added in the order
/// of the row of A, the entries are then truncated. What a row takes is collected in a table; columns that don't fit
/// count for the sum of the row alone.
template <class Atomic, class T>
struct InterpolatePass {
  detail::CsrPattern a;
  const T* a_val;
  const std::uint8_t* strong;
  std::int32_t now;
  HeldRows<T> rows;
  double* all;  ///< over all passes: values that aren't finite

  static constexpr Index places = 64;

  /// Rows of this pass, values that aren't finite.
  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    if (Atomic::load(&rows.pass[i]) != not_done) return {};
    T diagonal = 0, others = 0, read = 0;
    bool is_in_pass = false;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (a.col[k] == static_cast<Index>(i)) {
        diagonal = a_val[k];
        continue;
      }
      others += a_val[k];
      if (!is_source(k)) continue;
      is_in_pass = true;
      read += a_val[k];
    }
    if (!is_in_pass) return {};
    // Entries of the other sign may cancel what the row reads.
    const T share = others / read;
    const Sums<2> found = fill(i, diagonal == 0 ? T{0} : (share > 0 && share < 1000 ? share : T{1}) / -diagonal);
    Atomic::store(&rows.pass[i], now);
    return found;
  }

  OSTINATO_FUNCTION void finish(const Sums<2>& of_pass) const { all[0] += of_pass.v[1]; }

 private:
  OSTINATO_FUNCTION bool is_source(Offset k) const {
    if (!strong[k]) return false;
    const std::int32_t of_j = Atomic::load(&rows.pass[a.col[k]]);
    return of_j != not_done && of_j < now;
  }

  OSTINATO_FUNCTION Sums<2> fill(std::size_t i, T scale) const {
    Index col[places];
    T val[places];
    Index held = 0;
    T rest = 0;  // what doesn't fit
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (a.col[k] == static_cast<Index>(i) || !is_source(k)) continue;
      const auto j = static_cast<std::size_t>(a.col[k]);
      const T weight = a_val[k] * scale;
      for (Offset q = rows.begin(j); q < rows.begin(j) + rows.length[j]; ++q) {
        const T term = weight * rows.val[q];
        if (!add(col, val, held, rows.col[q], term)) rest += term;
      }
    }
    if (rest != 0) scale_to(val, held, rest);
    double bad = 0;
    for (Index e = 0; e < held; ++e) bad += val[e] - val[e] == T{0} ? 0.0 : 1.0;
    const Index kept = held < rows.most ? held : static_cast<Index>(rows.most);
    KeepLargest<T>::keep(col, val, held, kept, rows.col + rows.begin(i), rows.val + rows.begin(i));
    rows.length[i] = kept;
    return {{1, bad}};
  }

  /// Scales n values so that their sum grows by `rest`.
  OSTINATO_FUNCTION static void scale_to(T* val, Index n, T rest) {
    T sum = 0;
    for (Index e = 0; e < n; ++e) sum += val[e];
    const T factor = factor_of_kept(sum + rest, sum);
    for (Index e = 0; e < n; ++e) val[e] *= factor;
  }

  /// Adds a term of column j to a sorted row of n columns. Says whether there was room.
  OSTINATO_FUNCTION static bool add(Index* col, T* val, Index& n, Index j, T v) {
    Index p = n;
    while (p > 0 && col[p - 1] > j) --p;
    if (p > 0 && col[p - 1] == j) {
      val[p - 1] += v;
      return true;
    }
    if (n == places) return false;
    for (Index q = n++; q > p; --q) {
      col[q] = col[q - 1];
      val[q] = val[q - 1];
    }
    col[p] = j;
    val[p] = v;
    return true;
  }
};

/// Counts the entries of row i.
struct CountHeld {
  const Index* length;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { count[i] = length[i]; }
};

/// Moves row i into a matrix.
template <class T>
struct TakeHeld {
  HeldRows<T> rows;
  const Offset* row_ptr;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    for (Offset k = row_ptr[i], from = rows.begin(i); k < row_ptr[i + 1]; ++k, ++from) {
      col[k] = rows.col[from];
      val[k] = rows.val[from];
    }
  }
};

}  // namespace ostinato::algebraic

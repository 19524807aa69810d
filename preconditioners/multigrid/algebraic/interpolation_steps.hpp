// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of interpolation.hpp, on both spaces. P is the product of two matrices: the sources, which hold what a
// row takes from coarse rows at once, and the spread, which adds what a fine row takes from other fine rows. The row of
// a coarse row holds a 1 in both.

#include <cstddef>
#include <cstdint>

#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato/preconditioners/signs.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::algebraic {

/// A matrix with its strong entries and its splitting.
template <class T>
struct SplitMatrix {
  detail::CsrPattern a;
  const T* val;
  const std::uint8_t* strong;
  const std::int32_t* split;
  const Offset* number;  ///< of each coarse row on the coarse grid
};

/// Sums over the entries of a row i: beta[i] of the strong coarse ones, weak[i] of the diagonal and those that aren't
/// strong. Copies the diagonal. Counts the entries of the row of the spread and of the sources.
template <class T>
struct SumParts {
  SplitMatrix<T> m;
  T *beta, *weak, *diagonal;
  Offset *spread_count, *source_count;

  struct Value {
    T coarse_sum = 0, weak_sum = 0, own = 0;
    Index coarse_count = 0, fine_count = 0;
  };

  OSTINATO_FUNCTION Value initial(std::size_t) const { return {}; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const {
    return {m.a.row_ptr[i], m.a.row_ptr[i + 1]};
  }
  OSTINATO_FUNCTION void add(std::size_t i, Offset k, Value& row) const {
    if (!m.strong[k]) {
      row.weak_sum += m.val[k];
      if (m.a.col[k] == static_cast<Index>(i)) row.own = m.val[k];
    } else if (m.split[m.a.col[k]] == coarse) {
      row.coarse_sum += m.val[k];
      ++row.coarse_count;
    } else {
      ++row.fine_count;
    }
  }
  OSTINATO_FUNCTION void merge(Value& row, const Value& other) const {
    row.coarse_sum += other.coarse_sum;
    row.weak_sum += other.weak_sum;
    row.own += other.own;
    row.coarse_count += other.coarse_count;
    row.fine_count += other.fine_count;
  }
  OSTINATO_FUNCTION void finish(std::size_t i, const Value& row) const {
    beta[i] = row.coarse_sum;
    weak[i] = row.weak_sum;
    diagonal[i] = row.own;
    const bool is_coarse = m.split[i] == coarse;
    spread_count[i] = is_coarse ? 1 : row.coarse_count + row.fine_count > 0 ? row.fine_count + 1 : 0;
    source_count[i] = is_coarse ? 1 : row.coarse_count;
  }
};

/// Row i of the sources: the strong coarse entries.
template <class T>
struct FillSources {
  SplitMatrix<T> m;
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
      val[to++] = m.val[k];
    }
  }
};

/// Row i of the spread: -1 / theta for itself and -v_ij / theta for each strong fine column j, where v_ij = a_ij /
/// (beta_j + a_ji) and theta is the weak sum and the sum of a_ji v_ij. An a_ji with the sign of the diagonal of row j
/// counts as 0.
template <class T>
struct FillSpread {
  SplitMatrix<T> m;
  const T *beta, *weak, *diagonal;
  const Offset* row_ptr;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset begin = row_ptr[i], end = row_ptr[i + 1];
    if (begin == end) return;
    if (m.split[i] == coarse) {
      col[begin] = static_cast<Index>(i);
      val[begin] = T{1};
      return;
    }
    T theta = weak[i];
    Offset to = begin, own = -1;
    for (Offset k = m.a.row_ptr[i]; k < m.a.row_ptr[i + 1]; ++k) {
      const Index j = m.a.col[k];
      const bool is_own = j == static_cast<Index>(i);
      if (own < 0 && j >= static_cast<Index>(i)) {
        own = to;
        col[to++] = static_cast<Index>(i);
      }
      if (is_own || !m.strong[k] || m.split[j] == coarse) continue;
      const T back = entry(j, static_cast<Index>(i)), denominator = beta[j] + back;
      const T v = denominator == 0 ? T{0} : m.val[k] / denominator;
      theta += denominator == 0 ? m.val[k] : back * v;
      col[to] = j;
      val[to++] = v;
    }
    if (own < 0) {
      own = to;
      col[to] = static_cast<Index>(i);
    }
    if (!have_same_sign(theta, diagonal[i])) theta = diagonal[i];
    const T scale = theta == 0 ? T{0} : T{-1} / theta;
    val[own] = T{1};
    for (Offset k = begin; k < end; ++k) val[k] *= scale;
  }

  /// a_ji where its sign is opposite to that of the diagonal of row j, otherwise 0.
  OSTINATO_FUNCTION T entry(Index j, Index i) const {
    const Offset k = m.a.first_from(j, i);
    return k < m.a.row_ptr[j + 1] && m.a.col[k] == i && have_opposite_signs(m.val[k], diagonal[j]) ? m.val[k] : T{0};
  }
};

/// The number of entries of a row that truncation keeps.
struct CountKept {
  const Offset* row_ptr;
  Offset most;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset all = row_ptr[i + 1] - row_ptr[i];
    count[i] = all < most ? all : most;
  }
};

/// A truncated row keeps the sum of the row. Returns the factor for its entries, whose sum is `kept`; 1 where they
/// cancel each other, so that they stay as they are.
template <class T>
OSTINATO_FUNCTION T factor_of_kept(T total, T kept) {
  const T factor = total / kept;
  return factor > 0 && factor < 10 ? factor : T{1};
}

/// Keeps the largest entries of a row, those with smaller columns first among equals, and scales them so that the sum
/// of the row stays. The sum counts the entries of the row that aren't finite: such a row has no use.
template <class T>
struct KeepLargest {
  static constexpr Offset capacity = 16;

  const Offset* from_ptr;
  const Index* from_col;
  const T* from_val;
  const Offset* row_ptr;  ///< at most `capacity` entries a row
  Index* col;
  T* val;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const Offset from = from_ptr[i], to = row_ptr[i];
    keep(from_col + from, from_val + from, from_ptr[i + 1] - from, row_ptr[i + 1] - to, col + to, val + to);
    Index bad = 0;
    for (Offset k = from; k < from_ptr[i + 1]; ++k) bad += !(from_val[k] - from_val[k] == T{0});
    return {{static_cast<double>(bad)}};
  }

  /// Keeps `count` of `all` entries.
  OSTINATO_FUNCTION static void keep(const Index* from_col, const T* from_val, Offset all, Offset count, Index* col,
                                     T* val) {
    if (count == all) {
      for (Offset k = 0; k < all; ++k) {
        col[k] = from_col[k];
        val[k] = from_val[k];
      }
      return;
    }
    T total = 0, kept = 0, smallest = least_kept(from_val, all, count);
    Offset larger = 0;
    for (Offset k = 0; k < all; ++k) larger += magnitude(from_val[k]) > smallest;
    Offset equal = count - larger, at = 0;
    for (Offset k = 0; k < all; ++k) {
      const T v = from_val[k], size = magnitude(v);
      total += v;
      if (!(size > smallest || (size == smallest && equal-- > 0))) continue;
      kept += v;
      col[at] = from_col[k];
      val[at++] = v;
    }
    const T factor = factor_of_kept(total, kept);
    for (Offset k = 0; k < at; ++k) val[k] *= factor;
  }

  /// The size of the count-th largest entry.
  OSTINATO_FUNCTION static T least_kept(const T* from_val, Offset all, Offset count) {
    T largest[capacity];
    Offset held = 0;
    for (Offset k = 0; k < all; ++k) {
      const T size = magnitude(from_val[k]);
      if (held == count && !(size > largest[held - 1])) continue;
      Offset p = held < count ? held++ : held - 1;
      for (; p > 0 && largest[p - 1] < size; --p) largest[p] = largest[p - 1];
      largest[p] = size;
    }
    return largest[count - 1];
  }
  OSTINATO_FUNCTION static T magnitude(T v) { return v < 0 ? -v : v; }
};

}  // namespace ostinato::algebraic

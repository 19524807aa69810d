// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of coarsening.hpp, on both spaces. A row depends on the columns of its strong entries. A row is coarse
// when the coarse grid has an unknown for it, otherwise fine.

#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::algebraic {

/// What is decided of a row.
enum Split : std::int32_t { undecided = 0, coarse = 1, fine = 2 };

/// Marks the strong entries of row i: those with the sign opposite to the diagonal and more than `threshold` times the
/// largest of them. Where no entry has that sign, the absolute values count. A row whose sum is more than `largest_sum`
/// times its diagonal has none: the smoother does for such a row.
template <class T>
struct MarkStrong {
  detail::CsrPattern a;
  const T* val;
  T threshold, largest_sum;
  std::uint8_t* strong;  ///< one for each entry of A

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T diagonal = 0, total = 0, least = 0, most = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const T v = val[k];
      total += v;
      if (a.col[k] == static_cast<Index>(i)) {
        diagonal = v;
      } else {
        least = v < least ? v : least;
        most = v > most ? v : most;
      }
    }
    const bool negative = diagonal < 0;
    T opposite = negative ? most : -least;
    const T same = negative ? -least : most;
    const bool by_size = opposite == 0;
    if (by_size) opposite = same;
    const bool dominant = magnitude(total) > largest_sum * magnitude(diagonal);
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const T size = by_size ? magnitude(val[k]) : negative ? val[k] : -val[k];
      strong[k] = !dominant && opposite > 0 && a.col[k] != static_cast<Index>(i) && size > threshold * opposite;
    }
  }

  OSTINATO_FUNCTION static T magnitude(T v) { return v < 0 ? -v : v; }
};

/// Marks the entries of row i that aren't on the diagonal.
struct MarkBeside {
  detail::CsrPattern a;
  std::uint8_t* strong;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) strong[k] = a.col[k] != static_cast<Index>(i);
  }
};

/// Counts the rows that depend on each column.
template <class Atomic>
struct CountDependent {
  detail::CsrPattern a;
  const std::uint8_t* strong;
  std::int32_t* dependent;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (strong[k]) Atomic::add(&dependent[a.col[k]], std::int32_t{1});
  }
};

/// Rows on which none depends are fine. No row is beaten in round 0.
struct BeginSplit {
  const std::int32_t* dependent;
  std::int32_t *split, *beaten;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    split[i] = dependent[i] == 0 ? fine : undecided;
    beaten[i] = 0;
  }
};

/// The order of the rows: more dependent rows first, then by a hash of the row, so that neighbours of the same count
/// aren't taken in the order of their numbers. It is the same on both spaces.
struct Rank {
  const std::int32_t* dependent;

  OSTINATO_FUNCTION static std::uint32_t hash(std::uint32_t i) {
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
  }
  OSTINATO_FUNCTION bool less(Index i, Index j) const {
    if (dependent[i] != dependent[j]) return dependent[i] < dependent[j];
    const std::uint32_t p = hash(static_cast<std::uint32_t>(i)), q = hash(static_cast<std::uint32_t>(j));
    return p != q ? p < q : i < j;
  }
};

/// Marks those undecided rows that have an undecided neighbour of a higher rank. `beaten` holds the round in which a
/// row was beaten last.
template <class Atomic>
struct MarkBeaten {
  detail::CsrPattern a;
  const std::uint8_t* strong;
  Rank rank;
  const std::int32_t* split;
  std::int32_t round;
  std::int32_t* beaten;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (split[i] != undecided) return;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const Index j = a.col[k];
      if (strong[k] && split[j] == undecided)
        Atomic::store(&beaten[rank.less(static_cast<Index>(i), j) ? static_cast<Index>(i) : j], round);
    }
  }
};

/// Makes undecided rows coarse that no neighbour has beaten.
struct TakeCoarse {
  const std::int32_t* beaten;
  std::int32_t round;
  std::int32_t* split;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (split[i] == undecided && beaten[i] != round) split[i] = coarse;
  }
};

/// Makes undecided rows fine that depend on a coarse one. The sum counts the rows that stay undecided.
template <class Atomic>
struct TakeFine {
  detail::CsrPattern a;
  const std::uint8_t* strong;
  std::int32_t* split;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    if (Atomic::load(&split[i]) != undecided) return {{0}};
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (!strong[k] || Atomic::load(&split[a.col[k]]) != coarse) continue;
      Atomic::store(&split[i], std::int32_t{fine});
      return {{0}};
    }
    return {{1}};
  }
};

/// Counts for the numbers of the coarse rows.
struct CountCoarse {
  const std::int32_t* split;
  Offset* number;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { number[i] = split[i] == coarse ? 1 : 0; }
};

}  // namespace ostinato::algebraic

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of coarsening.hpp, on both spaces. A row depends on the columns of its strong entries. A row is coarse
// when the coarse grid has an unknown for it, otherwise fine.

#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/base/hash.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>
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

  struct Value {
    T diagonal = 0, total = 0, least = 0, most = 0;

    OSTINATO_FUNCTION bool by_size() const { return (diagonal < 0 ? most : -least) == 0; }
    /// The size of an entry off the diagonal; that of the largest of them for `opposite`.
    OSTINATO_FUNCTION T size_of(T v) const { return by_size() ? magnitude(v) : diagonal < 0 ? v : -v; }
    OSTINATO_FUNCTION T opposite() const { return by_size() == (diagonal < 0) ? -least : most; }
  };

  OSTINATO_FUNCTION Value initial(std::size_t) const { return {}; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const { return {a.row_ptr[i], a.row_ptr[i + 1]}; }
  OSTINATO_FUNCTION void add(std::size_t i, Offset k, Value& row) const {
    const T v = val[k];
    row.total += v;
    if (a.col[k] == static_cast<Index>(i)) {
      row.diagonal = v;
    } else {
      row.least = v < row.least ? v : row.least;
      row.most = v > row.most ? v : row.most;
    }
  }
  OSTINATO_FUNCTION void merge(Value& row, const Value& other) const {
    row.total += other.total;
    row.diagonal += other.diagonal;
    row.least = other.least < row.least ? other.least : row.least;
    row.most = other.most > row.most ? other.most : row.most;
  }
  OSTINATO_FUNCTION void each(std::size_t i, Offset k, const Value& row) const {
    const bool dominant = magnitude(row.total) > largest_sum * magnitude(row.diagonal);
    strong[k] = !dominant && row.opposite() > 0 && a.col[k] != static_cast<Index>(i) &&
                row.size_of(val[k]) > threshold * row.opposite();
  }
  OSTINATO_FUNCTION void finish(std::size_t, const Value&) const {}

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

  OSTINATO_FUNCTION bool less(Index i, Index j) const {
    if (dependent[i] != dependent[j]) return dependent[i] < dependent[j];
    const std::uint32_t p = detail::hash(static_cast<std::uint32_t>(i)),
                        q = detail::hash(static_cast<std::uint32_t>(j));
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

  using Value = std::int32_t;  ///< split[i]

  OSTINATO_FUNCTION Value initial(std::size_t i) const { return split[i]; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, Value own) const {
    return own == undecided ? EntryRange{a.row_ptr[i], a.row_ptr[i + 1]} : EntryRange{0, 0};
  }
  OSTINATO_FUNCTION void add(std::size_t i, Offset k, Value&) const {
    const Index j = a.col[k];
    if (strong[k] && split[j] == undecided)
      Atomic::store(&beaten[rank.less(static_cast<Index>(i), j) ? static_cast<Index>(i) : j], round);
  }
  OSTINATO_FUNCTION void merge(Value&, Value) const {}
  OSTINATO_FUNCTION void finish(std::size_t, Value) const {}
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

  using Value = std::int32_t;  ///< what is decided of the row

  OSTINATO_FUNCTION Value initial(std::size_t i) const { return Atomic::load(&split[i]); }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, Value own) const {
    return own == undecided ? EntryRange{a.row_ptr[i], a.row_ptr[i + 1]} : EntryRange{0, 0};
  }
  OSTINATO_FUNCTION void add(std::size_t, Offset k, Value& own) const {
    if (own == undecided && strong[k] && Atomic::load(&split[a.col[k]]) == coarse) own = fine;
  }
  OSTINATO_FUNCTION void merge(Value& own, Value other) const {
    if (other == fine) own = fine;
  }
  OSTINATO_FUNCTION Sums<1> finish(std::size_t i, Value own) const {
    if (own == fine) Atomic::store(&split[i], std::int32_t{fine});
    return {{own == undecided ? 1.0 : 0.0}};
  }
};

/// Counts for the numbers of the coarse rows.
struct CountCoarse {
  const std::int32_t* split;
  Offset* number;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { number[i] = split[i] == coarse ? 1 : 0; }
};

}  // namespace ostinato::algebraic

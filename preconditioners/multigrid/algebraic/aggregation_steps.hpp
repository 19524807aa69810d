// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of aggregation.hpp, on both spaces.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::algebraic {

/// to[k] = (factor val[k])^2
template <class T>
struct SquareValues {
  T factor;
  const T* val;
  T* to;

  OSTINATO_FUNCTION void operator()(std::size_t k) const {
    const T v = factor * val[k];
    to[k] = v * v;
  }
};

/// Which entries couple two points.
enum class Coupling : std::uint8_t {
  any,
  opposite,  ///< those of the sign opposite to the diagonal: others hold points apart
};

/// The squares of the norms of the blocks of A that may count: of (factor a_ij) where a point has one unknown. The sign
/// of the factor is that of the diagonal.
template <class T>
struct BlockSquares {
  const T* val;
  double factor;
  bool are_squares;  ///< the values are those squares
  Coupling coupling;

  OSTINATO_FUNCTION double operator()(Offset k) const {
    if (are_squares) return rounded(static_cast<double>(val[k]));
    const double v = factor * static_cast<double>(val[k]);
    return coupling == Coupling::opposite && v > 0 ? 0 : v * v;
  }

 private:
  /// A sum of squares with 16 bits in its mantissa. Sums that are equal but for rounding, as on a regular grid, are
  /// nearly always equal then: decisions between them hardly hang on the order in which they were added up.
  OSTINATO_FUNCTION static double rounded(double sum) {
    constexpr std::uint64_t last = std::uint64_t{1} << 36;  // of the bits that stay
    std::uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bits = (bits + last / 2) & ~(last - 1);
    memcpy(&sum, &bits, sizeof bits);
    return sum;
  }
};

/// size[i] = the largest |a_ij| with another point j, or 0
template <class T>
struct LargestBeside {
  static constexpr bool visits_most_rows = true;

  detail::CsrPattern graph;
  BlockSquares<T> square;
  T* size;

  struct Value {
    double most;
  };
  struct Entry {
    Index col;
    double square;
  };

  OSTINATO_FUNCTION Value initial(std::size_t) const { return {0}; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const {
    return {graph.row_ptr[i], graph.row_ptr[i + 1]};
  }
  OSTINATO_FUNCTION Entry load(std::size_t, Offset k) const { return {graph.col[k], square(k)}; }
  OSTINATO_FUNCTION void take(std::size_t i, const Entry& e, Value& v) const {
    if (e.col != static_cast<Index>(i) && e.square > v.most) v.most = e.square;
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const {
    if (other.most > v.most) v.most = other.most;
  }
  OSTINATO_FUNCTION void finish(std::size_t i, const Value& v) const { size[i] = static_cast<T>(sqrt(v.most)); }
};

/// What is decided of a point, as a number: `left_out` of the roots, `root`, or the point's rank in this round.
struct RootKey {
  static constexpr std::uint32_t left_out = 0, root = 0xffffffffu;

  /// The rank of an undecided point in a round: a hash, so that no chain of points waits for its end from round to
  /// round.
  OSTINATO_FUNCTION static std::uint32_t rank(std::size_t i, int round) {
    const std::uint32_t hash = detail::hash(static_cast<std::uint32_t>(i) + 0x9e3779b9u * static_cast<unsigned>(round));
    return hash >> 1 | 1;
  }
};

/// A point with its key, in the order of the keys; the number decides between equals.
struct KeyedPoint {
  static constexpr std::uint64_t unknown = std::uint64_t{1} << 32;

  OSTINATO_FUNCTION static std::uint64_t of(std::uint32_t key, Index i) {
    return static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint32_t>(i);
  }
  OSTINATO_FUNCTION static std::uint32_t key(std::uint64_t point) { return static_cast<std::uint32_t>(point >> 32); }
  OSTINATO_FUNCTION static Index number(std::uint64_t point) { return static_cast<Index>(point & 0xffffffffu); }
};

/// Finds the strong entries of point i: |a_ij|^2 > threshold^2 m_i m_j, where m_i is the largest |a_ij|. Points without
/// a strong neighbour belong to no aggregate.
template <class T>
struct FindStrongPairs {
  static constexpr bool visits_most_rows = true;

  detail::CsrPattern graph;
  BlockSquares<T> square;
  const T* size;  ///< m_i for each point
  double threshold;
  Index* strong;  ///< the column of a strong entry, and the row of any other
  std::uint32_t* key;
  std::uint64_t* nearest;  ///< begins for FindNearest

  struct Value {
    double limit;
    std::int32_t is_coupled, unused;
  };
  struct Entry {
    Offset k;
    Index col;
    double square, other;
  };

  OSTINATO_FUNCTION Value initial(std::size_t i) const {
    return {threshold * threshold * static_cast<double>(size[i]), 0, 0};
  }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const {
    return {graph.row_ptr[i], graph.row_ptr[i + 1]};
  }
  OSTINATO_FUNCTION Entry load(std::size_t, Offset k) const {
    const Index j = graph.col[k];
    return {k, j, square(k), static_cast<double>(size[j])};
  }
  OSTINATO_FUNCTION void take(std::size_t i, const Entry& e, Value& v) const {
    const auto row = static_cast<Index>(i);
    const bool is_strong = e.col != row && e.square > v.limit * e.other;
    strong[e.k] = is_strong ? e.col : row;
    if (is_strong) v.is_coupled = 1;
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const { v.is_coupled |= other.is_coupled; }
  OSTINATO_FUNCTION void finish(std::size_t i, const Value& v) const {
    key[i] = v.is_coupled != 0 ? RootKey::rank(i, 0) : RootKey::left_out;
    nearest[i] = KeyedPoint::unknown;
  }
};

/// nearest[i] = the point of the highest key among point i and its strong neighbours. A root is final, and so is a
/// point that is left out.
struct FindNearest {
  static constexpr bool visits_most_rows = true;

  detail::CsrPattern graph;  ///< its columns are those of FindStrongPairs
  const std::uint32_t* key;
  std::uint64_t* nearest;

  struct Value {
    std::uint64_t highest;
  };

  OSTINATO_FUNCTION Value initial(std::size_t i) const {
    const std::uint64_t before = nearest[i];
    return {is_final(before) ? before : KeyedPoint::of(key[i], static_cast<Index>(i))};
  }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const {
    return {graph.row_ptr[i], is_final(nearest[i]) ? graph.row_ptr[i] : graph.row_ptr[i + 1]};
  }
  OSTINATO_FUNCTION std::uint64_t load(std::size_t, Offset k) const {
    const Index j = graph.col[k];
    return KeyedPoint::of(key[j], j);
  }
  OSTINATO_FUNCTION void take(std::size_t, std::uint64_t other, Value& v) const {
    if (other > v.highest) v.highest = other;
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const { take(0, other.highest, v); }
  OSTINATO_FUNCTION void finish(std::size_t i, const Value& v) const { nearest[i] = v.highest; }

 private:
  OSTINATO_FUNCTION static bool is_final(std::uint64_t point) {
    return KeyedPoint::key(point) == RootKey::root || KeyedPoint::key(point) == RootKey::left_out;
  }
};

/// Makes an undecided point a root whose key is the highest within two steps, leaves out one with a root so near, and
/// gives the others the rank of the next round. The sum counts these.
struct DecideRoots {
  static constexpr bool visits_most_rows = true;

  detail::CsrPattern graph;      ///< its columns are those of FindStrongPairs
  const std::uint64_t* nearest;  ///< from FindNearest in this round
  int round;
  std::uint32_t* key;

  using Value = FindNearest::Value;

  OSTINATO_FUNCTION Value initial(std::size_t i) const { return {nearest[i]}; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const {
    return {graph.row_ptr[i], is_undecided(i) ? graph.row_ptr[i + 1] : graph.row_ptr[i]};
  }
  OSTINATO_FUNCTION std::uint64_t load(std::size_t, Offset k) const { return nearest[graph.col[k]]; }
  OSTINATO_FUNCTION void take(std::size_t, std::uint64_t other, Value& v) const {
    if (other > v.highest) v.highest = other;
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const { take(0, other.highest, v); }
  OSTINATO_FUNCTION Sums<1> finish(std::size_t i, const Value& v) const {
    if (!is_undecided(i)) return {{0}};
    if (KeyedPoint::key(v.highest) == RootKey::root) {
      key[i] = RootKey::left_out;
      return {{0}};
    }
    const bool is_highest = KeyedPoint::number(v.highest) == static_cast<Index>(i);
    key[i] = is_highest ? RootKey::root : RootKey::rank(i, round + 1);
    return {{is_highest ? 0.0 : 1.0}};
  }

 private:
  OSTINATO_FUNCTION bool is_undecided(std::size_t i) const {
    return key[i] != RootKey::root && key[i] != RootKey::left_out;
  }
};

/// Counts for the numbers of the aggregates.
struct CountRoots {
  const std::uint32_t* key;
  Offset* number;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { number[i] = key[i] == RootKey::root ? 1 : 0; }
};

/// A root and its neighbours form an aggregate. aggregate[i] is -1 for the other points.
struct JoinRoot {
  static constexpr bool visits_most_rows = true;

  detail::CsrPattern graph;  ///< its columns are those of FindStrongPairs
  const std::uint32_t* key;
  const Offset* number;
  Index* aggregate;

  struct Value {
    Index nearest;
  };
  struct Entry {
    Index col;
    std::uint32_t key;
  };

  OSTINATO_FUNCTION Value initial(std::size_t i) const {
    return {key[i] == RootKey::root ? static_cast<Index>(i) : nobody};
  }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value& v) const {
    return {graph.row_ptr[i], v.nearest == nobody ? graph.row_ptr[i + 1] : graph.row_ptr[i]};
  }
  OSTINATO_FUNCTION Entry load(std::size_t, Offset k) const {
    const Index j = graph.col[k];
    return {j, key[j]};
  }
  OSTINATO_FUNCTION void take(std::size_t, const Entry& e, Value& v) const {
    if (e.key == RootKey::root && e.col < v.nearest) v.nearest = e.col;
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const {
    if (other.nearest < v.nearest) v.nearest = other.nearest;
  }
  OSTINATO_FUNCTION void finish(std::size_t i, const Value& v) const {
    aggregate[i] = v.nearest == nobody ? -1 : static_cast<Index>(number[v.nearest]);
  }

 private:
  static constexpr Index nobody = 0x7fffffff;
};

/// Points that no root is beside join the aggregate to which their strong entries have the largest sum, the one of the
/// lowest number among equals. Of a point beside very many aggregates those of the lowest numbers are tried, so that
/// the time stays proportional to its entries.
template <class T>
struct JoinStrongest {
  detail::CsrPattern graph;  ///< its columns are those of FindStrongPairs
  BlockSquares<T> square;
  const Index* before;  ///< aggregate of each point, or -1
  Index* aggregate;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (before[i] >= 0) {
      aggregate[i] = before[i];
      return;
    }
    Candidate best{-1, -1};
    Index tried = -1;
    if (graph.length(i) <= few) {
      aggregate[i] = of_few(graph.row_ptr[i], graph.row_ptr[i + 1]);
      return;
    }
    for (int batch = 0; batch < most_batches && next(graph.row_ptr[i], graph.row_ptr[i + 1], tried, best); ++batch) {
    }
    aggregate[i] = best.of;
  }

 private:
  static constexpr int at_once = 6, most_batches = 16, few = 8;

  struct Candidate {
    Index of;
    double total;
  };

  /// The aggregate for a point of few entries, all of which are held at once, in registers of a GPU. A sum that misses
  /// the first terms of its aggregate isn't larger than the whole, so that it may be compared as well.
  OSTINATO_FUNCTION Index of_few(Offset begin, Offset end) const {
    Candidate held[few];
    for (int e = 0; e < few; ++e) {
      const Offset k = begin + e < end ? begin + e : begin;
      const Index of = begin + e < end ? before[graph.col[k]] : -1;
      held[e] = {of, of < 0 ? 0 : square(k)};
    }
    Candidate best{-1, -1};
    for (int e = 0; e < few; ++e) {
      double total = held[e].total;
      for (int later = e + 1; later < few; ++later) {
        if (held[later].of == held[e].of) total += held[later].total;
      }
      const bool is_best = total > best.total || (total == best.total && held[e].of < best.of);
      if (held[e].of >= 0 && is_best) best = {held[e].of, total};
    }
    return best.of;
  }

  /// Tries the aggregates of the lowest numbers above `tried`, which becomes the last of them. Returns whether there
  /// may be more.
  OSTINATO_FUNCTION bool next(Offset begin, Offset end, Index& tried, Candidate& best) const {
    Candidate kept[at_once];  // ascending
    int count = 0;
    for (Offset k = begin; k < end; ++k) {
      const Index a = before[graph.col[k]];
      if (a <= tried) continue;
      int place = count;
      while (place > 0 && kept[place - 1].of >= a) --place;
      if (place < count && kept[place].of == a) {
        kept[place].total += square(k);
      } else if (place < at_once) {
        // An aggregate that isn't kept at its first entry isn't later either, because what is kept only gets lower.
        if (count < at_once) ++count;
        for (int c = count - 1; c > place; --c) kept[c] = kept[c - 1];
        kept[place] = {a, square(k)};
      }
    }
    for (int c = 0; c < count; ++c) {
      if (kept[c].total > best.total) best = kept[c];
    }
    if (count > 0) tried = kept[count - 1].of;
    return count == at_once;
  }
};

}  // namespace ostinato::algebraic

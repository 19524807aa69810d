// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of take_census() that both spaces share: diagonals.cpp is for Host, diagonals.cu for Cuda.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/base/bisect.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>

namespace ostinato::detail {

/// Properties that a value rules out for its diagonal.
enum Misfit : unsigned { varies = 1, not_single = 2, not_bfloat = 4 };

/// When a diagonal has all these misfits, further values can't change its properties. A float is always exact in float.
template <class T>
inline constexpr unsigned all_misfits = is_single<T> ? varies | not_bfloat : varies | not_single | not_bfloat;

template <class T>
OSTINATO_FUNCTION auto bits_of(T v) {
  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> bits;
  memcpy(&bits, &v, sizeof v);
  return bits;
}

/// A NaN in double isn't exact in any narrower type, because a conversion may change the bits of a NaN.
template <class T>
OSTINATO_FUNCTION unsigned misfits(T v, T first) {
  const unsigned differs = bits_of(v) != bits_of(first) ? varies : 0u;
  const float narrow = static_cast<float>(v);
  if constexpr (!is_single<T>) {
    if (!(static_cast<T>(narrow) == v)) return differs | not_single | not_bfloat;
  }
  return differs | ((bits_of(narrow) & 0xffffu) != 0 ? not_bfloat : 0u);
}

/// The entries of one diagonal in consecutive row pieces.
struct Stretch {
  Offset entries = 0;
  Index first = 0, last = 0, gap = 0;

  /// The stretch of one row piece, which begins at row `begin`.
  static OSTINATO_FUNCTION Stretch of(const PieceDiagonal& d, Offset begin) {
    if (d.entries == 0) return {};
    return {d.entries, static_cast<Index>(begin + d.first), static_cast<Index>(begin + d.last), 0};
  }

  OSTINATO_FUNCTION void append(const Stretch& next) {
    if (next.entries == 0) return;
    if (entries == 0) {
      *this = next;
      return;
    }
    const Index between = next.first - last - 1;
    entries += next.entries;
    last = next.last;
    gap = between > gap ? between : gap;
    gap = next.gap > gap ? next.gap : gap;
  }
};

/// The rows of a matrix, with the operations that the passes need.
template <class T>
struct Rows {
  const Offset* row_ptr;
  const Index* col;
  const T* val;

  OSTINATO_FUNCTION Offset begin(Offset row) const { return row_ptr[row]; }
  OSTINATO_FUNCTION Offset end(Offset row) const { return row_ptr[row + 1]; }
  OSTINATO_FUNCTION Offset length(Offset row) const { return end(row) - begin(row); }
  OSTINATO_FUNCTION Index offset(Offset k, Offset row) const { return static_cast<Index>(col[k] - row); }

  /// A hash of the row's diagonals and of the bits of the row's values, in order.
  OSTINATO_FUNCTION std::uint64_t hash(Offset row) const {
    std::uint64_t h = 0;
    for (Offset k = begin(row); k < end(row); ++k) {
      h = mixed(h ^
                (bits_of(val[k]) + static_cast<std::uint32_t>(offset(k, row)) * std::uint64_t{0xd6e8feb86659fd93u}));
    }
    return h;
  }

  OSTINATO_FUNCTION bool same(Offset row, Offset other) const {
    const Offset n = length(row), k = begin(row), l = begin(other);
    if (row == other) return true;
    if (length(other) != n) return false;
    // The loads of four entries don't wait for comparisons of others.
    constexpr int together = 4;
    for (Offset first = 0; first < n; first += together) {
      bool differ = false;
      for (int i = 0; i < together; ++i) {
        const Offset e = first + i < n ? first + i : n - 1;
        differ |= offset(k + e, row) != offset(l + e, other);
        differ |= bits_of(val[k + e]) != bits_of(val[l + e]);
      }
      if (differ) return false;
    }
    return true;
  }

  /// The value of the entry (row, row + offset_wanted), which must exist.
  OSTINATO_FUNCTION T value(Offset row, Index offset_wanted) const {
    return val[bisect(begin(row), end(row), [=, this](Offset k) { return offset(k, row) >= offset_wanted; })];
  }

  static OSTINATO_FUNCTION std::uint64_t mixed(std::uint64_t h) {
    h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
  }
};

/// A concurrent hash set that finds up to `limit` different items, which are rows or values. Items have numbers. A slot
/// holds the smallest number among equal items, plus one. Items are compared exactly; the hash only chooses where to
/// search, so a collision does no harm.
template <class Atomics>
struct Distinct {
  static constexpr int capacity = 1024;
  static constexpr int limit = 256;
  static_assert(limit == DiagonalCensus::max_classes && limit == DiagonalCensus::max_values);

  Offset* slots;  ///< `capacity` slots; 0 is free
  int* count;     ///< number of items; when the count exceeds `limit`, the slots are meaningless

  OSTINATO_FUNCTION bool too_many() const { return Atomics::load(count) > limit; }

  /// Adds item `id` unless the set holds an item for which same(other) is true. Returns false when there are too many
  /// items. `cache` is null or a copy of the slots that may be outdated; several threads read and write the cache.
  template <class Same>
  OSTINATO_FUNCTION bool add(std::uint64_t hash, Offset id, Same same, Offset* cache) const {
    for (int probe = 0; probe < capacity; ++probe) {
      const int s = static_cast<int>((hash + static_cast<unsigned>(probe)) % capacity);
      Offset held = cache != nullptr ? Atomics::load(cache + s) : 0;
      if (held == 0) {
        if (too_many()) return false;
        held = claim(s, id);
        if (cache != nullptr) Atomics::swap_if(cache + s, Offset{0}, held);
      }
      if (!same(held - 1)) continue;
      if (id + 1 < held) lower(s, id, cache);
      return true;
    }
    return false;
  }

 private:
  OSTINATO_FUNCTION Offset claim(int s, Offset id) const {
    Offset held = Atomics::load(slots + s);
    if (held == 0) held = Atomics::swap_if(slots + s, Offset{0}, id + 1);
    if (held != 0) return held;
    Atomics::add(count, 1);
    return id + 1;
  }

  OSTINATO_FUNCTION void lower(int s, Offset id, Offset* cache) const {
    if (id + 1 < Atomics::load(slots + s)) Atomics::min(slots + s, id + 1);
    if (cache != nullptr) Atomics::min(cache + s, id + 1);
  }
};

inline std::size_t piece_count(const DiagonalCensus& census) {
  const Offset in_piece = census.rows_in_piece;
  return static_cast<std::size_t>((census.rows + in_piece - 1) / in_piece);
}

/// A census with shapes but without counts. Throws ArgumentError as take_census() does.
template <class T>
DiagonalCensus blank_census(const CsrView<T>& a, std::span<const Index> offsets, Index rows_in_piece) {
  constexpr Index longest = std::numeric_limits<std::uint16_t>::max();
  if (rows_in_piece < 1 || rows_in_piece > longest) {
    throw ArgumentError("take_census: " + std::to_string(rows_in_piece) + " rows in a piece; 1 to " +
                        std::to_string(longest) + " can be counted");
  }
  if (offsets.size() > DiagonalCensus::max_diagonals) {
    throw ArgumentError("take_census: " + std::to_string(offsets.size()) + " diagonals; the limit is " +
                        std::to_string(DiagonalCensus::max_diagonals));
  }
  DiagonalCensus census;
  census.rows = a.rows;
  census.cols = a.cols;
  census.rows_in_piece = rows_in_piece;
  census.diagonals.resize(offsets.size());
  census.counts = std::make_shared<PieceCounts>(PieceCounts{{}, std::vector<std::uint16_t>(piece_count(census))});
  if (offsets.empty() && a.rows > 0) census.class_rows = {0};
  return census;
}

inline Diagonal finished(Index offset, const Stretch& s, unsigned misfit, double value) {
  const bool constant = (misfit & varies) == 0;
  return {offset,
          s.entries,
          s.first,
          s.last,
          s.gap,
          constant,
          constant ? value : 0,
          (misfit & not_single) == 0,
          (misfit & not_bfloat) == 0};
}

struct ClassRow {
  Index row;
  Index entries;
};

inline std::vector<Index> in_order(std::vector<ClassRow> classes) {
  std::sort(classes.begin(), classes.end(), [](const ClassRow& a, const ClassRow& b) {
    return a.entries != b.entries ? a.entries > b.entries : a.row < b.row;
  });
  std::vector<Index> rows;
  for (const ClassRow& c : classes) rows.push_back(c.row);
  return rows;
}

/// Sorts values by their bits, which also orders NaN.
template <class T>
std::vector<double> in_order(std::vector<T> values) {
  std::sort(values.begin(), values.end(), [](T a, T b) { return bits_of(a) < bits_of(b); });
  return {values.begin(), values.end()};
}

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::generate_detail {

/// A counter-based random number generator: hash(seed, row, k) needs no state, so any thread can make rows in any
/// order.
/// Source    The mixing step is Stafford's variant 13 of the MurmurHash3 finaliser, as used by Steele, Lea & Flood,
///           OOPSLA'14, doi:10.1145/2660193.2660195.
inline std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
inline std::uint64_t hash(std::uint64_t seed, std::int64_t row, std::int64_t k) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;  // keeps mix() away from its fixed point 0
  return mix(mix(mix(seed + golden) + static_cast<std::uint64_t>(row) + golden) + static_cast<std::uint64_t>(k) +
             golden);
}
/// Uniform in [0, 1).
inline double uniform(std::uint64_t seed, std::int64_t row, std::int64_t k) {
  return static_cast<double>(hash(seed, row, k) >> 11) * 0x1p-53;
}

inline constexpr Index block_rows = 4096;  // large enough to hide the start of threads, small enough for load balance

/// Calls f(block, first row, end row) for the row blocks, in parallel.
template <class F>
void for_row_blocks(const Host& host, Index rows, F f) {
  const std::size_t blocks = (static_cast<std::size_t>(rows) + block_rows - 1) / block_rows;
  parallel_for(host, blocks, [=](std::size_t b) {
    const std::int64_t first = static_cast<std::int64_t>(b) * block_rows;
    f(b, static_cast<Index>(first), static_cast<Index>(std::min<std::int64_t>(rows, first + block_rows)));
  });
}

/// Exclusive prefix sum of counts[0 .. n - 1] in place. counts[n] becomes the total, which is also returned.
inline Offset exclusive_scan(Array<Offset>& counts) {
  Offset sum = 0;
  counts.back() = 0;
  for (Offset& count : counts) sum += std::exchange(count, sum);
  return sum;
}

/// Throws MemoryLimitError when this takes more memory than there is. `what`: "a matrix of 9 rows".
void require_memory(const std::string& what, double bytes);

/// The memory of a matrix whose entries are being counted: the matrix is refused as soon as so many are counted that
/// there is no memory for them, which may be long before all are.
class EntryMemory {
 public:
  EntryMemory(Index rows, std::size_t bytes_an_entry) : rows_(rows), bytes_an_entry_(bytes_an_entry) { count(0); }

  /// Throws    MemoryLimitError.
  /// Exec      Any thread.
  void count(Offset entries);

 private:
  Index rows_;
  std::size_t bytes_an_entry_;
  std::atomic<Offset> entries_ = 0;
};

/// The diagonal value of a row: the emitted value, or the emitted value plus the magnitudes of the row's other entries.
enum class Diagonal { as_given, dominant };

template <class T>
void raise_diagonal(Index row, const Index* col, T* val, Offset count) {
  T* diagonal = nullptr;
  double sum = 0;
  for (Offset k = 0; k < count; ++k) {
    if (col[k] == row) diagonal = val + k;
    sum += std::abs(static_cast<double>(val[k]));
  }
  if (diagonal) *diagonal = static_cast<T>(sum);
}

/// Builds a square CSR matrix from emit_row(row, emit), which calls emit(column, value function) in the order of the
/// columns. emit_row runs twice for each row. The first run only counts the entries and calls no value function.
///
/// Exec      Parallel over row blocks; emit_row must be pure. Each page is first touched by the thread that fills it.
/// Requires  Diagonal::dominant: the emitted diagonal value is positive.
/// Throws    MemoryLimitError when there is no memory for the matrix.
template <class T, Diagonal diagonal = Diagonal::as_given, class EmitRow>
Csr<T> build_rows(const Host& host, Index rows, const EmitRow& emit_row) {
  Array<Offset> starts((static_cast<std::size_t>(rows) + block_rows - 1) / block_rows + 1);
  EntryMemory memory(rows, sizeof(Index) + sizeof(T));
  for_row_blocks(host, rows, [&](std::size_t block, Index first, Index end) {
    Offset count = 0;
    auto emit = [&count](Index, const auto&) { ++count; };
    for (Index row = first; row < end; ++row) emit_row(row, emit);
    starts[block] = count;
    memory.count(count);
  });
  const auto entries = static_cast<std::size_t>(exclusive_scan(starts));

  Csr<T> a{rows, rows, Array<Offset>(static_cast<std::size_t>(rows) + 1), Array<Index>(entries), Array<T>(entries)};
  for_row_blocks(host, rows, [&](std::size_t block, Index first, Index end) {
    Offset at = starts[block];
    Index* const col = a.col.data();
    T* const val = a.val.data();
    auto emit = [&at, col, val](Index c, const auto& value) {
      col[at] = c;
      val[at++] = static_cast<T>(value());
    };
    for (Index row = first; row < end; ++row) {
      const Offset begin = at;
      a.row_ptr[static_cast<std::size_t>(row)] = begin;
      emit_row(row, emit);
      if constexpr (diagonal == Diagonal::dominant) raise_diagonal(row, col + begin, val + begin, at - begin);
    }
  });
  a.row_ptr.back() = static_cast<Offset>(entries);
  return a;
}

/// Builds a square matrix whose columns are drawn in any order, with possible duplicates. draws(row) is the number of
/// draws in a row, column(row, k) the k-th column, value(row, column) the value. Duplicates are dropped.
///
/// Exec      Parallel over row blocks, with 4 bytes of workspace per draw; the functions must be pure.
/// Throws    MemoryLimitError when there is no memory for the draws or the matrix.
template <class T, Diagonal diagonal, class Draws, class Column, class Value>
Csr<T> build_drawn_rows(const Host& host, Index rows, const Draws& draws, const Column& column, const Value& value) {
  EntryMemory memory(rows, sizeof(Index));
  Array<Offset> starts(static_cast<std::size_t>(rows) + 1);
  for_row_blocks(host, rows, [&](std::size_t, Index first, Index end) {
    Offset count = 0;
    for (Index row = first; row < end; ++row) count += starts[static_cast<std::size_t>(row)] = draws(row);
    memory.count(count);
  });
  Array<Index> drawn(static_cast<std::size_t>(exclusive_scan(starts)));
  Array<Index> kept(static_cast<std::size_t>(rows));
  for_row_blocks(host, rows, [&](std::size_t, Index first, Index end) {
    for (Index row = first; row < end; ++row) {
      const auto r = static_cast<std::size_t>(row);
      Index* const begin = drawn.data() + starts[r];
      Index* const stop = drawn.data() + starts[r + 1];
      for (Index* p = begin; p != stop; ++p) *p = column(row, static_cast<Offset>(p - begin));
      std::sort(begin, stop);
      kept[r] = static_cast<Index>(std::unique(begin, stop) - begin);
    }
  });
  return build_rows<T, diagonal>(host, rows, [&](Index row, auto& emit) {
    const Index* const cols = drawn.data() + starts[static_cast<std::size_t>(row)];
    for (Index k = 0; k < kept[static_cast<std::size_t>(row)]; ++k) emit(cols[k], [&] { return value(row, cols[k]); });
  });
}

}  // namespace ostinato::generate_detail

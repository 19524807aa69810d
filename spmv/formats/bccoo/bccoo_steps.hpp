// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functors that convert CSR to BCCOO. They run in parallel over entries, block rows or tiles, in either space.

#include <cstdint>

#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/formats/bccoo/bccoo_view.hpp>
#include <ostinato/spmv/formats/block_order.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::formats::detail {

/// Copies the values of some entries.
template <class T>
struct TakeValues {
  const T* val;
  const Offset* entries;
  T* to;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { to[i] = val[entries[i]]; }
};

/// The stored form of a value. A code is the value's index in the table, which is sorted by bits.
template <class T, class Stored>
struct Encode {
  const T* table;
  int length;

  OSTINATO_FUNCTION Stored operator()(T v) const {
    if constexpr (sizeof(Stored) > 1) {
      return static_cast<Stored>(v);
    } else {
      using ostinato::detail::bits_of;
      int first = 0;
      for (int left = length; left > 1; left -= left / 2)
        first += bits_of(table[first + left / 2]) <= bits_of(v) ? left / 2 : 0;
      return static_cast<Stored>(first);
    }
  }
};

/// Stores the values and lists the block columns in the order of the blocks.
template <class T, class Stored>
struct PlaceEntries {
  BccooShape shape;
  const T* val;
  const Index* renumbered;  ///< new numbers of columns, hot columns first; null without hot columns
  Index* block_col;
  Encode<T, Stored> encode;
  Stored* to;
  OSTINATO_FUNCTION void operator()(const BlockOrder& order, Index row, Offset k) const {
    const Offset block = order.number(row, k);
    const Index column = order.col[k];
    if (order.firsts == nullptr || order.firsts[k] != order.firsts[k + 1])
      block_col[block] = renumbered != nullptr ? renumbered[column] : column / order.width;
    const int component = static_cast<int>(row % order.height) * order.width + static_cast<int>(column % order.width);
    to[shape.value_slot(block, component)] = encode(val[k]);
  }
};

/// Marks with 1 each block row (of each slice) that has a block; a prefix sum then numbers the results.
struct MarkResults {
  const Offset* start;
  Offset* has_blocks;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { has_blocks[i] = start[i + 1] > start[i] ? 1 : 0; }
};

/// Marks the last block of each block row, and stores the block row of each result.
template <class Atomics>
struct MarkStops {
  BccooShape shape;
  const Offset* start;
  const Offset* result;
  std::uint32_t* bits;  ///< here 1 stands for the end of a row
  Index* row_of;        ///< may be null
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (start[i + 1] == start[i]) return;
    const Offset last = start[i + 1] - 1, within = last % shape.blocks_of_group();
    const int j = static_cast<int>(within % shape.tile);
    const Offset word = (last / shape.blocks_of_group() * shape.words() + j / 32) * shape.threads + within / shape.tile;
    Atomics::set_bit(bits + word, 1u << (j % 32));
    if (row_of != nullptr) row_of[result[i]] = static_cast<Index>(i);
  }
};

struct Invert {
  std::uint32_t* bits;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { bits[i] = ~bits[i]; }
};

/// Lists the matrix rows in block rows without a block. result[i] counts the nonempty block rows before i.
struct ListEmpty {
  const Offset* result;
  int height;
  Index rows;
  Index* empty;
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (result[i + 1] != result[i]) return;
    const Offset before = static_cast<Offset>(i) - result[i];
    for (int r = 0; r < height; ++r) {
      const Offset row = static_cast<Offset>(i) * height + r;
      if (row < rows) empty[before * height + r] = static_cast<Index>(row);
    }
  }
};

/// Finds the block row (of all slices) that holds a block.
struct RowOfBlock {
  const Offset* start;
  Offset block_rows;
  OSTINATO_FUNCTION Offset operator()(Offset block) const {
    return bisect(Offset{1}, block_rows, [this, block](Offset i) { return start[i] > block; }) - 1;
  }
};

struct FindFirstResults {
  RowOfBlock row_of_block;
  const Offset* result;
  Offset blocks;
  int tile;
  Index* first;
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset block = static_cast<Offset>(i) * tile;
    first[i] = static_cast<Index>(result[block < blocks ? row_of_block(block) : row_of_block.block_rows]);
  }
};

/// Finds the rows that continue from one group into the next.
template <class Atomics>
struct FindSpans {
  RowOfBlock row_of_block;
  Offset blocks, of_group;
  const Index* first;
  int threads;
  Index* begin;
  Index* span;
  int* most_results;  ///< most results of a group
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset group = static_cast<Offset>(i);
    const Offset from = row_start(group * of_group), next = row_start((group + 1) * of_group);
    begin[i] = static_cast<Index>(from < group * of_group ? from / of_group : group);
    const bool goes_on = next >= group * of_group && next < (group + 1) * of_group;
    span[i] = goes_on ? static_cast<Index>(last_block((group + 1) * of_group) / of_group - group + 1) : 1;
    Atomics::max(most_results, first[(group + 1) * threads] - first[group * threads]);
  }

 private:
  /// The first block of the block row that holds `block`.
  OSTINATO_FUNCTION Offset row_start(Offset block) const {
    return block < blocks ? row_of_block.start[row_of_block(block)] : block;
  }
  OSTINATO_FUNCTION Offset last_block(Offset block) const { return row_of_block.start[row_of_block(block) + 1] - 1; }
};

/// The block columns of a thread's tile. Positions past the last block repeat the last block's column.
struct Tile {
  const Index* block_col;
  Offset blocks;
  int length;

  OSTINATO_FUNCTION Index col(Offset tile, int j) const {
    const Offset k = tile * length + j;
    return block_col[k < blocks ? k : blocks - 1];
  }
};

template <class Narrow>
OSTINATO_FUNCTION bool is_escape(Index difference) {
  return difference == -1 || difference != static_cast<Narrow>(difference);
}

/// Counts the escapes of a tile, with 16-bit and with 8-bit differences.
struct SumEscapes {
  Tile tile;
  OSTINATO_FUNCTION Sums<2> operator()(std::size_t t) const {
    Sums<2> sums{};
    for (int j = 1; j < tile.length; ++j) {
      const Index difference = tile.col(static_cast<Offset>(t), j) - tile.col(static_cast<Offset>(t), j - 1);
      sums.v[0] += is_escape<std::int16_t>(difference);
      sums.v[1] += is_escape<std::int8_t>(difference);
    }
    return sums;
  }
};

template <class Narrow>
struct CountEscapes {
  Tile tile;
  Offset* count;
  OSTINATO_FUNCTION void operator()(std::size_t t) const {
    Offset found = 0;
    for (int j = 1; j < tile.length; ++j)
      found += is_escape<Narrow>(tile.col(static_cast<Offset>(t), j) - tile.col(static_cast<Offset>(t), j - 1));
    count[t] = found;
  }
};

template <class Narrow>
struct StoreDifferences {
  Tile tile;
  BccooShape shape;
  const Offset* escapes_before;
  Narrow* to;
  Index* base;
  Index* escape;  ///< may be null
  Index* escapes;
  OSTINATO_FUNCTION void operator()(std::size_t t) const {
    const Offset i = static_cast<Offset>(t);
    Offset next = escapes_before[t];
    base[t] = tile.col(i, 0);
    if (escape != nullptr) escape[t] = static_cast<Index>(next);
    to[shape.slot(i * tile.length)] = 0;
    for (int j = 1; j < tile.length; ++j) {
      const Index difference = tile.col(i, j) - tile.col(i, j - 1);
      const bool escapes_here = is_escape<Narrow>(difference);
      if (escapes_here) escapes[next++] = tile.col(i, j);
      to[shape.slot(i * tile.length + j)] = escapes_here ? Narrow{-1} : static_cast<Narrow>(difference);
    }
  }
};

template <class Stored>
struct StoreColumns {
  Tile tile;
  BccooShape shape;
  Stored* to;
  OSTINATO_FUNCTION void operator()(std::size_t t) const {
    for (int j = 0; j < tile.length; ++j)
      to[shape.slot(static_cast<Offset>(t) * tile.length + j)] =
          static_cast<Stored>(tile.col(static_cast<Offset>(t), j));
  }
};

/// Entries of each column.
template <class Atomics>
struct CountColumns {
  const Index* col;
  int* count;
  OSTINATO_FUNCTION void operator()(std::size_t k) const { Atomics::add(count + col[k], 1); }
};

/// The histogram of the entries per column in steps of 2^shift; the last step counts all larger columns, too.
template <class Atomics>
struct ColumnHistogram {
  static constexpr int steps = 1024;
  const int* count;
  int least;  ///< skips columns with fewer entries: most columns are such, and their atomic additions would collide
  int shift;
  int* columns;
  OSTINATO_FUNCTION void operator()(std::size_t c) const {
    if (count[c] < least) return;
    const int step = count[c] >> shift;
    Atomics::add(columns + (step < steps ? step : steps - 1), 1);
  }
};

struct MarkHot {
  const int* count;
  int least;
  Offset* hot;
  OSTINATO_FUNCTION void operator()(std::size_t c) const { hot[c] = count[c] >= least ? 1 : 0; }
};

struct Renumber {
  const Offset* hot_before;
  Index hot;
  Index* renumbered;
  Index* hot_columns;
  OSTINATO_FUNCTION void operator()(std::size_t c) const {
    const bool is_hot = hot_before[c + 1] != hot_before[c];
    renumbered[c] = is_hot ? static_cast<Index>(hot_before[c]) : static_cast<Index>(c) + hot;
    if (is_hot) hot_columns[hot_before[c]] = static_cast<Index>(c);
  }
};

}  // namespace ostinato::formats::detail

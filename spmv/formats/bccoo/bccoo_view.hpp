// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::formats {

/// How the blocks of a matrix are distributed.
struct BccooShape {
  int height = 1;    ///< rows of a block
  int width = 1;     ///< columns of a block
  int slices = 1;    ///< vertical slices of the matrix, stacked
  int tile = 16;     ///< consecutive blocks of a thread
  int threads = 64;  ///< threads of a workgroup
  int cache = 0;     ///< sums of block rows that a workgroup collects before storing; 0: none
  Index hot = 0;     ///< hot columns: the fullest columns, whose x a workgroup copies; 1 x 1 blocks only
  bool compress = true;

  OSTINATO_FUNCTION int area() const { return height * width; }
  OSTINATO_FUNCTION Offset blocks_of_group() const { return tile * threads; }
  OSTINATO_FUNCTION int words() const { return (tile + 31) / 32; }

  /// Position of block k. Blocks are ordered as the threads of a workgroup read: first blocks of all threads, then
  /// second blocks and so on. value_slot() is the position of one component of a block; consecutive components are
  /// `threads` apart.
  OSTINATO_FUNCTION Offset slot(Offset k) const { return value_slot(k, 0, 1); }
  OSTINATO_FUNCTION Offset value_slot(Offset k, int component) const { return value_slot(k, component, area()); }

 private:
  OSTINATO_FUNCTION Offset value_slot(Offset k, int component, int components) const {
    const Offset group = k / blocks_of_group(), within = k % blocks_of_group();
    return ((group * tile + within % tile) * components + component) * threads + within / tile;
  }
};

/// How block columns are stored.
enum class BccooColumns {
  full,        ///< 4 bytes
  narrow,      ///< 2 bytes, for at most 65536 block columns
  difference,  ///< 2 bytes: difference to the preceding block of the tile; -1: the column is in `escapes`
  byte,        ///< 1 byte, as difference
};

/// Number of values that a 1-byte code distinguishes.
inline constexpr int bccoo_codes = 256;

/// How values are stored.
enum class BccooValues {
  whole,
  single,  ///< as float; every value is exact in float
  coded,   ///< 1 byte: index into a table of at most 256 values
};

/// The arrays of a BCCOO matrix, in the memory of a space.
///
/// A group is the work of a workgroup: shape.threads tiles of shape.tile blocks. A result is the sum of a block row
/// with at least one block; results are numbered in the order of the blocks.
template <class T>
struct BccooView {
  BccooShape shape;
  Index rows = 0;  ///< rows of the array that receives the results
  Index cols = 0;
  Offset blocks = 0;
  Index groups = 0;
  Index results = 0;
  BccooColumns columns = BccooColumns::full;
  BccooValues values = BccooValues::whole;

  const std::uint32_t* bits = nullptr;  ///< words x threads per group; bit j of a thread: 0 if its block j ends a row
  const Index* first = nullptr;         ///< results that end before each tile; groups x threads + 1
  const void* col = nullptr;            ///< one per block
  const Index* base = nullptr;          ///< block column of each tile's first block, for differences
  const Index* escape = nullptr;        ///< number of escapes before each tile; null when there are no escapes
  const Index* escapes = nullptr;       ///< block columns that no difference encodes
  const void* val = nullptr;            ///< area() per block, row by row; padding is 0; undefined past the last block
  const T* table = nullptr;             ///< values of the codes
  const Index* row_of = nullptr;        ///< block row of each result; null without empty block rows
  const Index* empty = nullptr;         ///< matrix rows in empty block rows
  Index empty_rows = 0;
  const Index* hot_columns = nullptr;  ///< column of each hot column; col numbers other columns from shape.hot on
  const Index* begin = nullptr;        ///< group in which the group's first row began, which may be the group itself
  const Index* span = nullptr;         ///< groups of a row that begins here and continues, from here on; else 1
  T* part = nullptr;  ///< 2 x height per group: sums of its first row, if begun before, and of its unfinished row
  unsigned* arrived = nullptr;  ///< at a row's first group: groups that have added their part; 0 between products

  OSTINATO_FUNCTION Index block_row(Index result) const { return row_of == nullptr ? result : row_of[result]; }
};

/// Calls f with a size of 1 to 4 as its template argument.
template <class F>
void with_size(int size, F&& f) {
  switch (size) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    default:
      return f.template operator()<4>();
  }
}

/// Calls f with the height and the width of the blocks as its template arguments.
template <class F>
void with_block_size(const BccooShape& shape, F&& f) {
  with_size(shape.height, [&]<int H>() { with_size(shape.width, [&]<int W>() { f.template operator()<H, W>(); }); });
}

}  // namespace ostinato::formats

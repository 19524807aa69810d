// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/function.hpp>

namespace ostinato::formats {

/// How the blocks of a matrix are cut and dealt out.
struct BccooShape {
  int height = 1;    ///< rows of a block
  int width = 1;     ///< columns of a block
  int slices = 1;    ///< vertical parts of the matrix, one above the other
  int tile = 16;     ///< consecutive blocks of a thread
  int threads = 64;  ///< of a workgroup
  int cache = 0;     ///< sums of rows that a workgroup collects before it stores them
  Index hot = 0;     ///< columns, those with most entries, of whose x a workgroup keeps a copy; only with 1 x 1 blocks
  bool compress = true;

  OSTINATO_FUNCTION int area() const { return height * width; }
  OSTINATO_FUNCTION Offset blocks_of_group() const { return tile * threads; }
  OSTINATO_FUNCTION int words() const { return (tile + 31) / 32; }

  /// Where component 0 of block k stands, in the order in which the threads of a workgroup read: the j-th blocks of all
  /// threads, one after the other. The next component is `threads` further.
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
  narrow,      ///< 2 bytes: there are no more than 65536 block columns
  difference,  ///< 2 bytes: to the block before in the thread's tile; -1: look into `escapes`
  byte,        ///< 1 byte: the same
};

/// Values that a byte tells apart.
inline constexpr int bccoo_codes = 256;

/// How values are stored.
enum class BccooValues {
  whole,
  single,  ///< as float, in which all of them are exact
  coded,   ///< 1 byte: the number of the value in a table of at most 256 values
};

/// The arrays of a BCCOO matrix, in the memory of a space.
///
/// A group is what a workgroup works on: shape.threads tiles of shape.tile blocks. Results are the sums of block rows
/// with at least one block, numbered in the order of the blocks.
template <class T>
struct BccooView {
  BccooShape shape;
  Index rows = 0;  ///< of what the results are written to
  Index cols = 0;
  Offset blocks = 0;
  Index groups = 0;
  Index results = 0;
  BccooColumns columns = BccooColumns::full;
  BccooValues values = BccooValues::whole;

  const std::uint32_t* bits = nullptr;  ///< words x threads a group: bit j of a thread is 0 where block j ends its row
  const Index* first = nullptr;         ///< results that end before a thread's tile; groups x threads + 1
  const void* col = nullptr;            ///< a slot each
  const Index* base = nullptr;          ///< block column of a tile's first block, for differences
  const Index* escape = nullptr;        ///< escapes before a tile; null when there are none
  const Index* escapes = nullptr;       ///< block columns that no difference gives
  const void* val = nullptr;            ///< area() for a slot, row by row; padding is 0, past the last block anything
  const T* table = nullptr;             ///< of codes
  const Index* row_of = nullptr;        ///< block row of a result; null when every block row has one
  const Index* empty = nullptr;         ///< rows that no result covers
  Index empty_rows = 0;
  const Index* hot_columns = nullptr;  ///< column of a hot one; others are numbered from shape.hot on
  const Index* begin = nullptr;        ///< group in which the row that goes on into this group began; else the group
  const Index* span = nullptr;         ///< groups of the row that goes on after this group, from this one on; else 1
  T* part = nullptr;            ///< 2 x height a group: sums of the row that ends in it and of the one that goes on
  unsigned* arrived = nullptr;  ///< for a row that goes on: groups that are done with it; 0 between products

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

/// Calls f with height and width of the blocks as its template arguments.
template <class F>
void with_block_size(const BccooShape& shape, F&& f) {
  with_size(shape.height, [&]<int H>() { with_size(shape.width, [&]<int W>() { f.template operator()<H, W>(); }); });
}

}  // namespace ostinato::formats

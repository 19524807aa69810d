// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functors that number the blocks of a CSR matrix. They run in parallel over entries or block rows, in either space.

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::formats::detail {

/// The blocks of a matrix, numbered by slice, then block row, then block column.
struct BlockOrder : CsrPattern {
  Index cols;
  int height, width;
  Index slice_cols;                ///< a multiple of width, or all columns
  Index block_rows;                ///< block rows of one slice
  const Offset* firsts = nullptr;  ///< [k]: entries before k that are the first of their block; null when all are
  const Offset* start = nullptr;   ///< [s * block_rows + r]: blocks before block row r of slice s

  OSTINATO_FUNCTION Offset firsts_before(Offset k) const { return firsts == nullptr ? k : firsts[k]; }

  /// The first entry of the row whose column is at least `column`. The search first tries `place`, where another row of
  /// the block row has this column: in a matrix of dense blocks the guess is right.
  OSTINATO_FUNCTION Offset from_column(Index row, Offset column, Offset place = 0) const {
    const Offset end = row_ptr[row + 1], guess = row_ptr[row] + place;
    if (guess < end && col[guess] >= column && (place == 0 || col[guess - 1] < column)) return guess;
    return first_from(row, column);
  }

  /// Position in its row at which the block of entry k begins, counted from the row's first entry.
  OSTINATO_FUNCTION Offset place_of_block(Index row, Offset k) const {
    const Index left = col[k] - col[k] % width;
    while (k > row_ptr[row] && col[k - 1] >= left) --k;
    return k - row_ptr[row];
  }

  OSTINATO_FUNCTION Index last_row(Index begin) const { return rows - begin < height ? rows : begin + height; }

  /// True when no entry of the same block comes before entry k, in this row or in a row above.
  OSTINATO_FUNCTION bool is_first(Index row, Offset k) const {
    const Index left = col[k] - col[k] % width;
    if (k > row_ptr[row] && col[k - 1] >= left) return false;
    const Offset place = k - row_ptr[row];
    for (Index above = row - row % height; above < row; ++above) {
      const Offset at = from_column(above, left, place);
      if (at < row_ptr[above + 1] && col[at] - left < width) return false;
    }
    return true;
  }

  /// Number of blocks of a block row in columns left .. right - 1. `place` is a guess of the position of `right` in its
  /// rows.
  OSTINATO_FUNCTION Offset blocks_between(Index block_row, Offset left, Offset right, Offset place) const {
    Offset count = 0;
    const Index begin = block_row * height;
    for (Index row = begin; row < last_row(begin); ++row) {
      const Offset from = left == 0 ? row_ptr[row] : from_column(row, left);
      const Offset to = right >= cols ? row_ptr[row + 1] : from_column(row, right, place);
      count += firsts_before(to) - firsts_before(from);
    }
    return count;
  }

  OSTINATO_FUNCTION Offset number(Index row, Offset k) const {
    const Index slice = col[k] / slice_cols, block_row = row / height;
    const Offset before = start[static_cast<Offset>(slice) * block_rows + block_row];
    if (height == 1 && firsts == nullptr && slice_cols >= cols) return before + (k - row_ptr[row]);
    return before +
           blocks_between(block_row, Offset{slice} * slice_cols, col[k] - col[k] % width, place_of_block(row, k));
  }
};

/// Calls f(order, row, k) for each entry k.
template <class F>
struct OverEntries {
  BlockOrder order;
  EntryRuns runs;
  F f;

  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    runs.visit(run, order, [&](Index row, Offset k) { f(order, row, k); });
  }
};

/// Calls f(order, row, k) for each entry k, in parallel.
template <class Space, class F>
void for_entries(const Space& space, const BlockOrder& order, Offset entries, const F& f) {
  const EntryRuns runs = EntryRuns::on<Space>(entries);
  for_each(space, runs.count(), OverEntries<F>{order, runs, f});
}

struct MarkFirsts {
  Offset* firsts;
  OSTINATO_FUNCTION void operator()(const BlockOrder& order, Index row, Offset k) const {
    firsts[k] = order.is_first(row, k) ? 1 : 0;
  }
};

/// Counts the blocks of each block row of each slice; a prefix sum then makes `start` of the counts.
struct CountBlocks {
  BlockOrder order;
  Offset* count;
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Index slice = static_cast<Index>(i / static_cast<std::size_t>(order.block_rows)),
                block_row = static_cast<Index>(i % static_cast<std::size_t>(order.block_rows));
    const Offset left = Offset{slice} * order.slice_cols;
    count[i] = order.blocks_between(block_row, left, left + order.slice_cols, 0);
  }
};

}  // namespace ostinato::formats::detail

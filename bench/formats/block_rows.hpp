// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cuts the entries of a CSR matrix into blocks of one size, in parallel over the entries, in either space.

#include <algorithm>

#include <ostinato/spmv/formats/block_order.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

struct BlockSize {
  Index height = 1;
  Index width = 1;
};

namespace detail {

/// col[b] := the block column of block b
struct FillBlockCol {
  Index* col;

  OSTINATO_FUNCTION void operator()(const BlockOrder& order, Index row, Offset k) const {
    if (order.firsts[k] != order.firsts[k + 1]) col[order.number(row, k)] = order.col[k] / order.width;
  }
};

}  // namespace detail

/// The nonempty blocks of height x width of a matrix, aligned to multiples of their size, row by row of blocks and by
/// ascending block column.
///
/// Shapes    ceil(rows / height) block rows and ceil(cols / width) block columns; the last of them may reach past the
///           matrix.
/// Layout    As CSR: row_ptr (block rows + 1) and col (one block column for each block). order() and for_entries() need
///           `firsts`, which takes 8 bytes an entry: free `firsts` once the values are in their places.
/// Exec      In parallel over the entries; each entry searches the rows of its block row. The constructor waits for the
///           number of blocks.
/// Requires  Canonical rows.
template <class Space>
struct BlockRows {
  BlockSize size;
  Offset blocks = 0;
  Vector<Space, Offset> row_ptr;
  Vector<Space, Index> col;
  Vector<Space, Offset> firsts;

  template <class T>
  BlockRows(const Space& space, const CsrView<T>& a, BlockSize block) : size(block) {
    firsts = Vector<Space, Offset>(space, static_cast<std::size_t>(a.nonzeros()) + 1);
    for_entries(space, a, detail::MarkFirsts{firsts.data()});
    exclusive_scan(space, firsts.span());
    const auto block_rows = static_cast<std::size_t>(order(a).block_rows);
    row_ptr = Vector<Space, Offset>(space, block_rows + 1);
    for_each(space, block_rows, detail::CountBlocks{order(a), row_ptr.data()});
    exclusive_scan(space, row_ptr.span());
    space.download(&blocks, row_ptr.data() + block_rows, sizeof blocks);
    col = Vector<Space, Index>(space, static_cast<std::size_t>(blocks));
    for_entries(space, a, detail::FillBlockCol{col.data()});
  }

  /// The numbering of the blocks.
  /// Requires  The matrix that the blocks were found in, and `firsts`. for_entries() requires the same.
  template <class T>
  detail::BlockOrder order(const CsrView<T>& a) const {
    const auto block_rows = static_cast<Index>((Offset{a.rows} + size.height - 1) / size.height);
    return {detail::pattern_of(a), a.cols,     size.height,   size.width,
            std::max(a.cols, 1),   block_rows, firsts.data(), row_ptr.data()};
  }

  /// Calls f(order(a), row, k) for each entry k.
  template <class T, class F>
  void for_entries(const Space& space, const CsrView<T>& a, const F& f) const {
    detail::for_entries(space, order(a), a.nonzeros(), f);
  }
};

}  // namespace ostinato::formats

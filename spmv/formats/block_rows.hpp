// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cutting the entries of a CSR matrix into blocks of one size, in parallel over the entries on either space.

#include <ostinato/spmv/cuda/each.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>
#include <ostinato/spmv/scan.hpp>
#include <ostinato/spmv/vector.hpp>

namespace ostinato::formats {

struct BlockSize {
  Index height = 1;
  Index width = 1;
};

namespace detail {

/// 1 for an entry that is the first of its block: by row, then by column.
struct MarkFirst {
  CsrPattern a;
  BlockSize size;
  Offset* first;

  OSTINATO_FUNCTION void operator()(std::size_t at) const {
    const Offset k = static_cast<Offset>(at);
    first[k] = is_first(k, a.row_of(k), a.col[k] / size.width) ? 1 : 0;
  }

 private:
  OSTINATO_FUNCTION bool is_first(Offset k, Index row, Index block) const {
    if (k > a.row_ptr[row] && a.col[k - 1] / size.width == block) return false;
    for (Index above = row - row % size.height; above < row; ++above) {
      const Offset found = a.first_from(above, Offset{block} * size.width);
      if (found < a.row_ptr[above + 1] && a.col[found] / size.width == block) return false;
    }
    return true;
  }
};

/// row_ptr[r] := the blocks before block row r
struct BlockRowPtr {
  CsrPattern a;
  BlockSize size;
  const Offset* firsts;
  Offset* row_ptr;

  OSTINATO_FUNCTION void operator()(std::size_t r) const {
    const Offset row = static_cast<Offset>(r) * size.height;
    row_ptr[r] = firsts[a.row_ptr[row < a.rows ? row : a.rows]];
  }
};

}  // namespace detail

/// Says which block holds an entry. Its arrays are in the memory of the space.
struct BlockOf {
  detail::CsrPattern a;
  BlockSize size;
  const Offset* firsts;   ///< firsts among the entries before each one; entries + 1
  const Offset* row_ptr;  ///< blocks before each block row

  /// The block of an entry in row `row` and column `col`: those of the block row ascend by their columns, and each has
  /// one first entry, in one of the rows.
  OSTINATO_FUNCTION Offset operator()(Index row, Index col) const {
    const Index begin = row - row % size.height;
    const Offset bound = Offset{col} - col % size.width;
    Offset block = row_ptr[row / size.height];
    for (Index i = begin; i < a.rows && i - begin < size.height; ++i)
      block += firsts[a.first_from(i, bound)] - firsts[a.row_ptr[i]];
    return block;
  }
};

namespace detail {

/// col[b] := the block column of block b
struct FillBlockCol {
  BlockOf block_of;
  Index* col;

  OSTINATO_FUNCTION void operator()(std::size_t k) const {
    if (block_of.firsts[k] == block_of.firsts[k + 1]) return;
    const Index column = block_of.a.col[k];
    col[block_of(block_of.a.row_of(static_cast<Offset>(k)), column)] = column / block_of.size.width;
  }
};

}  // namespace detail

/// The blocks of height x width, aligned to multiples of their size, that hold an entry: row by row of blocks, by
/// ascending block columns.
///
/// Shapes    Block rows ceil(rows / height), block columns ceil(cols / width): the last ones may reach past the matrix.
/// Layout    As CSR: row_ptr (block rows + 1) and col (block columns, one a block). `firsts` is for block_of() and
///           takes 8 bytes an entry: let go of it once the values are in their places.
/// Exec      Over entries; each searches the rows of its block row. Waits for the number of blocks.
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
    const auto entries = static_cast<std::size_t>(a.nonzeros()),
               block_rows = static_cast<std::size_t>((Offset{a.rows} + size.height - 1) / size.height);
    const detail::CsrPattern pattern = detail::pattern_of(a);
    firsts = Vector<Space, Offset>(space, entries + 1);
    for_each(space, entries, detail::MarkFirst{pattern, size, firsts.data()});
    exclusive_scan(space, firsts.span());
    row_ptr = Vector<Space, Offset>(space, block_rows + 1);
    for_each(space, block_rows + 1, detail::BlockRowPtr{pattern, size, firsts.data(), row_ptr.data()});
    space.download(&blocks, firsts.data() + entries, sizeof blocks);
    col = Vector<Space, Index>(space, static_cast<std::size_t>(blocks));
    for_each(space, entries, detail::FillBlockCol{block_of(a), col.data()});
  }

  /// Requires  The matrix that the blocks were found in, and `firsts`.
  template <class T>
  BlockOf block_of(const CsrView<T>& a) const {
    return {detail::pattern_of(a), size, firsts.data(), row_ptr.data()};
  }
};

}  // namespace ostinato::formats

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The row blocks of CSR-Adaptive, and its portable kernel.

#include <algorithm>

#include <ostinato/bench/formats/csr_adaptive/row_blocks.hpp>
#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats {

namespace {

std::int32_t narrow(Offset n) { return static_cast<std::int32_t>(n); }

/// Appends a row by itself: whole, or in pieces of equal length but for the last.
void add_row(std::span<const Offset> row_ptr, Index row, std::int32_t& pieces_before, std::vector<RowBlock>& blocks) {
  const Offset begin = row_ptr[static_cast<std::size_t>(row)], end = row_ptr[static_cast<std::size_t>(row) + 1];
  const Offset pieces = std::max<Offset>(1, (end - begin + vector_entries - 1) / vector_entries);
  for (Offset k = 0; k < pieces; ++k) {
    const Offset from = begin + k * vector_entries, to = std::min<Offset>(from + vector_entries, end);
    blocks.push_back({row, 1, narrow(from), narrow(to - from), pieces_before, narrow(pieces)});
  }
  if (pieces > 1) pieces_before += narrow(pieces);
}

/// Adds up a row from its first entry to its last.
template <class T>
void multiply_row(const RowBlockView<T>& a, Index row, const Product<T>& p) {
  T sum = 0;
  for (std::int32_t k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) sum += a.val[k] * p.x[a.col[k]];
  detail::store_row(p, static_cast<std::size_t>(row), sum);
}

}  // namespace

std::vector<RowBlock> cut_rows(std::span<const Offset> row_ptr) {
  std::vector<RowBlock> blocks;
  std::int32_t pieces_before = 0;
  const auto rows = static_cast<Index>(row_ptr.size() - 1);
  for (Index row = 0; row < rows;) {
    const Offset begin = row_ptr[static_cast<std::size_t>(row)];
    Index end = row;
    while (end < rows && end - row < stream_rows &&
           row_ptr[static_cast<std::size_t>(end) + 1] - begin <= stream_entries)
      ++end;
    if (end - row > 1) {
      blocks.push_back(
          {row, end - row, narrow(begin), narrow(row_ptr[static_cast<std::size_t>(end)] - begin), pieces_before, 1});
      row = end;
    } else {
      add_row(row_ptr, row++, pieces_before, blocks);
    }
  }
  return blocks;
}

template <class T>
void csr_adaptive_apply(const Host& host, const RowBlockView<T>& a, const Product<T>& p) {
  constexpr std::size_t blocks_at_once = 16;  // work of one task
  parallel_for(host, (a.blocks + blocks_at_once - 1) / blocks_at_once, [=](std::size_t task) {
    const std::size_t begin = task * blocks_at_once, end = std::min(begin + blocks_at_once, a.blocks);
    for (std::size_t b = begin; b < end; ++b) {
      const RowBlock& block = a.block[b];
      const bool is_later_piece = block.pieces > 1 && block.begin != a.row_ptr[block.row];
      if (is_later_piece) continue;
      for (Index row = block.row; row < block.row + block.rows; ++row) multiply_row(a, row, p);
    }
  });
}

template void csr_adaptive_apply(const Host&, const RowBlockView<float>&, const Product<float>&);
template void csr_adaptive_apply(const Host&, const RowBlockView<double>&, const Product<double>&);

}  // namespace ostinato::formats

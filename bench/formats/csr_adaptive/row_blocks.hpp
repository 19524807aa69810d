// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The row blocks of csr_adaptive.hpp, for both spaces.

#include <cstdint>
#include <span>
#include <vector>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/formats/contract/product.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

class Host;
class Cuda;

namespace formats {

/// Entries of a row block of several rows: a thread block keeps their products in shared memory.
inline constexpr int stream_entries = 1024;
/// Rows of a row block: a thread block has as many threads.
inline constexpr int stream_rows = 256;
/// Entries of a piece of a long row.
inline constexpr int vector_entries = 16384;

/// Rows for one thread block: several rows of stream_entries entries at most (CSR-Stream), a row of vector_entries at
/// most (CSR-Vector), or a piece of a longer row (CSR-VectorL).
struct RowBlock {
  Index row;           ///< the first row
  Index rows;          ///< 1 for a row or a piece of one
  std::int32_t begin;  ///< the first entry
  std::int32_t length;
  std::int32_t first;   ///< the number of the row's first piece, among the pieces of all rows
  std::int32_t pieces;  ///< of the row; 1 for a block that isn't a piece
};

/// Cuts the rows into blocks, by ascending row.
std::vector<RowBlock> cut_rows(std::span<const Offset> row_ptr);

/// A matrix in CSR with 32-bit row pointers and its row blocks.
template <class T>
struct RowBlockView {
  std::size_t blocks;
  const RowBlock* block;
  const std::int32_t* row_ptr;
  const Index* col;
  const T* val;
  double* partial;         ///< the sum of each piece
  std::uint32_t* arrived;  ///< finished pieces of a row, at its first piece; 0 between products
};

/// The product p. Enqueued.
template <class T>
void csr_adaptive_apply(const Host& space, const RowBlockView<T>& a, const Product<T>& p);
template <class T>
void csr_adaptive_apply(const Cuda& space, const RowBlockView<T>& a, const Product<T>& p);

}  // namespace formats
}  // namespace ostinato

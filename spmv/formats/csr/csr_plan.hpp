// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// What a CSR product needs beside the matrix: narrow row pointers, and how rows are dealt out.
template <class Space>
struct CsrPlan;

/// Rows begin .. end - 1, each of `length` entries; of any length when it is negative.
struct CsrRun {
  Index begin;
  Index end;
  int length;
};

/// Blocks of rows with about the same number of entries, each cut into runs of equal short rows and what is between.
template <>
struct CsrPlan<Host> {
  Vector<Host, std::int32_t> row_ptr;  ///< empty when the entries need 64 bits
  std::vector<std::vector<CsrRun>> blocks;

  template <class T>
  CsrPlan(const Host& host, const CsrView<T>& a, const Structure& s);

  std::size_t bytes() const;
};

template <class T>
void csr_apply(const Host& host, const CsrPlan<Host>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y);

/// How a CSR product is laid over the GPU.
///
/// Rows of at most `longest_short` entries (8, 16 or 32 times `threads_per_row`) are shared by `threads_per_row` threads
/// of a warp. Longer rows are cut into pieces of `piece_length` entries, a block each, whose sums are added in order by
/// the block that comes last.
template <>
struct CsrPlan<Cuda> {
  static constexpr int piece_length = 2048;

  struct Piece {
    Offset begin;  ///< first entry
    int length;
    Index row;
    int first;   ///< the row's first piece
    int pieces;  ///< of the row
  };

  int threads_per_row = 1;
  int longest_short = 0;
  Vector<Cuda, std::int32_t> row_ptr;   ///< empty when the entries need 64 bits
  Vector<Cuda, Piece> pieces;           ///< of the long rows, ascending
  Vector<Cuda, double> partial;         ///< a sum for each piece
  Vector<Cuda, std::uint32_t> arrived;  ///< at a row's first piece, how many of its pieces are done; 0 between products

  template <class T>
  CsrPlan(const Cuda& space, const CsrView<T>& a, const Structure& s);

  void take_pieces(const Cuda& space, const std::vector<Piece>& cut);
  std::size_t bytes() const { return row_ptr.bytes() + pieces.bytes() + partial.bytes() + arrived.bytes(); }
};

template <class T>
void csr_apply(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y);
template <class T>
void csr_apply_dot(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, const T* x, T* y, const T* w,
                   double* slot);

}  // namespace ostinato::formats

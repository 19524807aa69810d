// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// What a CSR product needs beside the matrix: 4-byte row pointers, and the distribution of the rows. Spaces other than
/// Host and Cuda need nothing: their product goes row by row.
template <class Space>
struct CsrPlan {
  template <class T>
  CsrPlan(const Space&, const CsrView<T>&, const Structure&) {}
  std::size_t bytes() const { return 0; }
};

/// Rows begin .. end - 1 with `length` entries each. A negative length stands for rows of any length.
struct CsrRun {
  Index begin;
  Index end;
  int length;
};

/// Blocks of rows with about the same number of entries. Each block is cut into runs of equal short rows and the rows
/// between these runs.
template <>
struct CsrPlan<Host> {
  Vector<Host, std::int32_t> row_ptr;  ///< empty when the entries need 64 bits
  std::vector<std::vector<CsrRun>> blocks;

  template <class T>
  CsrPlan(const Host& host, const CsrView<T>& a, const Structure& s);

  std::size_t bytes() const;
};

/// y = alpha A x + beta y.
template <class T>
void csr_apply(const Host& host, const CsrPlan<Host>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y);

/// How a CSR product is distributed over the GPU.
///
/// `threads_per_row` threads of a warp share a row of at most `longest_short` entries (8, 16 or 32 times
/// `threads_per_row`). A longer row is cut into pieces of `piece_length` entries, one for each thread block. The thread
/// block that finishes last adds the sums of the row's pieces in their order.
template <>
struct CsrPlan<Cuda> {
  static constexpr int piece_length = 2048;

  struct Piece {
    Offset begin;  ///< first entry of the piece
    int length;
    Index row;
    int first;   ///< the row's first piece
    int pieces;  ///< number of pieces of the row
  };

  int threads_per_row = 1;
  int longest_short = 0;
  Vector<Cuda, std::int32_t> row_ptr;   ///< empty when the entries need 64 bits
  Vector<Cuda, Piece> pieces;           ///< pieces of the long rows, by ascending row
  Vector<Cuda, double> partial;         ///< the sum of each piece
  Vector<Cuda, std::uint32_t> arrived;  ///< finished pieces of a row, at its first piece; 0 between products

  template <class T>
  CsrPlan(const Cuda& space, const CsrView<T>& a, const Structure& s);

  void take_pieces(const Cuda& space, const std::vector<Piece>& cut);
  std::size_t bytes() const { return row_ptr.bytes() + pieces.bytes() + partial.bytes() + arrived.bytes(); }
};

/// y = alpha A x + beta y. Enqueued.
template <class T>
void csr_apply(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y);
template <class Space, class T>
void csr_apply(const Space& space, const CsrPlan<Space>&, const CsrView<T>& a, T alpha, const T* x, T beta, T* y) {
  for_each(space, static_cast<std::size_t>(a.rows), detail::PlainRow<T>{detail::arrays_of(a), {alpha, x, beta, y, y}});
}
/// y = A x and *slot = w . y in one pass over the matrix. Enqueued.
template <class T>
void csr_apply_dot(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, const T* x, T* y, const T* w,
                   Slot<T> slot);

}  // namespace ostinato::formats

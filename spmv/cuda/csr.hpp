// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/spmv/csr.hpp>
#include <ostinato/spmv/cuda.hpp>
#include <ostinato/spmv/structure.hpp>
#include <ostinato/spmv/vector.hpp>

namespace ostinato::formats {

template <class Space>
struct CsrPlan;

/// How a CSR product is laid over the GPU.
///
/// Rows of at most `longest_short` entries are shared by `threads_per_row` threads of a warp. Longer rows are cut into
/// pieces of `piece` entries, a block each, whose sums are added in order by the block that comes last.
template <>
struct CsrPlan<Cuda> {
  static constexpr int piece = 2048;

  int threads_per_row = 1;
  int longest_short = 0;
  Vector<Cuda, std::int32_t> row_ptr;      ///< empty when the entries need 64 bits
  Vector<Cuda, Index> long_rows;           ///< ascending
  Vector<Cuda, std::int32_t> first_piece;  ///< of each long row, and the total: long_rows + 1
  Vector<Cuda, double> partial;            ///< a sum for each piece
  Vector<Cuda, std::uint32_t> arrived;     ///< pieces of each long row that are done; 0 between products
  int pieces = 0;

  template <class T>
  CsrPlan(const Cuda& space, const CsrView<T>& a, const Structure& s);

  std::size_t bytes() const {
    return row_ptr.bytes() + long_rows.bytes() + first_piece.bytes() + partial.bytes() + arrived.bytes();
  }
};

template <class T>
void csr_apply(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y);
template <class T>
void csr_apply_dot(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, const T* x, T* y, const T* w,
                   double* slot);

}  // namespace ostinato::formats

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// Storage formats of cuSPARSE beside CSR.
enum class CusparseStorage { sell, bsr };

/// The arrays of a matrix that cuSPARSE reads.
///
/// Layout    Sliced ELL: `start` holds the first slot of each slice of 32 rows; a slice is as wide as its longest row
///           and is stored column by column; column -1 marks padding. BSR: `start` holds the first block of each block
///           row; block columns ascend; blocks are stored row by row.
template <class Space, class T>
struct CusparseArrays {
  Vector<Space, std::int32_t> start;
  Vector<Space, Index> col;
  Vector<Space, T> val;

  std::size_t bytes() const { return start.bytes() + col.bytes() + val.bytes(); }
};

/// A matrix in a storage format of cuSPARSE, and its product. Only the specialization for Cuda exists.
template <class Space, class T>
class CusparseStoredProduct;

/// A matrix in a storage format of cuSPARSE, and its product.
///
/// Exec      The constructor waits: it converts the matrix on the GPU, lets cuSPARSE preprocess it and computes a first
///           product, so that cuSPARSE's kernels are loaded. apply() is enqueued, allocates nothing and can be captured
///           in a graph.
/// Requires  Canonical rows. For bsr, rows and columns are multiples of `block`.
/// Throws    ArgumentError when more than 2^31 - 1 slots are needed; DeviceError.
template <class T>
class CusparseStoredProduct<Cuda, T> {
 public:
  CusparseStoredProduct(const Cuda& space, const CsrView<T>& a, CusparseStorage storage, int block);

  /// y = alpha A x + beta y; beta = 0 overwrites y, even where y holds NaN. Two threads must not call at the same time.
  void apply(T alpha, const T* x, T beta, T* y) const;

  /// Takes new values on the same pattern.
  void update_values(const CsrView<T>& a);

  const CusparseArrays<Cuda, T>& arrays() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ostinato::formats

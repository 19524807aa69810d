// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// Why cuSPARSE doesn't run on Host.
inline constexpr const char* cusparse_needs_gpu = "cuSPARSE runs on NVIDIA GPUs";

/// A storage format of cuSPARSE with its algorithm.
enum class CusparseKind { csr_alg1, csr_alg2, sell, bsr };

/// The arrays of a matrix that cuSPARSE reads.
///
/// Layout    CSR: `start` holds 32-bit row pointers; columns and values stay in the arrays of the CSR matrix. Sliced
///           ELL: `start` holds the first slot of each slice of 32 rows; a slice is as wide as its longest row and is
///           stored column by column; column -1 marks padding. BSR: `start` holds the first block of each block row;
///           block columns ascend; blocks are stored row by row.
template <class Space, class T>
struct CusparseArrays {
  Vector<Space, std::int32_t> start;
  Vector<Space, Index> col;
  Vector<Space, T> val;

  std::size_t bytes() const { return start.bytes() + col.bytes() + val.bytes(); }
};

/// A matrix in a storage format of cuSPARSE, and its product. Only the specialization for Cuda exists.
template <class Space, class T>
class CusparseProduct;

/// A matrix in a storage format of cuSPARSE, and its product.
///
/// Exec      The constructor waits: it converts the matrix on the GPU, lets cuSPARSE preprocess it and computes a first
///           product, so that cuSPARSE's kernels are loaded. apply() is enqueued, allocates nothing and can be captured
///           in a graph.
/// Requires  Canonical rows, at most 2^31 - 1 entries. The CSR kinds keep reading the columns and values of the latest
///           view. For bsr, rows and columns are multiples of `block`.
/// Throws    ArgumentError when more than 2^31 - 1 slots are needed; DeviceError.
template <class T>
class CusparseProduct<Cuda, T> {
 public:
  CusparseProduct(const Cuda& space, const CsrView<T>& a, CusparseKind kind, int block);

  /// y = alpha A x + beta y; beta = 0 overwrites y, even where y holds NaN. Two threads must not call at the same time.
  void apply(T alpha, const T* x, T beta, T* y) const;

  /// Takes new values on the same pattern.
  void update_values(const CsrView<T>& a);

  const CusparseArrays<Cuda, T>& arrays() const;

  /// Bytes of the arrays. cuSPARSE's buffer isn't counted, because cuSPARSE doesn't tell its size beforehand.
  std::size_t bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ostinato::formats

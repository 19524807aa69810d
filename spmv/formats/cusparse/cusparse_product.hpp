// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// Why there is no cuSPARSE on Host.
inline constexpr const char* cusparse_needs_gpu = "cuSPARSE runs on NVIDIA GPUs";

/// A storage form of cuSPARSE, with its algorithm.
enum class CusparseKind { csr_alg1, csr_alg2, sell, bsr };

/// What cuSPARSE reads of a matrix.
///
/// Layout    CSR: 32-bit row pointers; columns and values stay where they were. Sliced ELL: first slots of slices of
///           32 rows, which are stored column by column, each as wide as its longest row; column -1 marks padding.
///           BSR: first blocks of block rows, block columns ascending, blocks row by row.
template <class Space, class T>
struct CusparseArrays {
  Vector<Space, std::int32_t> start;
  Vector<Space, Index> col;
  Vector<Space, T> val;

  std::size_t bytes() const { return start.bytes() + col.bytes() + val.bytes(); }
};

/// A matrix in a form of cuSPARSE, and its product. There is none on Host.
template <class Space, class T>
class CusparseProduct;

/// Exec      The constructor waits: it converts the matrix on the GPU, lets cuSPARSE preprocess it and does a first
///           product, so that cuSPARSE's kernels are loaded. apply is enqueued, takes no memory and can be recorded
///           in a graph.
/// Requires  Canonical rows, at most 2^31 - 1 entries. The CSR kinds go on reading the columns and values of the view
///           that was given last. For bsr, rows and columns are multiples of `block`.
/// Throws    ArgumentError when more than 2^31 - 1 slots are needed; DeviceError.
template <class T>
class CusparseProduct<Cuda, T> {
 public:
  CusparseProduct(const Cuda& space, const CsrView<T>& a, CusparseKind kind, int block);

  /// y = alpha A x + beta y; beta = 0 overwrites y, even NaN. Not by two threads at a time.
  void apply(T alpha, const T* x, T beta, T* y) const;

  /// The same pattern with other values.
  void update_values(const CsrView<T>& a);

  const CusparseArrays<Cuda, T>& arrays() const;

  /// Of the arrays: the buffer, whose size cuSPARSE doesn't tell beforehand, isn't counted.
  std::size_t bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ostinato::formats

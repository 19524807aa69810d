// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato::formats {

/// The algorithms that cuSPARSE has for CSR.
enum class CusparseAlgorithm { first, second };

/// A CSR matrix as cuSPARSE reads it, and its product. Only the specialization for Cuda exists.
template <class Space, class T>
class CusparseProduct;

/// A CSR matrix as cuSPARSE reads it, with 32-bit row pointers, and its product.
///
/// Exec      The constructor waits: it lets cuSPARSE preprocess the matrix and computes a first product, so that
///           cuSPARSE's kernels are loaded. apply() is enqueued, allocates nothing and can be captured in a graph.
/// Requires  Canonical rows, at most 2^31 - 1 entries. The product keeps reading the columns and values of the latest
///           view.
/// Throws    ArgumentError when there are more entries; DeviceError.
template <class T>
class CusparseProduct<Cuda, T> {
 public:
  CusparseProduct(const Cuda& space, const CsrView<T>& a, CusparseAlgorithm algorithm);

  /// y = alpha A x + beta y; beta = 0 overwrites y, even where y holds NaN. Two threads must not call at the same time.
  void apply(T alpha, const T* x, T beta, T* y) const;

  /// Takes new values on the same pattern.
  void update_values(const CsrView<T>& a);

  /// Bytes of the row pointers. cuSPARSE's buffer isn't counted, because cuSPARSE doesn't tell its size beforehand.
  std::size_t bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ostinato::formats

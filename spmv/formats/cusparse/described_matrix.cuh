// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/space/cuda/cusparse.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats::detail {

/// Ignores errors of the destruction: at the end of a program the driver may be gone already.
struct DestroyDescriptor {
  void operator()(cusparseSpMatDescr_t matrix) const {
    if (!cuda::Cusparse::is_closed()) (void)cuda::Cusparse::get().destroy_matrix(matrix);
  }
  void operator()(cusparseDnVecDescr_t vector) const {
    if (!cuda::Cusparse::is_closed()) (void)cuda::Cusparse::get().destroy_vector(vector);
  }
};

/// y := beta y: the product with a matrix without entries, for which cuSPARSE isn't called.
template <class T>
struct ScaleOnly {
  Product<T> p;
  __device__ void operator()(std::size_t i) const { store_empty_row(p, i); }
};

/// A matrix that cuSPARSE knows by a descriptor, and its product.
template <class T>
class DescribedMatrix {
  template <class Descriptor>
  using Owned = std::unique_ptr<std::remove_pointer_t<Descriptor>, DestroyDescriptor>;

 public:
  static constexpr cudaDataType type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;
  static constexpr cusparseIndexType_t index = CUSPARSE_INDEX_32I;
  static constexpr cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;

  DescribedMatrix(const Cuda& space, Index rows, Index cols, cusparseSpMVAlg_t algorithm)
      : space_(space), rows_(rows), cols_(cols), algorithm_(algorithm) {}

  /// Null until take() was called, as for a matrix without entries.
  cusparseSpMatDescr_t descriptor() const { return matrix_.get(); }

  /// Takes over the descriptor, allocates the buffer, preprocesses, and computes a first product with temporary
  /// vectors.
  void take(cusparseSpMatDescr_t matrix) {
    matrix_.reset(matrix);
    Vector<Cuda, T> in(space_, static_cast<std::size_t>(cols_)), out(space_, static_cast<std::size_t>(rows_));
    space_.zero(in.data(), in.bytes());
    cusparseDnVecDescr_t to = nullptr, from = nullptr;
    OSTINATO_CUSPARSE(create_vector, &from, cols_, in.data(), type);
    x_.reset(from);
    OSTINATO_CUSPARSE(create_vector, &to, rows_, out.data(), type);
    y_.reset(to);
    const T one = 1, zero = 0;
    std::size_t bytes = 0;
    OSTINATO_CUSPARSE(spmv_buffer_size, space_.state().sparse(), operation, &one, matrix_.get(), from, &zero, to, type,
                      algorithm_, &bytes);
    buffer_ = Vector<Cuda, char>(space_, std::max<std::size_t>(bytes, 1));
    preprocess();
    multiply(one, in.data(), zero, out.data());
  }

  /// Lets cuSPARSE analyse the pattern.
  void preprocess() {
    const T one = 1, zero = 0;
    OSTINATO_CUSPARSE(spmv_preprocess, space_.state().sparse(), operation, &one, matrix_.get(), x_.get(), &zero,
                      y_.get(), type, algorithm_, buffer_.data());
  }

  void apply(T alpha, const T* x, T beta, T* y) {
    if (matrix_ == nullptr)
      return for_each(space_, static_cast<std::size_t>(rows_), ScaleOnly<T>{{alpha, x, beta, y, y}});
    const OnDevice here(space_);
    multiply(alpha, x, beta, y);
  }

 private:
  static constexpr cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE;

  void multiply(T alpha, const T* in, T beta, T* out) {
    OSTINATO_CUSPARSE(set_vector_values, x_.get(), const_cast<T*>(in));
    OSTINATO_CUSPARSE(set_vector_values, y_.get(), out);
    OSTINATO_CUSPARSE(spmv, space_.state().sparse(), operation, &alpha, matrix_.get(), x_.get(), &beta, y_.get(), type,
                      algorithm_, buffer_.data());
  }

  Cuda space_;
  Index rows_, cols_;
  cusparseSpMVAlg_t algorithm_;
  Vector<Cuda, char> buffer_;
  Owned<cusparseSpMatDescr_t> matrix_;
  Owned<cusparseDnVecDescr_t> x_, y_;
};

}  // namespace ostinato::formats::detail

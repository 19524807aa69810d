// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <type_traits>

#include <ostinato/spmv/formats/cusparse/cusparse_product.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_steps.hpp>
#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/space/cuda/cusparse.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::formats {

namespace {

/// Ignores errors of the destruction: at the end of a program the driver may be gone already.
struct Destroy {
  void operator()(cusparseSpMatDescr_t matrix) const {
    if (!cuda::Cusparse::is_closed()) (void)cuda::Cusparse::get().destroy_matrix(matrix);
  }
  void operator()(cusparseDnVecDescr_t vector) const {
    if (!cuda::Cusparse::is_closed()) (void)cuda::Cusparse::get().destroy_vector(vector);
  }
};

template <class Descriptor>
using Owned = std::unique_ptr<std::remove_pointer_t<Descriptor>, Destroy>;

/// y := beta y: the product with a matrix without entries, for which cuSPARSE isn't called.
template <class T>
struct Scale {
  Product<T> p;
  __device__ void operator()(std::size_t i) const { detail::store_empty_row(p, i); }
};

cusparseSpMVAlg_t algorithm_of(CusparseKind kind) {
  switch (kind) {
    case CusparseKind::csr_alg1:
      return CUSPARSE_SPMV_CSR_ALG1;
    case CusparseKind::csr_alg2:
      return CUSPARSE_SPMV_CSR_ALG2;
    case CusparseKind::sell:
      return CUSPARSE_SPMV_SELL_ALG1;
    default:
      return CUSPARSE_SPMV_ALG_DEFAULT;  // BSR's only algorithm; older versions don't have its own name
  }
}

}  // namespace

template <class T>
struct CusparseProduct<Cuda, T>::State {
  static constexpr cudaDataType type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;
  static constexpr cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr cusparseIndexType_t index = CUSPARSE_INDEX_32I;
  static constexpr cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;

  Cuda space;
  CusparseKind kind;
  int block;
  Index rows;
  CusparseArrays<Cuda, T> arrays;
  Vector<Cuda, char> buffer;
  Owned<cusparseSpMatDescr_t> matrix;  ///< null for a matrix without entries
  Owned<cusparseDnVecDescr_t> x, y;

  CusparseArrays<Cuda, T> convert(const CsrView<T>& a) const {
    if (kind == CusparseKind::sell) return to_slices(space, a);
    if (kind == CusparseKind::bsr) return to_blocks(space, a, block);
    detail::require_int32(a.nonzeros());
    CusparseArrays<Cuda, T> narrow;
    narrow.start = detail::to_int32(space, a.row_ptr);
    return narrow;
  }

  void describe(const CsrView<T>& a) {
    cusparseSpMatDescr_t m = nullptr;
    std::int32_t* const start = arrays.start.data();
    Index* const col = arrays.col.data();
    T* const val = arrays.val.data();
    if (kind == CusparseKind::sell) {
      OSTINATO_CUSPARSE(create_sliced_ell, &m, a.rows, a.cols, a.nonzeros(),
                        static_cast<std::int64_t>(arrays.val.size()), detail::slice_rows, start, col, val, index, index,
                        base, type);
    } else if (kind == CusparseKind::bsr) {
      OSTINATO_CUSPARSE(create_bsr, &m, a.rows / block, a.cols / block, static_cast<std::int64_t>(arrays.col.size()),
                        block, block, start, col, val, index, index, base, type, CUSPARSE_ORDER_ROW);
    } else {
      OSTINATO_CUSPARSE(create_csr, &m, a.rows, a.cols, a.nonzeros(), start, const_cast<Index*>(a.col.data()),
                        const_cast<T*>(a.val.data()), index, index, base, type);
    }
    matrix.reset(m);
  }

  /// Allocates the buffer, preprocesses, and computes a first product with temporary vectors.
  void prepare(const CsrView<T>& a) {
    Vector<Cuda, T> in(space, static_cast<std::size_t>(a.cols)), out(space, static_cast<std::size_t>(a.rows));
    space.zero(in.data(), in.bytes());
    cusparseDnVecDescr_t to = nullptr, from = nullptr;
    OSTINATO_CUSPARSE(create_vector, &from, a.cols, in.data(), type);
    x.reset(from);
    OSTINATO_CUSPARSE(create_vector, &to, a.rows, out.data(), type);
    y.reset(to);
    const T one = 1, zero = 0;
    std::size_t bytes = 0;
    OSTINATO_CUSPARSE(spmv_buffer_size, space.state().sparse(), operation, &one, matrix.get(), from, &zero, to, type,
                      algorithm_of(kind), &bytes);
    buffer = Vector<Cuda, char>(space, std::max<std::size_t>(bytes, 1));
    preprocess();
    multiply(one, in.data(), zero, out.data());
  }

  /// Lets cuSPARSE analyse the pattern.
  void preprocess() {
    const T one = 1, zero = 0;
    OSTINATO_CUSPARSE(spmv_preprocess, space.state().sparse(), operation, &one, matrix.get(), x.get(), &zero, y.get(),
                      type, algorithm_of(kind), buffer.data());
  }

  void multiply(T alpha, const T* in, T beta, T* out) {
    OSTINATO_CUSPARSE(set_vector_values, x.get(), const_cast<T*>(in));
    OSTINATO_CUSPARSE(set_vector_values, y.get(), out);
    OSTINATO_CUSPARSE(spmv, space.state().sparse(), operation, &alpha, matrix.get(), x.get(), &beta, y.get(), type,
                      algorithm_of(kind), buffer.data());
  }

  /// Refers to the arrays of `a`: the pattern's arrays may have moved along with the values.
  void point_to(const CsrView<T>& a) {
    OSTINATO_CUSPARSE(set_csr_pointers, matrix.get(), arrays.start.data(), const_cast<Index*>(a.col.data()),
                      const_cast<T*>(a.val.data()));
    preprocess();
  }
};

template <class T>
CusparseProduct<Cuda, T>::CusparseProduct(const Cuda& space, const CsrView<T>& a, CusparseKind kind, int block)
    : state_(new State{space, kind, block, a.rows, {}, {}, {}, {}, {}}) {
  const OnDevice here(space);
  state_->arrays = state_->convert(a);
  if (a.nonzeros() > 0) {
    state_->describe(a);
    state_->prepare(a);
  }
  space.wait();
}

template <class T>
void CusparseProduct<Cuda, T>::apply(T alpha, const T* x, T beta, T* y) const {
  State& s = *state_;
  if (s.matrix == nullptr) return for_each(s.space, static_cast<std::size_t>(s.rows), Scale<T>{{alpha, x, beta, y, y}});
  const OnDevice here(s.space);
  s.multiply(alpha, x, beta, y);
}

template <class T>
void CusparseProduct<Cuda, T>::update_values(const CsrView<T>& a) {
  State& s = *state_;
  if (s.matrix == nullptr) return;
  const OnDevice here(s.space);
  if (s.kind == CusparseKind::sell) {
    fill_slices(s.space, a, s.arrays, false);
  } else if (s.kind == CusparseKind::bsr) {
    fill_blocks(s.space, a, s.block, s.arrays);
  } else {
    s.point_to(a);
  }
}

template <class T>
const CusparseArrays<Cuda, T>& CusparseProduct<Cuda, T>::arrays() const {
  return state_->arrays;
}

template <class T>
std::size_t CusparseProduct<Cuda, T>::bytes() const {
  return state_->arrays.bytes();
}

#define OSTINATO_INSTANTIATE(T) template class CusparseProduct<Cuda, T>
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::formats

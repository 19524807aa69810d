// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/cusparse/cusparse_cost.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_product.hpp>
#include <ostinato/spmv/formats/cusparse/described_matrix.cuh>
#include <ostinato/spmv/formats/int32_offsets.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::formats {

template <class T>
struct CusparseProduct<Cuda, T>::State {
  Cuda space;
  Vector<Cuda, std::int32_t> row_ptr;
  detail::DescribedMatrix<T> matrix;
};

namespace {

constexpr cusparseSpMVAlg_t algorithm_of(CusparseAlgorithm a) {
  return a == CusparseAlgorithm::first ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
}

}  // namespace

template <class T>
CusparseProduct<Cuda, T>::CusparseProduct(const Cuda& space, const CsrView<T>& a, CusparseAlgorithm algorithm)
    : state_(new State{space, {}, {space, a.rows, a.cols, algorithm_of(algorithm)}}) {
  using Described = detail::DescribedMatrix<T>;
  const OnDevice here(space);
  detail::require_int32(a.nonzeros());
  state_->row_ptr = detail::to_int32(space, a.row_ptr);
  if (a.nonzeros() > 0) {
    cusparseSpMatDescr_t m = nullptr;
    OSTINATO_CUSPARSE(create_csr, &m, a.rows, a.cols, a.nonzeros(), state_->row_ptr.data(),
                      const_cast<Index*>(a.col.data()), const_cast<T*>(a.val.data()), Described::index,
                      Described::index, Described::base, Described::type);
    state_->matrix.take(m);
  }
  space.wait();
}

template <class T>
void CusparseProduct<Cuda, T>::apply(T alpha, const T* x, T beta, T* y) const {
  state_->matrix.apply(alpha, x, beta, y);
}

/// Refers to the arrays of `a`: the pattern's arrays may have moved along with the values.
template <class T>
void CusparseProduct<Cuda, T>::update_values(const CsrView<T>& a) {
  State& s = *state_;
  if (s.matrix.descriptor() == nullptr) return;
  const OnDevice here(s.space);
  OSTINATO_CUSPARSE(set_csr_pointers, s.matrix.descriptor(), s.row_ptr.data(), const_cast<Index*>(a.col.data()),
                    const_cast<T*>(a.val.data()));
  s.matrix.preprocess();
}

template <class T>
std::size_t CusparseProduct<Cuda, T>::bytes() const {
  return state_->row_ptr.bytes();
}

#define OSTINATO_INSTANTIATE(T) template class CusparseProduct<Cuda, T>
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::formats

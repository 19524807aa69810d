// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/bench/formats/cusparse/cusparse_steps.hpp>
#include <ostinato/bench/formats/cusparse/stored_product.hpp>
#include <ostinato/spmv/formats/cusparse/described_matrix.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::formats {

template <class T>
struct CusparseStoredProduct<Cuda, T>::State {
  using Described = detail::DescribedMatrix<T>;

  Cuda space;
  CusparseStorage storage;
  int block;
  CusparseArrays<Cuda, T> arrays;
  Described matrix;

  void convert(const CsrView<T>& a) {
    arrays = storage == CusparseStorage::sell ? to_slices(space, a) : to_blocks(space, a, block);
  }

  void describe(const CsrView<T>& a) {
    cusparseSpMatDescr_t m = nullptr;
    std::int32_t* const start = arrays.start.data();
    Index* const col = arrays.col.data();
    T* const val = arrays.val.data();
    if (storage == CusparseStorage::sell) {
      OSTINATO_CUSPARSE(create_sliced_ell, &m, a.rows, a.cols, a.nonzeros(),
                        static_cast<std::int64_t>(arrays.val.size()), detail::slice_rows, start, col, val,
                        Described::index, Described::index, Described::base, Described::type);
    } else {
      OSTINATO_CUSPARSE(create_bsr, &m, a.rows / block, a.cols / block, static_cast<std::int64_t>(arrays.col.size()),
                        block, block, start, col, val, Described::index, Described::index, Described::base,
                        Described::type, CUSPARSE_ORDER_ROW);
    }
    matrix.take(m);
  }
};

namespace {

/// BSR has one algorithm, whose own name older versions don't have.
constexpr cusparseSpMVAlg_t algorithm_of(CusparseStorage s) {
  return s == CusparseStorage::sell ? CUSPARSE_SPMV_SELL_ALG1 : CUSPARSE_SPMV_ALG_DEFAULT;
}

}  // namespace

template <class T>
CusparseStoredProduct<Cuda, T>::CusparseStoredProduct(const Cuda& space, const CsrView<T>& a, CusparseStorage storage,
                                                      int block)
    : state_(new State{space, storage, block, {}, {space, a.rows, a.cols, algorithm_of(storage)}}) {
  const OnDevice here(space);
  state_->convert(a);
  if (a.nonzeros() > 0) state_->describe(a);
  space.wait();
}

template <class T>
void CusparseStoredProduct<Cuda, T>::apply(T alpha, const T* x, T beta, T* y) const {
  state_->matrix.apply(alpha, x, beta, y);
}

template <class T>
void CusparseStoredProduct<Cuda, T>::update_values(const CsrView<T>& a) {
  State& s = *state_;
  if (a.nonzeros() == 0) return;
  const OnDevice here(s.space);
  if (s.storage == CusparseStorage::sell) {
    fill_slices(s.space, a, s.arrays, false);
  } else {
    fill_blocks(s.space, a, s.block, s.arrays);
  }
}

template <class T>
const CusparseArrays<Cuda, T>& CusparseStoredProduct<Cuda, T>::arrays() const {
  return state_->arrays;
}

#define OSTINATO_INSTANTIATE(T) template class CusparseStoredProduct<Cuda, T>
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::formats

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The baselines on Cuda: kernels of their own, and the list of functors that run by for_each and sum. cuda/baselines.cu
// instantiates it, and cuda/absent.cpp in a build without CUDA.

#include <cstdint>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/cuda/each.hpp>
#include <ostinato/spmv/formats/sliced_ell/sliced_ell_kernels.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/formats/textbook/bsr_view.hpp>
#include <ostinato/spmv/formats/textbook/coo_view.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>
#include <ostinato/spmv/formats/textbook/ell_view.hpp>
#include <ostinato/spmv/formats/textbook/hdi_view.hpp>
#include <ostinato/spmv/formats/textbook/hyb_view.hpp>
#include <ostinato/spmv/formats/sliced_ell/sliced_ell_view.hpp>

namespace ostinato::formats {

/// A warp a row. Enqueued.
template <class T>
void csr_vector_apply(const Cuda& space, const detail::CsrArrays<T>& a, const Product<T>& p);

/// y := y + alpha A x, a warp a chunk. `carry` has room for a value a chunk. Enqueued.
template <class T>
void coo_add(const Cuda& space, const detail::CooView<T>& a, T alpha, const T* x, T* y, T* carry);

}  // namespace ostinato::formats

#define OSTINATO_EACH(...) template void for_each(const Cuda&, std::size_t, formats::detail::__VA_ARGS__)

#define OSTINATO_OVER_ENTRIES(...) OSTINATO_EACH(OverEntries<formats::detail::__VA_ARGS__>)

#define OSTINATO_INSTANTIATE_BASELINE_PATTERNS() \
  OSTINATO_EACH(FillRowOf);                      \
  OSTINATO_EACH(CountRest);                      \
  OSTINATO_EACH(CountSlots);                     \
  OSTINATO_EACH(CountBlocks);                    \
  OSTINATO_OVER_ENTRIES(MarkFirsts);             \
  OSTINATO_OVER_ENTRIES(FillBlockCol)

#define OSTINATO_INSTANTIATE_BASELINES(T)                                                                        \
  OSTINATO_EACH(PlainRow<T>);                                                                                    \
  OSTINATO_EACH(FillEll<T>);                                                                                     \
  OSTINATO_EACH(EllRow<T>);                                                                                      \
  OSTINATO_EACH(ScaleRow<T>);                                                                                    \
  OSTINATO_EACH(FillRest<T>);                                                                                    \
  OSTINATO_OVER_ENTRIES(FillBsr<T>);                                                                             \
  OSTINATO_EACH(BsrRow<2, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<3, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<4, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<5, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<6, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<8, T>);                                                                                   \
  OSTINATO_EACH(FillHdi<T>);                                                                                     \
  OSTINATO_EACH(HdiRow<T>);                                                                                      \
  OSTINATO_EACH(FillSlots<std::int16_t, T>);                                                                     \
  OSTINATO_EACH(FillSlots<Index, T>);                                                                            \
  template void sum(const Cuda&, std::size_t, Dot<T>, double*);                                                  \
  template void formats::csr_vector_apply(const Cuda&, const formats::detail::CsrArrays<T>&, const Product<T>&); \
  template void formats::coo_add(const Cuda&, const formats::detail::CooView<T>&, T, const T*, T*, T*)

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/formats/sliced_ell/sliced_ell_view.hpp>

namespace ostinato::formats {

/// C is the type of the stored columns: std::int16_t or Index. Enqueued.
template <class C, class T>
void sliced_apply(const Cuda& space, const detail::SlicedView<C, T>& a, const Product<T>& p);

/// The product, and *slot = w . y; w may be y.
template <class C, class T>
void sliced_apply_dot(const Cuda& space, const detail::SlicedView<C, T>& a, const Product<T>& p, const T* w,
                      double* slot);

}  // namespace ostinato::formats

// For the one .cpp or .cu file that defines them.
#define OSTINATO_INSTANTIATE_SLICED(C, T)                                                                           \
  template void formats::sliced_apply(const Cuda&, const formats::detail::SlicedView<C, T>&, const Product<T>&);    \
  template void formats::sliced_apply_dot(const Cuda&, const formats::detail::SlicedView<C, T>&, const Product<T>&, \
                                          const T*, double*)

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Operations on matrices in a build without CUDA. They are never called, because such a build can't create a Cuda
// object (spmv/space/cuda_absent.cpp).

#include <ostinato/spmv/matrix/algebra/product_pattern.hpp>
#include <ostinato/spmv/matrix/algebra/transpose.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato::detail {

MovedPattern<Cuda> transposed(const Cuda&, const CsrPattern&, Index, Offset) { throw DeviceError(Cuda::why_absent()); }

Vector<Cuda, Index> product_pattern(const Cuda&, const CsrPattern&, Offset, const CsrPattern&, Index,
                                    const ProductTerms&, std::span<Offset>) {
  throw DeviceError(Cuda::why_absent());
}

ProductTerms product_terms(const Cuda&, const CsrPattern&, Offset, const CsrPattern&) {
  throw DeviceError(Cuda::why_absent());
}

template <class T>
void product_values(const Cuda&, const CsrPattern&, const T*, Offset, const CsrPattern&, const T*, Offset,
                    const CsrPattern&, Offset, T*) {
  throw DeviceError(Cuda::why_absent());
}

#define OSTINATO_INSTANTIATE(T)                                                                                       \
  template void product_values(const Cuda&, const CsrPattern&, const T*, Offset, const CsrPattern&, const T*, Offset, \
                               const CsrPattern&, Offset, T*)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::detail

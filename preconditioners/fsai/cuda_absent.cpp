// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of fsai in a build without CUDA. They are never called, because such a build can't create a Cuda object
// (spmv/space/cuda_absent.cpp).

#include <ostinato/preconditioners/fsai/approximate_factor.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

template <class T>
std::optional<FactorOnCuda<T>> approximate_factor(const Cuda&, const CsrView<T>&, double) {
  throw DeviceError(Cuda::why_absent());
}

template std::optional<FactorOnCuda<float>> approximate_factor(const Cuda&, const CsrView<float>&, double);
template std::optional<FactorOnCuda<double>> approximate_factor(const Cuda&, const CsrView<double>&, double);

}  // namespace ostinato

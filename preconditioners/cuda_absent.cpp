// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of this folder in a build without CUDA. They are never called, because such a build can't create a Cuda
// object (spmv/space/cuda_absent.cpp).

#include <ostinato/preconditioners/lanczos_in_cluster.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato::detail {

template <class T>
bool lanczos_in_cluster(const Cuda&, const CsrView<T>&, const Vector<Cuda, T>&, int, double, double*) {
  throw DeviceError(Cuda::why_absent());
}

template bool lanczos_in_cluster(const Cuda&, const CsrView<float>&, const Vector<Cuda, float>&, int, double, double*);
template bool lanczos_in_cluster(const Cuda&, const CsrView<double>&, const Vector<Cuda, double>&, int, double,
                                 double*);

}  // namespace ostinato::detail

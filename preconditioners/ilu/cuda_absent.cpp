// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The triangular sweeps in a build without CUDA. They are never called, because such a build can't create a Cuda object
// (spmv/space/cuda_absent.cpp).

#include <ostinato/preconditioners/ilu/sweep.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato::detail {

template <class T>
void run_sweep(const Cuda&, const SweepView<T>&, const T*, T*, unsigned*) {
  throw DeviceError(Cuda::why_absent());
}

template void run_sweep(const Cuda&, const SweepView<float>&, const float*, float*, unsigned*);
template void run_sweep(const Cuda&, const SweepView<double>&, const double*, double*, unsigned*);

}  // namespace ostinato::detail

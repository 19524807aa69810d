// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// for_each and sum on Cuda in a build without CUDA: nobody has a Cuda there, so that they are never called.

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato {

template <class F>
void for_each(const Cuda&, std::size_t, F) {
  throw DeviceError(Cuda::why_absent());
}

template <class F>
void sum(const Cuda&, std::size_t, F, double*) {
  throw DeviceError(Cuda::why_absent());
}

}  // namespace ostinato

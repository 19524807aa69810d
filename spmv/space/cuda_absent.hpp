// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// for_each, sum, for_grid, sum_grid, for_each_row and sum_rows for Cuda in a build without CUDA. Such a build can't
// create a Cuda object, so these functions are never called.

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>

namespace ostinato {

template <class F>
void for_each(const Cuda&, std::size_t, F) {
  throw DeviceError(Cuda::why_absent());
}

template <class F>
void sum(const Cuda&, std::size_t, F, double*) {
  throw DeviceError(Cuda::why_absent());
}

template <class F>
void for_grid(const Cuda&, const Extents&, F) {
  throw DeviceError(Cuda::why_absent());
}

template <class F>
void sum_grid(const Cuda&, const Extents&, F, double*) {
  throw DeviceError(Cuda::why_absent());
}

template <class F>
void for_each_row(const Cuda&, std::size_t, Offset, F) {
  throw DeviceError(Cuda::why_absent());
}

template <class F>
void sum_rows(const Cuda&, std::size_t, Offset, F, double*) {
  throw DeviceError(Cuda::why_absent());
}

}  // namespace ostinato

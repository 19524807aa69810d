// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublas_v2.h>

#include <ostinato/spmv/space/cuda/library.hpp>

namespace ostinato::cuda {

/// The functions of cuBLAS that the library calls. The first use opens cuBLAS, so that programs that don't need it
/// start a tenth of a second earlier.
struct Cublas : OnDemand<Cublas> {
  static Cublas opened();

  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasGetStatusString) status_string;
  decltype(&cublasSgemm_v2_64) sgemm;
  decltype(&cublasDgemm_v2_64) dgemm;
};

/// Throws    DeviceError unless the code says success; DeviceMemoryError where memory ran out.
void cublas_check(cublasStatus_t code, const char* what);

#define OSTINATO_CUBLAS(function, ...) \
  ::ostinato::cuda::cublas_check(::ostinato::cuda::Cublas::get().function(__VA_ARGS__), "cublas " #function)

}  // namespace ostinato::cuda

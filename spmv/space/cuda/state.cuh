// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#include <string>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

inline void cuda_check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  throw DeviceError(std::string("CUDA: ") + cudaGetErrorString(code) + " in " + what);
}

inline void cublas_check(cublasStatus_t code, const char* what) {
  if (code != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string("cuBLAS: ") + cublasGetStatusString(code) + " in " + what);
}

inline void cusparse_check(cusparseStatus_t code, const char* what) {
  if (code != CUSPARSE_STATUS_SUCCESS)
    throw DeviceError(std::string("cuSPARSE: ") + cusparseGetErrorString(code) + " in " + what);
}

#define OSTINATO_CUDA(call) ::ostinato::cuda_check(call, #call)
#define OSTINATO_CUBLAS(call) ::ostinato::cublas_check(call, #call)
#define OSTINATO_CUSPARSE(call) ::ostinato::cusparse_check(call, #call)

/// What the copies of one Cuda share. One thread at a time uses it.
struct Cuda::State {
  /// Blocks of a reduction at most: that many partial sums are kept. Work goes in order on one stream, so one set
  /// will do.
  static constexpr int max_partial = 4096;
  static constexpr int max_sums = 4;  ///< of a block
  static constexpr std::size_t staging_bytes = std::size_t{1} << 17;

  int device = 0;
  cudaStream_t stream = nullptr;
  bool owns_stream = false;
  cudaMemPool_t pool = nullptr;
  cudaDeviceProp properties{};
  double bandwidth = 0;
  bool overlaps = false;        ///< kernels may start while the one before them ends (overlap.cuh)
  double* partial = nullptr;    ///< max_sums max_partial
  unsigned* arrived = nullptr;  ///< blocks of the running reduction that are done; 0 between reductions
  void* staging = nullptr;      ///< pinned: small downloads go through it (H200, 2026-11: 26 kB take 10 us, else 14)
  cublasHandle_t cublas = nullptr;
  cusparseHandle_t cusparse = nullptr;

  State(int device, cudaStream_t stream, bool owns_stream);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void activate() const { OSTINATO_CUDA(cudaSetDevice(device)); }

  /// cuBLAS on this stream; made when first asked for, which takes a while.
  cublasHandle_t blas();
  cusparseHandle_t sparse();  ///< and cuSPARSE
};

}  // namespace ostinato

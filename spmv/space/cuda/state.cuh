// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <string>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>

// cublasHandle_t and cusparseHandle_t, whose headers take a compiler long; cuda/vendor.cuh includes those.
struct cublasContext;
struct cusparseContext;

namespace ostinato {

inline void cuda_check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  throw DeviceError(std::string("CUDA: ") + cudaGetErrorString(code) + " in " + what);
}

#define OSTINATO_CUDA(call) ::ostinato::cuda_check(call, #call)

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
  cublasContext* cublas = nullptr;
  cusparseContext* cusparse = nullptr;

  State(int device, cudaStream_t stream, bool owns_stream);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void activate() const { OSTINATO_CUDA(cudaSetDevice(device)); }

  /// cuBLAS on this stream; made when first asked for, which takes a while.
  cublasContext* blas();
  cusparseContext* sparse();  ///< and cuSPARSE
};

}  // namespace ostinato

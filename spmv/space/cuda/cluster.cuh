// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels with more shared memory than every kernel may take, and kernels of one cluster of thread blocks.

#include <cstddef>

#include <ostinato/spmv/space/cuda/overlap.cuh>

namespace ostinato::cuda {

/// Allows a kernel so many bytes of dynamic shared memory, on the GPU of the space.
template <class... P>
void allow_shared(const Cuda& space, void (*kernel)(P...), std::size_t bytes) {
  const OnDevice here(space);
  OSTINATO_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

/// Whether the GPU, or that part of it which the process may use, can hold one such cluster.
template <class... P>
bool has_room_for_cluster(const Cuda& space, void (*kernel)(P...), unsigned blocks, dim3 block, std::size_t shared) {
  allow_shared(space, kernel, shared);
  OverlappedLaunch overlapped(space, blocks, block, shared);
  overlapped.config.numAttrs = 0;
  overlapped.in_one_cluster();
  int clusters = 0;
  return cuda_succeeds(cudaOccupancyMaxActiveClusters(&clusters, kernel, &overlapped.config)) && clusters > 0;
}

/// As launch(), for one cluster of at most 8 thread blocks, which can wait for each other. Requires a space
/// that has clusters.
template <class... P, class... A>
void launch_cluster(const Cuda& space, void (*kernel)(P...), unsigned blocks, dim3 block, std::size_t shared,
                    const A&... args) {
  OverlappedLaunch overlapped(space, blocks, block, shared);
  overlapped.in_one_cluster();
  OSTINATO_CUDA(cudaLaunchKernelEx(&overlapped.config, kernel, static_cast<P>(args)...));
}

}  // namespace ostinato::cuda

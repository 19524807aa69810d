// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How kernels begin, after the one before them, and how they end: sums over the grid, in a fixed order. Kernels that
// are generated at run time contain this text, too (cmake/OstinatoCuda.cmake), so it is device code only and includes
// nothing else.

#include <ostinato/spmv/space/cuda/kernel_args.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::cuda {

/// Waits until the kernel before this one has ended and what it wrote can be seen. The rules are in overlap.cuh.
__device__ inline void pdl_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel start as soon as each block of this one has called it or ended.
__device__ inline void pdl_trigger() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Both, for the place from which on a kernel depends on the one before it.
__device__ inline void pdl_trigger_and_wait() {
  pdl_trigger();
  pdl_wait();
}

/// Counts a block in, from one of its threads; true in the last of `blocks`, which then may read what the others wrote
/// before they called. Releasing only, unlike a fence, leaves the first-level cache to the blocks beside this one.
__device__ inline bool arrives_last(unsigned* arrived, unsigned blocks) {
  unsigned before;
  asm volatile("atom.release.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(arrived) : "memory");
  if (before + 1 != blocks) return false;
  __threadfence();
  return true;
}

/// The sum of `mine` over the block, in thread 0. Every thread of the block calls it.
template <int K>
__device__ Sums<K> block_sum(Sums<K> mine) {
  __shared__ Sums<K> of_warp[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    for (int d = 16; d > 0; d /= 2) mine.v[k] += __shfl_down_sync(0xffffffffu, mine.v[k], d);
  }
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = lane < warps ? of_warp[lane] : Sums<K>{};
#pragma unroll
    for (int k = 0; k < K; ++k) {
      for (int d = 16; d > 0; d /= 2) mine.v[k] += __shfl_down_sync(0xffffffffu, mine.v[k], d);
    }
  }
  __syncthreads();
  return mine;
}

/// Ends a kernel that sums: adds the blocks' sums up in their order, in the block that comes last, and calls
/// done(total) in one of its threads. Every thread of every block calls it.
template <int K, class Done>
__device__ void grid_sum(Sums<K> mine, const Reduction& to, Done done) {
  __shared__ bool last;
  mine = block_sum(mine);
  if (threadIdx.x == 0) {
    for (int k = 0; k < K; ++k) to.partial[blockIdx.x * K + k] = mine.v[k];
    last = arrives_last(to.arrived, gridDim.x);
  }
  __syncthreads();
  if (!last) return;
  Sums<K> total{};
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
    for (int k = 0; k < K; ++k) total.v[k] += __ldcg(to.partial + b * K + k);
  }
  total = block_sum(total);
  if (threadIdx.x != 0) return;
  if (to.slots != nullptr) {
    for (int k = 0; k < K; ++k) to.slots[k] = total.v[k];
  }
  *to.arrived = 0;
  done(total);
}

}  // namespace ostinato::cuda

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How kernels begin (waiting for the previous kernel) and how they end (sums over the grid, in a fixed order). Kernels
// generated at run time contain the text of this file, too (cmake/OstinatoCuda.cmake). So the file holds device code
// only, and its headers are part of the generated text as well.

#include <ostinato/spmv/space/cuda/kernel_args.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::cuda {

/// Waits until the previous kernel has ended and its writes are visible. The rules are in overlap.cuh.
__device__ inline void pdl_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel start as soon as each thread block of this kernel has called pdl_trigger() or ended.
__device__ inline void pdl_trigger() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Calls pdl_trigger(), then pdl_wait(). Stands before the first use of data that the previous kernel may write.
__device__ inline void pdl_trigger_and_wait() {
  pdl_trigger();
  pdl_wait();
}

/// Counts the thread blocks that have arrived; one thread of each block calls the function. Returns true in the last of
/// `blocks` blocks, which may then read what the other blocks wrote before their calls. The atomic has release
/// semantics only. Unlike a fence, it keeps the first-level cache valid for the other blocks of the multiprocessor.
__device__ inline bool arrives_last(unsigned* arrived, unsigned blocks) {
  unsigned before;
  asm volatile("atom.release.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(arrived) : "memory");
  if (before + 1 != blocks) return false;
  __threadfence();
  return true;
}

/// The sum of `mine` over the warp, valid in its first lane only. Every lane must call the function.
template <int K>
__device__ Sums<K> warp_sum(Sums<K> mine) {
#pragma unroll
  for (int k = 0; k < K; ++k) {
    for (int d = 16; d > 0; d /= 2) mine.v[k] += __shfl_down_sync(0xffffffffu, mine.v[k], d);
  }
  return mine;
}

/// The sum of `mine` over the thread block, valid in thread 0 only. Every thread of the block must call the function.
template <int K>
__device__ Sums<K> block_sum(Sums<K> mine) {
  __shared__ Sums<K> of_warp[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  mine = warp_sum(mine);
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp == 0) mine = warp_sum(lane < warps ? of_warp[lane] : Sums<K>{});
  __syncthreads();
  return mine;
}

/// Sums `mine` over the grid, at the end of a kernel. The thread block that arrives last adds the sums of all blocks in
/// a fixed order, stores the total, and calls done(total) in one thread. Every thread of every block must call the
/// function.
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

/// Stores the sum of a warp's rows, of which this thread has row i, where sums are those of warps. All threads of a
/// warp call the function, those beyond the rows, too.
__device__ inline void store_of_warp(Sums<1>& dot, long long i, long long rows, const Reduction& to) {
  if (to.of_warps == nullptr) return;
  dot = warp_sum(dot);
  if (i < rows && i % warp_rows == 0) to.of_warps[i / warp_rows] = dot.v[0];
  dot = {};
}

/// Calls row(i, dot) for the rows of a kernel with one thread per row, in thread blocks of tile_rows threads, and sums
/// up the dots where Dotted: over the grid or, for to.of_warps, over the rows of warps.
template <bool Dotted, class Row>
__device__ void for_rows(long long rows, const Reduction& to, Row row) {
  static_assert(tile_rows % warp_rows == 0);
  Sums<1> dot{};
  for (long long first = blockIdx.x * static_cast<long long>(tile_rows); first < rows;
       first += gridDim.x * static_cast<long long>(tile_rows)) {
    const long long i = first + threadIdx.x;
    if (i < rows) row(i, dot);
    if constexpr (Dotted) store_of_warp(dot, i, rows, to);
  }
  if constexpr (Dotted) {
    if (to.of_warps == nullptr) grid_sum(dot, to, [](const Sums<1>&) {});
  }
}

}  // namespace ostinato::cuda

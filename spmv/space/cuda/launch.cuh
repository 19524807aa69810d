// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Launch configurations of kernels: overlap, grid size, and buffers for sums.

#include <algorithm>
#include <cstddef>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/cuda/kernel_args.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato::cuda {

/// A launch configuration on the stream of a space, whose GPU is current meanwhile. The kernel may start while the
/// previous kernel ends, so the kernel must keep the rules of overlap.cuh.
struct OverlappedLaunch {
  OnDevice here;
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config{};

  OverlappedLaunch(const Cuda& space, dim3 grid, dim3 block, std::size_t shared) : here(space) {
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = space.stream();
    config.attrs = attributes;
    config.numAttrs = space.state().overlaps ? 1 : 0;
  }
  /// Makes one cluster of all thread blocks.
  void in_one_cluster() {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = config.gridDim.x;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  }
  OverlappedLaunch(const OverlappedLaunch&) = delete;
  OverlappedLaunch& operator=(const OverlappedLaunch&) = delete;
};

/// Launches a kernel that starts when all work before has ended, and so needn't keep the rules of overlap.cuh. The
/// error is that of this launch, unlike what cudaGetLastError() says.
template <class... P, class... A>
void launch_in_order(const Cuda& space, void (*kernel)(P...), dim3 grid, dim3 block, const A&... args) {
  OverlappedLaunch in_order(space, grid, block, 0);
  in_order.config.numAttrs = 0;
  OSTINATO_CUDA(cudaLaunchKernelEx(&in_order.config, kernel, static_cast<P>(args)...));
}

/// Threads per block of element-wise kernels, and how many of these blocks a multiprocessor holds at once.
inline constexpr int block_threads = 256;
inline constexpr int blocks_per_multiprocessor = 8;

/// Number of thread blocks for a kernel whose threads stride over n elements: at most as many as the GPU holds at once,
/// `of_multiprocessor` each, and no block without work. More blocks would leave most of the GPU idle at the end.
inline int resident_blocks(const Cuda& space, std::size_t n, int of_multiprocessor = blocks_per_multiprocessor) {
  const std::size_t fill =
      static_cast<std::size_t>(space.multiprocessors()) * static_cast<std::size_t>(of_multiprocessor);
  const std::size_t work = (n + block_threads - 1) / block_threads;
  return static_cast<int>(std::clamp<std::size_t>(work, 1, std::min<std::size_t>(fill, Cuda::State::max_partial)));
}

/// Number of thread blocks for a kernel with one thread per row: one block per tile. With a dot product, at most as
/// many blocks as the GPU holds at once, each of which processes several tiles.
inline unsigned tile_blocks(const Cuda& space, Index rows, bool dotted) {
  if (dotted) return static_cast<unsigned>(resident_blocks(space, static_cast<std::size_t>(rows)));
  return static_cast<unsigned>((static_cast<Offset>(rows) + tile_rows - 1) / tile_rows);
}

inline Reduction reduction(const Cuda& space, double* slots) {
  return {slots, space.state().partial, space.state().arrived, space.state().of_warps};
}

}  // namespace ostinato::cuda

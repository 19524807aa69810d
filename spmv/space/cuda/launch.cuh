// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How large kernels are launched, and where their sums go.

#include <algorithm>
#include <cstddef>

#include <ostinato/spmv/space/cuda/kernel_args.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/space/index.hpp>

namespace ostinato::cuda {

/// A launch on the stream of a space that may start while the kernel before it ends: for kernels that keep the rules of
/// overlap.cuh.
struct OverlappedLaunch {
  cudaLaunchAttribute overlap{};
  cudaLaunchConfig_t config{};

  OverlappedLaunch(const Cuda& space, dim3 grid, dim3 block, std::size_t shared) {
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = space.stream();
    config.attrs = &overlap;
    config.numAttrs = space.state().overlaps ? 1 : 0;
  }
  OverlappedLaunch(const OverlappedLaunch&) = delete;
  OverlappedLaunch& operator=(const OverlappedLaunch&) = delete;
};

/// Threads of a block in element-wise kernels, and blocks that a multiprocessor holds of them.
inline constexpr int block_threads = 256;
inline constexpr int blocks_per_multiprocessor = 8;

/// Blocks of a kernel whose threads stride over n elements: enough to fill the GPU, no more than there is work for.
inline int resident_blocks(const Cuda& space, std::size_t n) {
  const std::size_t fill = static_cast<std::size_t>(space.multiprocessors()) * blocks_per_multiprocessor;
  const std::size_t work = (n + block_threads - 1) / block_threads;
  return static_cast<int>(std::clamp<std::size_t>(work, 1, std::min<std::size_t>(fill, Cuda::State::max_partial)));
}

/// Blocks for a kernel with a thread a row: one for each tile, or with a dot product as many as the GPU holds, which
/// then take turns.
inline unsigned tile_blocks(const Cuda& space, Index rows, bool dotted) {
  if (dotted) return static_cast<unsigned>(resident_blocks(space, static_cast<std::size_t>(rows)));
  return static_cast<unsigned>((static_cast<Offset>(rows) + tile_rows - 1) / tile_rows);
}

inline Reduction reduction(const Cuda& space, double* slots) {
  return {slots, space.state().partial, space.state().arrived};
}

}  // namespace ostinato::cuda

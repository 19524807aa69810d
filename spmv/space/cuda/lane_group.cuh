// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Groups of threads that share a piece of work. spmv/algebra/product_rows.hpp says what a group has.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/cuda/launch.cuh>

namespace ostinato::cuda {

/// What all kinds of groups have, on shared memory.
struct SharedCells {
  template <class I>
  __device__ static I load(const I* p) {
    return *const_cast<const volatile I*>(p);
  }
  __device__ static Index swap_if(Index* p, Index old, Index v) { return atomicCAS(p, old, v); }
  __device__ static int add(int* p, int v) { return atomicAdd(p, v); }
  __device__ static void set_bit(std::uint32_t* p, std::uint32_t bit) { atomicOr(p, bit); }
};

/// `Lanes` neighbouring lanes of a warp, a power of two.
template <int Lanes>
struct LaneGroup : SharedCells {
  __device__ static int lane() { return static_cast<int>(threadIdx.x % Lanes); }
  __device__ static constexpr int lanes() { return Lanes; }
  __device__ static unsigned mask() {
    constexpr unsigned first = Lanes == 32 ? 0xffffffffu : (1u << Lanes % 32) - 1;
    return first << (threadIdx.x % 32 / Lanes * Lanes);
  }
  __device__ static void sync() { __syncwarp(mask()); }
  __device__ static bool all(bool b) { return __all_sync(mask(), b) != 0; }
};

/// The threads of a thread block.
struct BlockGroup : SharedCells {
  __device__ static int lane() { return static_cast<int>(threadIdx.x); }
  __device__ static constexpr int lanes() { return block_threads; }
  __device__ static void sync() { __syncthreads(); }
  __device__ static bool all(bool b) { return __syncthreads_and(b) != 0; }
};

/// The smallest power of two in low .. 32 that is at least n.
inline int lanes_for(Offset n, int low) {
  int lanes = low;
  while (lanes < 32 && lanes < n) lanes *= 2;
  return lanes;
}

/// Calls f with `lanes`, a power of two in 2 .. 32, as a constant.
template <class F>
void with_lanes(int lanes, F f) {
  switch (lanes) {
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 8:
      return f(std::integral_constant<int, 8>{});
    case 16:
      return f(std::integral_constant<int, 16>{});
    default:
      return f(std::integral_constant<int, 32>{});
  }
}

/// Number of thread blocks for `groups` groups: at most as many as the GPU holds at once.
inline int blocks_for(const Cuda& space, Offset groups, int groups_of_block) {
  return resident_blocks(space, static_cast<std::size_t>((groups + groups_of_block - 1) / groups_of_block) *
                                    static_cast<std::size_t>(block_threads));
}

}  // namespace ostinato::cuda

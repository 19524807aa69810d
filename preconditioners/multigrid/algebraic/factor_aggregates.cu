// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/factor_aggregates.hpp>

#include <ostinato/spmv/space/cuda/parallel.cuh>

namespace ostinato::algebraic {

namespace {

using cuda::block_threads;

constexpr int warp_threads = 32, warps_of_block = block_threads / warp_threads;

struct WarpLanes {
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_threads; }
  __device__ static bool is_first() { return lane() == 0; }
  template <class F>
  __device__ void each(Offset count, F f) const {
    for (Offset q = lane(); q < count; q += warp_threads) f(q);
  }
  /// Every lane adds in the same order, so that all have the same bits.
  template <class F>
  __device__ double sum(Offset count, F f) const {
    double part = 0;
    for (Offset q = lane(); q < count; q += warp_threads) part += f(q);
#pragma unroll
    for (int half = warp_threads / 2; half > 0; half /= 2) part += __shfl_down_sync(0xffffffffu, part, half);
    return __shfl_sync(0xffffffffu, part, 0);
  }
};

__global__ void __launch_bounds__(block_threads) factor_kernel(std::size_t aggregates, FactorAggregate f) {
  cuda::pdl_trigger_and_wait();
  const std::size_t i = std::size_t{blockIdx.x} * warps_of_block + threadIdx.x / warp_threads;
  if (i < aggregates) f.factor(i, WarpLanes{});
}

}  // namespace

void factor_aggregates(const Cuda& space, std::size_t aggregates, const FactorAggregate& f) {
  if (aggregates == 0) return;
  const auto blocks = static_cast<unsigned>((aggregates + warps_of_block - 1) / warps_of_block);
  cuda::launch(space, factor_kernel, blocks, block_threads, 0, aggregates, f);
}

}  // namespace ostinato::algebraic

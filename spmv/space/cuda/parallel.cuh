// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// for_each and sum on Cuda. The contract of the functors is in spmv/space/for_each.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/index.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato {

namespace cuda {

template <class F>
__device__ bool prepare(F& f) {
  if constexpr (requires { f.prepare(); }) {
    if (f.prepare()) return true;
    if constexpr (requires { f.skipped(); }) {
      if (blockIdx.x == 0 && threadIdx.x == 0) f.skipped();
    }
    return false;
  } else {
    return true;
  }
}

template <class F>
__global__ void __launch_bounds__(block_threads) for_each_kernel(std::size_t n, F f) {
  pdl_trigger_and_wait();
  if (!prepare(f)) return;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * block_threads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * block_threads + threadIdx.x; i < n; i += stride) f(i);
}

template <class F>
__global__ void __launch_bounds__(block_threads) sum_kernel(std::size_t n, F f, Reduction to) {
  using Result = std::remove_cvref_t<decltype(f(n))>;
  static_assert(Result::count <= Cuda::State::max_sums);
  pdl_trigger_and_wait();
  if (!prepare(f)) return;
  Result mine{};
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * block_threads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * block_threads + threadIdx.x; i < n; i += stride)
    mine += f(i);
  grid_sum(mine, to, [&](const Result& total) {
    if constexpr (requires { f.finish(total); }) f.finish(total);
  });
}

/// How thread blocks cut a grid: into tiles of 256 points, along x first, or of four such layers when the grid is large.
/// Sides of tiles are powers of two.
struct Tiles {
  Extents grid;
  unsigned log_x, log_y, log_z;  ///< the sides of a layer are 2^log_x, 2^log_y and 2^log_z points
  unsigned along_x, along_y, along_z;
  unsigned layers_y = 1, layers_z = 1;  ///< of a tile: along z in three dimensions, along y in two

  Tiles(const Extents& e, int multiprocessors) : grid(e) {
    const auto log_of = [](Index extent, unsigned most) {
      unsigned log = 0;
      while (log < most && (Index{1} << log) < extent) ++log;
      return log;
    };
    constexpr unsigned all = 8;
    static_assert(1 << all == block_threads);
    log_x = log_of(e.x, e.y > 1 ? 6 : all);
    log_y = log_of(e.y, e.z > 1 ? std::min(all - log_x, 2u) : all - log_x);
    log_z = all - log_x - log_y;
    const auto count = [](Index extent, unsigned log) {
      return (static_cast<unsigned>(extent) + (1u << log) - 1) >> log;
    };
    if (e.points() > static_cast<std::size_t>(multiprocessors) * 8 * 4 * block_threads)
      (e.z > 1 ? layers_z : layers_y) = 4;
    along_x = count(e.x, log_x);
    along_y = (count(e.y, log_y) + layers_y - 1) / layers_y;
    along_z = (count(e.z, log_z) + layers_z - 1) / layers_z;
  }

  std::size_t count() const { return std::size_t{along_x} * along_y * along_z; }

  /// Calls f(x, y, z) for the calling thread's points of a tile that are in the grid.
  template <class F>
  __device__ void visit(unsigned tile, F f) const {
    const unsigned t = threadIdx.x, row = tile / along_x, layer = row / along_y;
    const auto x = static_cast<Index>(((tile - row * along_x) << log_x) + (t & ((1u << log_x) - 1)));
    const unsigned y0 = (((row - layer * along_y) * layers_y) << log_y) + ((t >> log_x) & ((1u << log_y) - 1));
    const unsigned z0 = ((layer * layers_z) << log_z) + (t >> (log_x + log_y));
    if (x >= grid.x) return;
    for (unsigned k = 0; k < layers_y * layers_z; ++k) {
      const auto y = static_cast<Index>(y0 + (layers_y > 1 ? k << log_y : 0));
      const auto z = static_cast<Index>(z0 + (layers_z > 1 ? k << log_z : 0));
      if (y < grid.y && z < grid.z) f(x, y, z);
    }
  }
};

template <class F>
__global__ void __launch_bounds__(block_threads) for_grid_kernel(Tiles tiles, F f) {
  pdl_trigger_and_wait();
  tiles.visit(blockIdx.x, f);
}

template <class F>
__global__ void __launch_bounds__(block_threads) sum_grid_kernel(Tiles tiles, F f, Reduction to) {
  using Result = std::remove_cvref_t<decltype(f(Index{}, Index{}, Index{}))>;
  static_assert(Result::count <= Cuda::State::max_sums);
  pdl_trigger_and_wait();
  Result mine{};
  const unsigned count = tiles.along_x * tiles.along_y * tiles.along_z;
  for (unsigned tile = blockIdx.x; tile < count; tile += gridDim.x)
    tiles.visit(tile, [&](Index x, Index y, Index z) { mine += f(x, y, z); });
  grid_sum(mine, to, [](const Result&) {});
}

}  // namespace cuda

template <class F>
void for_grid(const Cuda& space, const Extents& grid, F f) {
  if (grid.points() == 0) return;
  const cuda::Tiles tiles(grid, space.multiprocessors());
  cuda::launch(space, cuda::for_grid_kernel<F>, static_cast<unsigned>(tiles.count()), cuda::block_threads, 0, tiles, f);
}

template <class F>
void sum_grid(const Cuda& space, const Extents& grid, F f, double* slots) {
  const cuda::Tiles tiles(grid, space.multiprocessors());
  cuda::launch(space, cuda::sum_grid_kernel<F>, cuda::resident_blocks(space, tiles.count() * cuda::block_threads),
               cuda::block_threads, 0, tiles, f, cuda::reduction(space, slots));
}

template <class F>
void for_each(const Cuda& space, std::size_t n, F f) {
  cuda::launch(space, cuda::for_each_kernel<F>, cuda::resident_blocks(space, n), cuda::block_threads, 0, n, f);
}

template <class F>
void sum(const Cuda& space, std::size_t n, F f, double* slots) {
  cuda::launch(space, cuda::sum_kernel<F>, cuda::resident_blocks(space, n), cuda::block_threads, 0, n, f,
               cuda::reduction(space, slots));
}

template <>
struct Atomic<Cuda> {
  __device__ static int add(int* p, int v) { return atomicAdd(p, v); }
  __device__ static void max(int* p, int v) { atomicMax(p, v); }
  __device__ static void max(Offset* p, Offset v) {
    atomicMax(reinterpret_cast<long long*>(p), static_cast<long long>(v));
  }
  __device__ static void set_bit(std::uint32_t* p, std::uint32_t bit) { atomicOr(p, bit); }
  template <class I>
  __device__ static void store(I* p, I v) {
    *const_cast<volatile I*>(p) = v;
  }
  template <class I>
  __device__ static I load(const I* p) {
    return *const_cast<const volatile I*>(p);
  }
  /// A load that may return an outdated value from the first-level cache. For flags that many threads read repeatedly
  /// and that are only ever set. This is a weak load; PTX's memory model says that a weak load that races with stores
  /// returns one of the stored values.
  template <class I>
  __device__ static I peek(const I* p) {
    return *p;
  }
};

}  // namespace ostinato

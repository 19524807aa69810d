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

}  // namespace cuda

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

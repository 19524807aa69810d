// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// A triangular sweep in one kernel. Some lanes share a row, and wait for each element that the row needs until the element
// is no longer `unset`. Thread blocks take rows by a ticket, so that rows which others wait for have begun before them, in
// whatever order the blocks start. No fence is needed: an element is written by one store, and is itself the signal.
//
// Source: Liu, Li, Hogg, Duff & Vinter, A Synchronization-Free Algorithm for Parallel Sparse Triangular Solves,
// Euro-Par 2016. The marking of unset elements by a NaN is ours.

#include <cstdint>
#include <type_traits>

#include <ostinato/preconditioners/ilu/sweep.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato::detail {

namespace {

constexpr int threads = 128;
constexpr int together = 4;  ///< elements that a lane looks at, before it waits for any of them

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

/// A NaN that no row writes: all bits set, as memset leaves it.
template <class T>
constexpr Bits<T> unset = static_cast<Bits<T>>(~Bits<T>{0});

__device__ double from_bits(unsigned long long b) { return __longlong_as_double(static_cast<long long>(b)); }
__device__ float from_bits(unsigned b) { return __uint_as_float(b); }
__device__ unsigned long long to_bits(double v) { return static_cast<unsigned long long>(__double_as_longlong(v)); }
__device__ unsigned to_bits(float v) { return __float_as_uint(v); }

template <class T>
__device__ Bits<T> look(const T* element) {
  return *reinterpret_cast<const volatile Bits<T>*>(element);
}

template <class T>
__device__ void publish(T* element, T v) {
  const Bits<T> b = to_bits(v);
  *reinterpret_cast<volatile Bits<T>*>(element) = b == unset<T> ? b << 1 : b;  // still a NaN
}

/// Thread blocks begin with ticket + 1 = 0.
template <int Lanes, class T>
__global__ void __launch_bounds__(threads) sweep_kernel(SweepView<T> s, const T* in, T* out, unsigned* ticket) {
  constexpr unsigned rows = threads / Lanes;
  __shared__ unsigned block;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1u) + 1u;
  __syncthreads();
  const std::size_t i = std::size_t{block} * rows + threadIdx.x / Lanes;
  if (i >= s.rows) return;
  const unsigned lane = threadIdx.x % Lanes;
  const unsigned mask = Lanes == 32 ? 0xffffffffu : ((1u << Lanes) - 1u) << (threadIdx.x % 32 / Lanes * Lanes);
  const Offset end = s.row_ptr[i + 1];
  // What doesn't depend on other rows is read before the waiting: the rows that wait for this one wait for it, too.
  T sum = lane == 0 ? -s.scale[i] * in[s.source[i]] : T{0};
  const Index target = s.target[i];
  for (Offset first = s.row_ptr[i] + lane; first < end; first += together * Lanes) {
    const T* element[together];
    T value[together];
    Bits<T> seen[together];
#pragma unroll
    for (int k = 0; k < together; ++k) {
      const Offset at = first + k * Lanes;
      value[k] = at < end ? s.val[at] : T{0};
      element[k] = at < end ? out + s.col[at] : nullptr;
    }
#pragma unroll
    for (int k = 0; k < together; ++k) seen[k] = element[k] == nullptr ? Bits<T>{0} : look(element[k]);
#pragma unroll
    for (int k = 0; k < together; ++k) {
      while (seen[k] == unset<T>) seen[k] = look(element[k]);
      sum += value[k] * from_bits(seen[k]);
    }
  }
  __syncwarp(mask);
#pragma unroll
  for (int step = Lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(mask, sum, step);
  if (lane == 0) publish(out + target, -sum);
}

template <int Lanes, class T>
void launch_sweep(const Cuda& space, const SweepView<T>& s, const T* in, T* out, unsigned* ticket) {
  constexpr std::size_t rows = threads / Lanes;
  const auto blocks = static_cast<unsigned>((s.rows + rows - 1) / rows);
  sweep_kernel<Lanes, T><<<blocks, threads, 0, space.stream()>>>(s, in, out, ticket);
  OSTINATO_CUDA(cudaGetLastError());
}

}  // namespace

template <class T>
void run_sweep(const Cuda& space, const SweepView<T>& s, const T* in, T* out, unsigned* ticket) {
  const OnDevice here(space);
  OSTINATO_CUDA(cudaMemsetAsync(out, 0xff, s.rows * sizeof(T), space.stream()));
  OSTINATO_CUDA(cudaMemsetAsync(ticket, 0xff, sizeof(unsigned), space.stream()));
  const double mean = static_cast<double>(s.entries) / static_cast<double>(s.rows);
  if (s.longest > 64) return launch_sweep<32>(space, s, in, out, ticket);  // others wait for the longest rows
  if (mean <= 6) return launch_sweep<4>(space, s, in, out, ticket);
  if (mean <= 12) return launch_sweep<8>(space, s, in, out, ticket);
  if (mean <= 24) return launch_sweep<16>(space, s, in, out, ticket);
  launch_sweep<32>(space, s, in, out, ticket);
}

template void run_sweep(const Cuda&, const SweepView<float>&, const float*, float*, unsigned*);
template void run_sweep(const Cuda&, const SweepView<double>&, const double*, double*, unsigned*);

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels whose rows wait for elements that other rows write. An element is marked as `unset` by memset, is written by
// one store, and is itself the signal, so that no fence is needed. Thread blocks take rows by a ticket, so that rows
// which others wait for have begun before them, in whatever order the blocks start.
//
// Source: Liu, Li, Hogg, Duff & Vinter, A Synchronization-Free Algorithm for Parallel Sparse Triangular Solves,
// Euro-Par 2016. The marking of unset elements by a NaN is ours.

#include <type_traits>

namespace ostinato::cuda {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

/// All bits set, as memset leaves an element: a NaN that no row writes, or the index -1.
template <class T>
constexpr Bits<T> unset = static_cast<Bits<T>>(~Bits<T>{0});

__device__ inline double from_bits(unsigned long long b, double) {
  return __longlong_as_double(static_cast<long long>(b));
}
__device__ inline float from_bits(unsigned b, float) { return __uint_as_float(b); }
__device__ inline int from_bits(unsigned b, int) { return static_cast<int>(b); }
__device__ inline unsigned long long to_bits(double v) {
  return static_cast<unsigned long long>(__double_as_longlong(v));
}
__device__ inline unsigned to_bits(float v) { return __float_as_uint(v); }
__device__ inline unsigned to_bits(int v) { return static_cast<unsigned>(v); }

template <class T>
__device__ Bits<T> look(const T* element) {
  return *reinterpret_cast<const volatile Bits<T>*>(element);
}

template <class T>
__device__ T wait_for(const T* element) {
  Bits<T> seen = look(element);
  while (seen == unset<T>) seen = look(element);
  return from_bits(seen, T{});
}

template <class T>
__device__ void publish(T* element, T v) {
  const Bits<T> b = to_bits(v);
  *reinterpret_cast<volatile Bits<T>*>(element) = b == unset<T> ? b << 1 : b;  // still a NaN
}

/// The number of the calling thread block, in the order in which the blocks begin: ticket + 1 = 0 before the first.
__device__ inline unsigned begun_block(unsigned* ticket) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1u) + 1u;
  __syncthreads();
  return block;
}

/// The lanes of a warp that share a row with the calling lane.
template <int Lanes>
__device__ unsigned lanes_of_row() {
  return Lanes == 32 ? 0xffffffffu : ((1u << Lanes % 32) - 1u) << (threadIdx.x % 32 / Lanes * Lanes);
}

}  // namespace ostinato::cuda

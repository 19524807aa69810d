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

/// The bits of an element that other threads may write, past the first-level cache.
__device__ inline unsigned long long look_at(const unsigned long long* p) {
  unsigned long long b;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(b) : "l"(p) : "memory");
  return b;
}
__device__ inline unsigned look_at(const unsigned* p) {
  unsigned b;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(b) : "l"(p) : "memory");
  return b;
}
__device__ inline void store_at(unsigned long long* p, unsigned long long b) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(b) : "memory");
}
__device__ inline void store_at(unsigned* p, unsigned b) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(b) : "memory");
}

/// Whether an element is set; then v is the element.
template <class T>
__device__ bool look(const T* element, T& v) {
  const Bits<T> seen = look_at(reinterpret_cast<const Bits<T>*>(element));
  v = from_bits(seen, T{});
  return seen != unset<T>;
}

template <class T>
__device__ void publish(T* element, T v) {
  const Bits<T> b = to_bits(v);
  store_at(reinterpret_cast<Bits<T>*>(element), b == unset<T> ? b << 1 : b);  // still a NaN
}

inline constexpr unsigned all_lanes = 0xffffffffu;

/// *p += 1 by one lane, below 2^31; returns *p before. The compiler gathers plain additions of a warp, and so waits for
/// their results at once; it leaves `inc` with this bound alone.
__device__ inline unsigned take_ticket(unsigned* p) {
  unsigned before;
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], 0x7fffffff;" : "=r"(before) : "l"(p) : "memory");
  return before;
}

/// The number of the calling thread block, in the order in which the blocks begin: ticket + 1 = 0 before the first.
__device__ inline unsigned begun_block(unsigned* ticket) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1u) + 1u;
  __syncthreads();
  return block;
}

/// The lanes of a warp beside the calling lane, `lanes` of them with it: 1, 2, 4, .. 32.
__device__ inline unsigned lanes_of_row(int lanes) {
  return (all_lanes >> (32 - lanes)) << (threadIdx.x % 32 & ~(static_cast<unsigned>(lanes) - 1u));
}

}  // namespace ostinato::cuda

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <span>

#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/space/together.hpp>

// Arrays of a GPU on their way to the host through pinned memory, in which they lie one behind the other.

namespace ostinato::cuda {

/// The bytes that an array takes in the pinned memory.
inline std::size_t room_for(const Copied& a) { return (a.bytes + 15) / 16 * 16; }

inline std::size_t room_for(std::span<const Copied> arrays) {
  std::size_t total = 0;
  for (const Copied& a : arrays) total += room_for(a);
  return total;
}

/// Enqueues the copies to `pinned`, which has room_for() the arrays.
inline void enqueue_copies(const Cuda& space, std::span<const Copied> arrays, void* pinned) {
  char* to = static_cast<char*>(pinned);
  for (const Copied& a : arrays) {
    if (a.bytes > 0) OSTINATO_CUDA(cudaMemcpyAsync(to, a.from, a.bytes, cudaMemcpyDeviceToHost, space.stream()));
    to += room_for(a);
  }
}

/// Copies the arrays from `pinned` to where they go, once the enqueued copies are over.
inline void hand_out(std::span<const Copied> arrays, const void* pinned) {
  const char* from = static_cast<const char*>(pinned);
  for (const Copied& a : arrays) {
    if (a.bytes > 0) std::memcpy(a.to, from, a.bytes);
    from += room_for(a);
  }
}

}  // namespace ostinato::cuda

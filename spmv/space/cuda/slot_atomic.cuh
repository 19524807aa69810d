// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>

namespace ostinato {

/// The same operations as SlotAtomic in spmv/space/atomic.hpp.
template <>
struct SlotAtomic<Cuda> : Atomic<Cuda> {
  using Word = unsigned long long;
  using Atomic<Cuda>::add;
  __device__ static Offset add(Offset* p, Offset v) {
    return static_cast<Offset>(atomicAdd(reinterpret_cast<Word*>(p), static_cast<Word>(v)));
  }
  __device__ static Offset swap_if(Offset* p, Offset expected, Offset v) {
    return static_cast<Offset>(
        atomicCAS(reinterpret_cast<Word*>(p), static_cast<Word>(expected), static_cast<Word>(v)));
  }
  __device__ static void min(Offset* p, Offset v) { atomicMin(reinterpret_cast<long long*>(p), v); }
};

}  // namespace ostinato

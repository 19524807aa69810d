// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that start while the previous kernel ends (programmatic dependent launch, from compute capability 9.0 on).
//
// Every kernel launched by launch() keeps the following rules. Other kernels start when all kernels before have ended.
//
//   1. Each thread of the kernel calls pdl_wait(), on every path, before the thread exits. The wait covers only the
//      previous kernel. A kernel without the wait could end before its predecessor, and then the wait in its successor
//      wouldn't cover that predecessor.
//   2. Before the wait, the kernel writes nothing. It reads only its arguments, data that was uploaded on the same
//      stream (a copy orders kernels fully), data behind which there was a fill, and data for which the host has
//      waited, such as the arrays of a format: the constructor of a format and update_values() wait. Data written two
//      launches ago isn't safe: with pdl_trigger() at the top of each kernel, several kernels run at once. The only
//      exception is the profile (analysis/profile.cu). Its first kernel waits before it triggers the next kernel. So
//      the kernels that follow may read the matrix before their own wait, and may add to counters that only they use.
//      That is known to hold, not documented: PTX promises that writes are seen only after a kernel's own wait.
//   3. The kernel reads data that another kernel may write, such as x, by plain loads or __ldcg, and never by __ldg or
//      through a const __restrict__ parameter. The memory model doesn't cover __ldg and such parameters, so the
//      compiler may move these loads to a place before the wait.
//
// A copy or fill between two kernels orders them fully. Graph capture keeps the overlap. Other code with such kernels
// must be compiled for the architectures of the library, because pdl_wait() waits only in code for 9.0 and later.
//
// Source    PTX ISA, griddepcontrol; CUDA Programming Guide, programmatic dependent launch. Neither document promises
//           that a kernel without a wait ends after its predecessor.

#include <cuda_runtime.h>

#include <cstddef>

#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>

namespace ostinato::cuda {

/// Launches a kernel that keeps the rules above.
template <class... P, class... A>
void launch(const Cuda& space, void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared, const A&... args) {
  const OverlappedLaunch overlapped(space, grid, block, shared);
  OSTINATO_CUDA(cudaLaunchKernelEx(&overlapped.config, kernel, static_cast<P>(args)...));
}

}  // namespace ostinato::cuda

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that start while the one before them ends (programmatic dependent launch, from compute capability 9.0 on).
//
// Every kernel launched by launch() keeps these rules; kernels launched otherwise start when all before have ended.
//
//   1. Each of its threads calls pdl_wait(), on every path, before it exits. The wait covers the one kernel
//      before: a kernel that didn't wait could end before its predecessor does, and its successor would wait for too
//      little.
//   2. Before the wait it writes nothing, and it reads only its arguments and what the host has since waited for: the
//      arrays of a format, whose constructor and update_values wait for the stream. That the kernel which wrote them
//      came two launches ago isn't enough: with pdl_trigger() at the top of each, several kernels are under way at
//      once. The one exception is a profile: its first kernel waits before it lets the next start, so that those which
//      follow may read early what it waited for, and add to a counters that is theirs alone.
//   3. What another kernel may write, such as x, is read by plain loads or __ldcg: not by __ldg, nor through a const
//      __restrict__ parameter. Those loads are outside the memory model, and the compiler may move them up past the
//      wait.
//
// Copies and fills between two kernels order them fully. Recorded kernels keep their overlap in the graph. Code with
// kernels of its own is compiled for the architectures of the library: the wait is there from 9.0 on only.
//
// Source    PTX ISA, griddepcontrol; CUDA Programming Guide, programmatic dependent launch. Neither promises that a
//           kernel without a wait ends after its predecessor.

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

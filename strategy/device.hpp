// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

/// What is wrong with the name of a device; empty for auto, cpu, cuda and cuda:N.
std::string why_no_device(std::string_view name);

/// The GPU that a device's name stands for, or -1 for the CPU; auto takes the first GPU if there is one.
/// Throws    ArgumentError for another name.
int chosen_gpu(std::string_view device);

/// Calls f(space) with the space that a device's name stands for, and returns what f returns. `host`: the CPU.
/// Throws    ArgumentError as chosen_gpu(); DeviceError where the GPU can't be used; what f throws.
template <class F>
auto with_device(std::string_view device, const Host& host, F&& f) {
  const int gpu = chosen_gpu(device);
  if (gpu < 0) return f(host);
  const Cuda cuda(gpu);  // throws where the build has no CUDA
#ifdef OSTINATO_HAS_CUDA
  return f(cuda);
#else
  return f(host);
#endif
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/cuda.hpp>

struct CUctx_st;

namespace ostinato {

/// Makes a GPU the current one of the calling thread. The destructor restores what the thread had before. Objects nest.
///
/// The context is pushed and popped by the driver. To restore a device by cudaSetDevice() would create a context on it,
/// some hundred MB, even where the caller has never used that device.
///
/// Throws    DeviceError when the GPU can't be used, or when another thread uses the space at this moment.
class OnDevice {
 public:
  /// A tag: errors are ignored, not left for the caller's next cudaGetLastError(), and other threads aren't noticed.
  /// For destructors, at the end of a program even after the driver is gone.
  struct Quietly {};

  explicit OnDevice(int device);
  explicit OnDevice(const Cuda& space) : OnDevice(space.state()) {}
  explicit OnDevice(const Cuda::State& state);
  OnDevice(const Cuda::State& state, Quietly) noexcept;
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  /// The context that all libraries in the process share on this GPU. It stays until the process ends.
  static CUctx_st* primary_context(int device);

 private:
  bool pushed_ = false;
  bool clears_ = false;                   ///< the runtime's last error was none before, and is to be none again
  const Cuda::State* entered_ = nullptr;  ///< the space that this thread holds; null for a nested object
};

}  // namespace ostinato

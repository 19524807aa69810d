// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct CUstream_st;

namespace ostinato {

/// One NVIDIA GPU and a stream on it. A copy is the same space: the same device, stream and libraries.
///
/// The class is there in every build. In one without CUDA device_count() is 0 and the constructor throws.
///
/// Exec      Work is enqueued on stream(), in order, and not waited for unless a call says so.
/// Requires  One host thread at a time uses a space and its copies; a second thread makes a Cuda of its own.
class Cuda {
 public:
  using Stream = CUstream_st*;
  static constexpr bool on_device = true;

  /// Takes the device and makes a stream of its own.
  /// Throws DeviceError saying what is missing: CUDA in this build, a driver, a device of that number.
  explicit Cuda(int device = 0);

  /// Works on the caller's stream, which must outlive every copy of the space.
  Cuda(int device, Stream stream);

  static int device_count() noexcept;      ///< 0 without a driver, a device or CUDA in this build
  static std::string why_absent();         ///< why device_count() is 0; empty when it isn't
  static std::string build_description();  ///< "CUDA 13.0" or "built without CUDA"

  int device() const;
  Stream stream() const;
  int multiprocessors() const;
  std::size_t cache_bytes() const;   ///< the L2 cache
  std::size_t shared_bytes() const;  ///< shared memory that a block of threads can have
  double bandwidth() const;          ///< bytes a second that the memory is clocked for
  std::string description() const;   ///< "NVIDIA H200, 132 multiprocessors, 139.8 GiB"

  void wait() const;                                                   ///< until the stream is empty
  void* allocate(std::size_t bytes) const;                             ///< ordered on the stream; throws DeviceError
  void release(void* p) const noexcept;                                ///< ordered on the stream
  void upload(void* to, const void* from, std::size_t bytes) const;    ///< from host memory, reusable on return
  void download(void* to, const void* from, std::size_t bytes) const;  ///< to host memory; waits
  void copy(void* to, const void* from, std::size_t bytes) const;      ///< device to device
  void zero(void* p, std::size_t bytes) const;

  struct State;  ///< stream, library handles, reduction buffers: for the kernels
  State& state() const { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

/// Throws DeviceError when p is host memory that the device can't read; `what` names the argument.
void require_device_memory(const Cuda& space, const void* p, const char* what);

}  // namespace ostinato

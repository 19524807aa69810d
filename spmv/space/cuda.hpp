// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct CUstream_st;

namespace ostinato {

class Host;

/// One NVIDIA GPU and a stream on that GPU. Copies of an object share the device, the stream and the library handles.
///
/// The class exists in every build. In a build without CUDA, device_count() is 0 and the constructors throw.
///
/// Exec      Functions enqueue work on stream(), in order. They wait for the work only where their comment says so. The
///           caller's current CUDA device is left as it is. Only the GPU with the given number is used.
/// Requires  Only one host thread at a time uses an object and its copies. A second thread needs its own Cuda object.
///           A call that meets another thread's call throws DeviceError.
/// Limits    Memory that is freed stays with the library, for all Cuda objects on the GPU, until trim() or until the
///           last of these objects is gone. The constructors of Operator call trim().
class Cuda {
 public:
  using Stream = CUstream_st*;
  static constexpr bool has_host_memory = false;
  static constexpr bool has_streams = true;

  /// Uses the GPU with this number and creates a stream, of the highest priority: work beside (SideStream) takes what
  /// its kernels leave of the GPU.
  /// Throws DeviceError that names what is missing: CUDA in this build, a driver, or a GPU with this number.
  explicit Cuda(int device = 0);

  /// Uses the caller's stream, which must outlive every copy of the object, also those in vectors, operators and
  /// preconditioners. One of cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) is the fastest: solves capture
  /// CUDA graphs on no other. While they do, some calls of other threads fail (error 900), such as
  /// cudaDeviceSynchronize(), which a stream of cudaStreamCreate() avoids.
  /// Throws ArgumentError for cudaStreamPerThread, and for a stream of another GPU.
  Cuda(int device, Stream stream);

  /// A move copies, too: whatever was moved from can still say so, instead of using a stream that is gone.
  Cuda(const Cuda&) = default;
  Cuda& operator=(const Cuda&) = default;

  static int device_count() noexcept;             ///< 0 without a driver, a device or CUDA in this build
  static std::string why_absent(int device = 0);  ///< why the GPU can't be used; empty when it can
  static std::string build_description();         ///< "CUDA 13.0" or "built without CUDA"

  int device() const;
  Stream stream() const;
  /// Whether work on both objects runs on the same GPU in one order, that of a stream.
  bool is_same_place(const Cuda& other) const;
  bool is_same_place(const Host&) const { return false; }
  int multiprocessors() const;
  std::size_t cache_bytes() const;   ///< size of the L2 cache
  std::size_t shared_bytes() const;  ///< most shared memory that a thread block can have
  double bandwidth() const;          ///< peak memory bandwidth in bytes per second, from memory clock and bus width
  std::string description() const;   ///< "NVIDIA H200, 132 multiprocessors, 150 GB"

  void wait() const;                        ///< until all work on the stream is done
  void* allocate(std::size_t bytes) const;  ///< ordered on the stream; throws DeviceMemoryError
  void release(void* p) const noexcept;     ///< ordered on the stream
  /// From host memory, which the caller may change afterwards. Waits where bytes are many; few are copied in the order
  /// of the stream, so that another stream has to wait() for them. Throws DeviceError for GPU memory, as download().
  void upload(void* to, const void* from, std::size_t bytes) const;
  void download(void* to, const void* from, std::size_t bytes) const;  ///< to host memory; waits
  void copy(void* to, const void* from, std::size_t bytes) const;      ///< device to device
  void zero(void* p, std::size_t bytes) const;
  void trim() const;                 ///< gives freed memory back to the driver, all but a 32nd of the GPU's; waits
  std::size_t free_bytes() const;    ///< of the GPU's memory, pooled_bytes() among it; takes some 65 us
  std::size_t pooled_bytes() const;  ///< of the memory that was freed and not yet given back

  struct State;  ///< stream, library handles and reduction buffers, used by the code that launches kernels
  State& state() const { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

/// Throws DeviceError when p points to host memory that the GPU can't read, or to memory of another GPU. `what` names
/// the argument in the message.
void require_device_memory(const Cuda& space, const void* p, const char* what);

/// Looks at the memory of the vectors of an operator's first product: a kernel that reads host memory ends CUDA for the
/// whole process. To look at all vectors would take about as long as a launch.
class FirstLook {
 public:
  /// Throws    DeviceError when the GPU can't read x or y.
  void at(const Cuda& space, const void* x, const void* y) const {
    if (has_looked_) return;
    require_device_memory(space, x, "x");
    require_device_memory(space, y, "y");
    has_looked_ = true;
  }
  /// Other spaces have no such check.
  template <class Space>
  void at(const Space&, const void*, const void*) const {}

 private:
  mutable bool has_looked_ = false;
};

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// GPU kernels that are compiled from source text at run time.
///
/// A compilation takes from some 20 ms to seconds, so a separate thread compiles. This thread doesn't use the GPU, so
/// it doesn't disturb graph capture. The caller uses precompiled kernels in the meantime. Compiled code is kept on disk
/// (disk_cache.hpp); its key is made of source, names, architecture, compiler options and the versions of the compiler
/// and the library. The last 64 requests are also kept in memory.
///
/// Exec      Any thread may call the members. At the end of the program a running compilation is cancelled.
/// Limits    Without NVRTC every request fails, and why() gives the reason. The class exists only in builds with CUDA.
class GeneratedKernels {
 public:
  enum class State { compiling, ready, failed };

  /// Finds or compiles the extern "C" __global__ functions `names` of `source` for the GPU. Equal requests return the
  /// same object. state() and why() report errors; the function doesn't throw them.
  ///
  /// Exec      The function reads the disk cache, so kernels found there are ready on return. The function doesn't wait
  ///           for a compilation. The first call opens the library NVRTC, which takes some milliseconds.
  static std::shared_ptr<GeneratedKernels> request(const Cuda& space, std::string source,
                                                   std::vector<std::string> names);

  /// The same for an architecture such as "sm_90"; needs no GPU.
  static std::shared_ptr<GeneratedKernels> request(std::string architecture, std::string source,
                                                   std::vector<std::string> names);

  /// Empties the memory cache, so that the next request reads the disk cache. Objects in use aren't changed.
  static void forget();

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  /// Returns once the code is ready, or the request has failed. A process forked meanwhile hasn't got the compiling
  /// thread: there the call returns at once, and state() stays `compiling`.
  void wait() const noexcept {
    if (::getpid() == process_) state_.wait(State::compiling, std::memory_order_acquire);
  }

  /// Kernel number k of `names`, for cudaLaunchKernel and cudaLaunchKernelExC; null unless state() is ready.
  ///
  /// Exec      Loads the code onto the current device. The first call for a device takes some milliseconds and may wait
  ///           for running kernels. So each user calls the function before a graph capture, for the device that the
  ///           user works on, and keeps the pointer.
  /// Throws    DeviceError when the current device can't take the code; another device may.
  const void* function(std::size_t k);

  /// Why the request failed, for example the log of the compiler; empty unless state() is failed.
  std::string why() const { return state() == State::failed ? why_ : ""; }

  // The next three functions return empty texts or 0 unless state() is ready.
  std::string cubin() const { return state() == State::ready ? cubin_ : ""; }
  std::string origin() const { return state() == State::ready ? origin_ : ""; }      ///< "compiled" or "disk cache"
  double compile_seconds() const { return state() == State::ready ? seconds_ : 0; }  ///< 0 for the disk cache

 private:
  class Service;

  GeneratedKernels(std::string architecture, std::string source, std::vector<std::string> names);

  void succeed(std::string cubin, std::string origin, double seconds) {
    cubin_ = std::move(cubin);
    origin_ = std::move(origin);
    seconds_ = seconds;
    become(State::ready);
  }

  void fail(std::string_view why, bool by_compiler = false) noexcept;

  void become(State state) {
    state_.store(state, std::memory_order_release);
    state_.notify_all();
  }

  void open();
  const void* load(const void* kernel);

  std::string architecture_, source_;
  std::vector<std::string> names_;

  // These members are written before state_ leaves `compiling` (why_: before state_ becomes `failed`) and only read
  // afterwards.
  std::string cubin_, origin_, why_;
  bool is_refused_ = false;  ///< by the compiler: a further request would fail as well
  double seconds_ = 0;
  const pid_t process_;  ///< whose thread compiles
  std::atomic<State> state_ = State::compiling;

  std::once_flag opened_;
  std::mutex loading_;
  std::vector<const void*> functions_;
};

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// GPU kernels that are compiled from source text while the program runs.
///
/// A compilation takes from some 20 ms to seconds, so it runs on a thread of its own, which uses no GPU and so disturbs
/// no stream capture; precompiled kernels serve in the meantime. What was compiled is kept on disk (disk_cache.hpp), by
/// source, names, architecture and the versions of compiler and library, and the last 64 requests also in memory.
///
/// Exec      The members may be called from any thread. At the end of the program a running compilation is cancelled.
/// Limits    Nothing is compiled where NVRTC isn't found, nor in a build without CUDA: then why() says so.
class GeneratedKernels {
 public:
  enum class State { compiling, ready, failed };

  /// Compiles the extern "C" __global__ functions `names` of `source` for the GPU, or finds them: the same object for
  /// the same request. What goes wrong is told by state() and why(), not thrown.
  ///
  /// Exec      Looks on the disk, so that what is found there is ready on return, and waits for nothing else. The first
  ///           call opens the compiler's library, which takes some milliseconds.
  static std::shared_ptr<GeneratedKernels> request(const Cuda& space, std::string source,
                                                   std::vector<std::string> names);

  /// The same for an architecture such as "sm_90"; needs no GPU.
  static std::shared_ptr<GeneratedKernels> request(std::string architecture, std::string source,
                                                   std::vector<std::string> names);

  /// Empties the memory cache: the next request goes to the disk. Objects that are in use stay as they are.
  static void forget();

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  void wait() const noexcept { state_.wait(State::compiling, std::memory_order_acquire); }

  /// Kernel number k of `names`, for cudaLaunchKernel and cudaLaunchKernelExC; null unless state() is ready.
  ///
  /// Exec      The first call loads the code onto the current device, which takes some milliseconds and may wait for
  ///           running kernels: make it before a stream capture begins. Later calls only look it up.
  const void* function(std::size_t k);

  /// Why it failed, such as the compiler's log; empty unless state() is failed.
  std::string why() const { return state() == State::failed ? why_ : ""; }

  // What follows is empty or 0 unless state() is ready.
  std::string cubin() const { return state() == State::ready ? cubin_ : ""; }
  std::string origin() const { return state() == State::ready ? origin_ : ""; }      ///< "compiled" or "disk cache"
  double compile_seconds() const { return state() == State::ready ? seconds_ : 0; }  ///< 0 from the disk

 private:
  class Service;

  GeneratedKernels(std::string architecture, std::string source, std::vector<std::string> names)
      : architecture_(std::move(architecture)), source_(std::move(source)), names_(std::move(names)) {}

  void succeed(std::string cubin, std::string origin, double seconds) {
    cubin_ = std::move(cubin);
    origin_ = std::move(origin);
    seconds_ = seconds;
    become(State::ready);
  }

  void fail(std::string why) {
    why_ = std::move(why);
    become(State::failed);
  }

  void become(State state) {
    state_.store(state, std::memory_order_release);
    state_.notify_all();
  }

  void load();

  std::string architecture_, source_;
  std::vector<std::string> names_;

  // Written before state_ leaves `compiling`, or, for why_, before it becomes `failed`; only read afterwards.
  std::string cubin_, origin_, why_;
  double seconds_ = 0;
  std::atomic<State> state_ = State::compiling;

  std::once_flag loaded_;
  std::vector<const void*> functions_;
};

}  // namespace ostinato

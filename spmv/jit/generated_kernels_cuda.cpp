// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/jit/generated_kernels.hpp>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>

#include <ostinato/spmv/base/disk_cache.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/jit/nvrtc.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/version.hpp>

namespace ostinato {
namespace {

/// During its lifetime, the calling thread blocks all signals.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

/// A thread that blocks all signals. When the thread can't be started, the result isn't joinable.
template <class F>
std::thread quiet_thread(F run) {
  const BlockedSignals blocked;
  try {
    return std::thread(run);
  } catch (const std::system_error&) {
    return {};  // the caller checks joinable()
  }
}

}  // namespace

/// The compiling thread, its queue, and the latest requests.
///
/// The Service is never destroyed, because its last user may come after any destructor. The end of the program calls
/// stop() instead. stop() must run before NVRTC destroys its static objects. There are thousands of these objects, and
/// the first compilation creates some of them.
class GeneratedKernels::Service {
 public:
  static Service& get() {
    static Service* const service = new Service;
    return *service;
  }

  std::shared_ptr<GeneratedKernels> request(std::string architecture, std::string source,
                                            std::vector<std::string> names);
  void forget();

 private:
  struct Job {
    std::shared_ptr<GeneratedKernels> kernels;
    DiskCache cache;
    std::string key;
  };

  /// Stops the Service when the main thread calls exit(), which first destroys the thread_local objects of that thread.
  struct StopsWithMainThread {
    ~StopsWithMainThread() {
      if (::syscall(SYS_gettid) == ::getpid()) get().stop();
    }
  };

  static constexpr std::size_t most_recent = 64;

  Service() { stop_at_exit(); }

  /// Stops the Service when another thread calls exit(). Exit handlers run in reverse order, so this handler runs
  /// before the handlers registered so far.
  static void stop_at_exit() {
    (void)std::atexit([] { get().stop(); });
  }

  static std::shared_ptr<GeneratedKernels> failed(std::string architecture, std::string source,
                                                  std::vector<std::string> names);
  void find_or_enqueue(const std::shared_ptr<GeneratedKernels>& kernels);
  void run();
  void compile(GeneratedKernels& kernels, const DiskCache& cache, const std::string& key);
  void warm_up(const std::string& architecture);
  void stop();
  std::string key(const GeneratedKernels& kernels) const;

  const Nvrtc nvrtc_;
  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  std::vector<std::shared_ptr<GeneratedKernels>> recent_;  ///< most recent first
  std::thread thread_;
  std::atomic<bool> stopping_ = false;
  bool warm_ = false;
};

std::shared_ptr<GeneratedKernels> GeneratedKernels::Service::request(std::string architecture, std::string source,
                                                                     std::vector<std::string> names) {
  thread_local StopsWithMainThread stops;
  // A fork copies neither the compiling thread nor its hold on the mutex.
  if (::getpid() != process_) return failed(std::move(architecture), std::move(source), std::move(names));
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(recent_.begin(), recent_.end(), [&](const auto& k) {
    return k->source_ == source && k->names_ == names && k->architecture_ == architecture;
  });
  if (found != recent_.end()) {
    std::rotate(recent_.begin(), found, found + 1);
    if (recent_.front()->state() != State::failed || recent_.front()->is_refused_) return recent_.front();
    recent_.erase(recent_.begin());  // memory was short, for example
  }
  if (recent_.size() == most_recent) recent_.pop_back();
  const std::shared_ptr<GeneratedKernels> kernels(
      new GeneratedKernels(std::move(architecture), std::move(source), std::move(names)));
  find_or_enqueue(kernels);
  recent_.insert(recent_.begin(), kernels);
  return kernels;
}

std::shared_ptr<GeneratedKernels> GeneratedKernels::Service::failed(std::string architecture, std::string source,
                                                                    std::vector<std::string> names) {
  std::shared_ptr<GeneratedKernels> kernels(
      new GeneratedKernels(std::move(architecture), std::move(source), std::move(names)));
  kernels->fail("no compilation: the program was forked");
  return kernels;
}

void GeneratedKernels::Service::find_or_enqueue(const std::shared_ptr<GeneratedKernels>& kernels) {
  if (!nvrtc_.why_absent().empty()) return kernels->fail(nvrtc_.why_absent());
  if (stopping_) return kernels->fail("no compilation: the program is ending");
  Job job{kernels, DiskCache::of_user(), key(*kernels)};
  if (std::optional<std::string> cubin = job.cache.load(job.key)) {
    return kernels->succeed(std::move(*cubin), "disk cache", 0);
  }
  if (!thread_.joinable()) thread_ = quiet_thread([this] { run(); });
  if (!thread_.joinable()) return kernels->fail("no compilation: a thread can't be started");
  queue_.push_back(std::move(job));
  changed_.notify_one();
}

void GeneratedKernels::Service::forget() {
  if (::getpid() != process_) return;
  const std::lock_guard lock(mutex_);
  recent_.clear();
}

void GeneratedKernels::Service::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) break;
    {
      const Job job = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      compile(*job.kernels, job.cache, job.key);
    }
    lock.lock();
  }
  for (const Job& job : queue_) job.kernels->fail("no compilation: the program is ending");
  queue_.clear();
}

void GeneratedKernels::Service::compile(GeneratedKernels& kernels, const DiskCache& cache, const std::string& key) {
  try {
    warm_up(kernels.architecture_);
    const Stopwatch watch;
    Nvrtc::Result result = nvrtc_.compile(kernels.source_, kernels.architecture_, stopping_);
    const double seconds = watch.seconds();
    if (result.cubin.empty()) return kernels.fail(result.failure, true);
    (void)cache.store(key, result.cubin);
    kernels.succeed(std::move(result.cubin), "compiled", seconds);
  } catch (const std::exception& e) {
    kernels.fail(e.what());
  }
}

/// Makes NVRTC create the static objects of its first compilation. stop_at_exit() then registers a handler that runs
/// before the destructors of these objects.
void GeneratedKernels::Service::warm_up(const std::string& architecture) {
  if (std::exchange(warm_, true)) return;
  (void)nvrtc_.compile("extern \"C\" __global__ void warm_up() {}", architecture, stopping_);
  stop_at_exit();
}

/// Does nothing in a forked child, because a fork doesn't copy the compiling thread.
void GeneratedKernels::Service::stop() {
  if (::getpid() != process_) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string GeneratedKernels::Service::key(const GeneratedKernels& kernels) const {
  std::string text = "Ostinato " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                     std::to_string(version.patch) + "\nNVRTC " + nvrtc_.version();
  for (const std::string& option : Nvrtc::options(kernels.architecture_)) text += "\noption " + option;
  for (const std::string& name : kernels.names_) text += "\nkernel " + name;
  return text + "\n" + kernels.source_;
}

GeneratedKernels::GeneratedKernels(std::string architecture, std::string source, std::vector<std::string> names)
    : architecture_(std::move(architecture)),
      source_(std::move(source)),
      names_(std::move(names)),
      process_(::getpid()) {}

/// Whoever waits has to be told, with a reason or, where memory has ended, without one.
void GeneratedKernels::fail(std::string_view why, bool by_compiler) noexcept {
  is_refused_ = by_compiler;
  try {
    why_ = why;
  } catch (const std::bad_alloc&) {
    why_.clear();
  }
  become(State::failed);
}

std::shared_ptr<GeneratedKernels> GeneratedKernels::request(const Cuda& space, std::string source,
                                                            std::vector<std::string> names) {
  const cudaDeviceProp& properties = space.state().properties;
  return request("sm_" + std::to_string(properties.major) + std::to_string(properties.minor), std::move(source),
                 std::move(names));
}

std::shared_ptr<GeneratedKernels> GeneratedKernels::request(std::string architecture, std::string source,
                                                            std::vector<std::string> names) {
  return Service::get().request(std::move(architecture), std::move(source), std::move(names));
}

void GeneratedKernels::forget() { Service::get().forget(); }

const void* GeneratedKernels::function(std::size_t k) {
  if (state() != State::ready) return nullptr;
  std::call_once(opened_, [this] { open(); });
  return k < functions_.size() ? load(functions_[k]) : nullptr;
}

/// Makes the driver load a kernel onto the current device now instead of at the first launch there.
const void* GeneratedKernels::load(const void* kernel) {
  const std::lock_guard lock(loading_);
  const OutsideOfCapture outside;
  cudaFuncAttributes attributes{};
  OSTINATO_CUDA(cudaFuncGetAttributes(&attributes, kernel));
  return kernel;
}

/// Hands the code to the runtime, for all devices. The code, some tens of kilobytes, is never unloaded, because its
/// kernels may run or be part of a CUDA graph when their owner is destroyed.
void GeneratedKernels::open() {
  try {
    const OutsideOfCapture outside;
    cudaLibrary_t library = nullptr;
    OSTINATO_CUDA(cudaLibraryLoadData(&library, cubin_.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    std::vector<const void*> functions;
    for (const std::string& name : names_) {
      cudaKernel_t kernel = nullptr;
      OSTINATO_CUDA(cudaLibraryGetKernel(&kernel, library, name.c_str()));
      functions.push_back(kernel);
    }
    functions_ = std::move(functions);
  } catch (const DeviceError& e) {
    fail(e.what());
  }
}

}  // namespace ostinato

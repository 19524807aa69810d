// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/cuda/on_device.hpp>

#include <cuda.h>
#include <dlfcn.h>

#include <string>
#include <thread>

#include <ostinato/spmv/space/cuda/library.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

namespace {

/// The functions of the driver that the runtime has no counterpart of. The library isn't linked with the driver, so
/// that programs start on machines without one.
class Driver {
 public:
  static const Driver& get() {
    static const Driver driver;
    return driver;
  }

  CUresult (*init)(unsigned) = nullptr;
  CUresult (*retain)(CUcontext*, CUdevice) = nullptr;
  CUresult (*current)(CUcontext*) = nullptr;
  CUresult (*push)(CUcontext) = nullptr;
  CUresult (*pop)(CUcontext*) = nullptr;
  CUresult (*error_text)(CUresult, const char**) = nullptr;

  bool usable() const { return usable_; }

 private:
  Driver() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    usable_ = library != nullptr && cuda::find_function(library, "cuInit", init) &&
              cuda::find_function(library, "cuDevicePrimaryCtxRetain", retain) &&
              cuda::find_function(library, "cuCtxGetCurrent", current) &&
              cuda::find_function(library, "cuCtxPushCurrent_v2", push) &&
              cuda::find_function(library, "cuCtxPopCurrent_v2", pop) &&
              cuda::find_function(library, "cuGetErrorString", error_text);
  }

  bool usable_ = false;
};

void check(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  const char* text = nullptr;
  if (Driver::get().error_text(code, &text) != CUDA_SUCCESS || text == nullptr) text = "unknown error";
  const std::string message = std::string("CUDA: ") + text + " in " + what;
  if (code == CUDA_ERROR_OUT_OF_MEMORY) throw DeviceMemoryError(message);
  throw DeviceError(message);
}

bool is_current(CUcontext context) {
  CUcontext now = nullptr;
  return Driver::get().current(&now) == CUDA_SUCCESS && now == context;
}

/// Returns true when this thread takes the space, false when the thread has it already.
bool enter(const Cuda::State& state) {
  std::thread::id owner;
  if (state.user.compare_exchange_strong(owner, std::this_thread::get_id(), std::memory_order_acquire)) return true;
  if (owner == std::this_thread::get_id()) return false;
  throw DeviceError(
      "two host threads use one Cuda space at the same time; give each thread a Cuda of its own instead of a copy");
}

}  // namespace

CUctx_st* OnDevice::primary_context(int device) {
  const Driver& driver = Driver::get();
  if (!driver.usable()) throw DeviceError("no NVIDIA driver that fits this build");
  CUcontext context = nullptr;
  check(driver.init(0), "cuInit");
  check(driver.retain(&context, device), "cuDevicePrimaryCtxRetain");
  return context;
}

OnDevice::OnDevice(int device) {
  CUctx_st* const context = primary_context(device);
  if (is_current(context)) return;
  check(Driver::get().push(context), "cuCtxPushCurrent");
  pushed_ = true;
}

OnDevice::OnDevice(const Cuda::State& state) : entered_(enter(state) ? &state : nullptr) {
  if (is_current(state.context)) return;
  const CUresult code = Driver::get().push(state.context);
  pushed_ = code == CUDA_SUCCESS;
  if (pushed_) return;
  if (entered_ != nullptr) state.user.store({}, std::memory_order_release);  // no destructor runs
  check(code, "cuCtxPushCurrent");
}

OnDevice::OnDevice(const Cuda::State& state, Quietly) noexcept
    : pushed_(state.context != nullptr && !is_current(state.context) &&
              Driver::get().push(state.context) == CUDA_SUCCESS),
      clears_(cudaPeekAtLastError() == cudaSuccess) {}

OnDevice::~OnDevice() {
  CUcontext context = nullptr;
  if (clears_) (void)cudaGetLastError();
  if (pushed_) (void)Driver::get().pop(&context);
  if (entered_ != nullptr) entered_->user.store({}, std::memory_order_release);
}

}  // namespace ostinato

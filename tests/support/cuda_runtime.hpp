// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>

// What tests ask of the CUDA runtime and of the driver, as a caller of the library would. The tests aren't linked with
// either; a test that has a Cuda object finds both in the process.

namespace ostinato::test {

template <class Function>
Function cuda_function(const char* name) {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<Function>(found);
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const found = driver != nullptr ? dlsym(driver, name) : nullptr;
  EXPECT_NE(found, nullptr) << name;
  return reinterpret_cast<Function>(found);
}

inline int current_device() {
  int device = -1;
  EXPECT_EQ(cuda_function<int (*)(int*)>("cudaGetDevice")(&device), 0);
  return device;
}

inline void make_current(int device) { ASSERT_EQ(cuda_function<int (*)(int)>("cudaSetDevice")(device), 0); }

/// Whether the process has a context on the GPU, which takes some hundred MB there.
inline bool has_context(int device) {
  unsigned flags = 0;
  int active = -1;
  EXPECT_EQ(cuda_function<int (*)(int, unsigned*, int*)>("cuDevicePrimaryCtxGetState")(device, &flags, &active), 0);
  return active != 0;
}

/// Bytes that the driver can still give on the current device.
inline std::size_t free_device_bytes() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cuda_function<int (*)(std::size_t*, std::size_t*)>("cudaMemGetInfo")(&free, &total), 0);
  return free;
}

/// The code of the last error that a runtime call left behind; reading it clears it.
inline int last_cuda_error() { return cuda_function<int (*)()>("cudaGetLastError")(); }

}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/gpu_context.hpp>

#include <dlfcn.h>

namespace ostinato {

/// A driver that isn't loaded has no context, and one that isn't initialised says so.
bool has_gpu_context(int gpu) noexcept {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return false;
  using State = int (*)(int gpu, unsigned* flags, int* active);
  const auto state = reinterpret_cast<State>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  unsigned flags = 0;
  int active = 0;
  const bool is_known = state != nullptr && state(gpu, &flags, &active) == 0;
  (void)dlclose(driver);
  return is_known && active != 0;
}

}  // namespace ostinato

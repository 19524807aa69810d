// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/gpu_context.hpp>

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace ostinato {

namespace {

constexpr int failure = -1;  // no code of the driver

/// How many objects the process has ever loaded.
unsigned long long loaded_objects() noexcept {
  unsigned long long count = 0;
  const auto take = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<unsigned long long*>(to) = info->dlpi_adds;
    return 1;  // one call says it
  };
  (void)dl_iterate_phdr(take, &count);
  return count;
}

/// The driver where it is loaded; dlclose() gives it back. To look for one that isn't takes some 30 us, and is left out
/// until something is loaded.
void* loaded_driver() noexcept {
  static std::atomic<unsigned long long> looked_at = 0;
  const unsigned long long now = loaded_objects();
  if (looked_at == now) return nullptr;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) looked_at = now;
  return driver;
}

/// Calls a function of the driver, and returns its code. A driver that isn't loaded fails, as does one that isn't
/// initialised.
template <class... Arguments>
int call_driver(const char* name, Arguments... arguments) noexcept {
  void* const driver = loaded_driver();
  if (driver == nullptr) return failure;
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, name));
  const int code = function == nullptr ? failure : function(arguments...);
  (void)dlclose(driver);
  return code;
}

/// An attribute of memory (CUpointer_attribute); `otherwise` for memory that the driver doesn't know.
template <class Value>
Value attribute_of(const void* p, int attribute, Value otherwise) noexcept {
  Value value = otherwise;
  const auto address = reinterpret_cast<unsigned long long>(p);
  const int code = call_driver("cuPointerGetAttribute", static_cast<void*>(&value), attribute, address);
  return code == 0 ? value : otherwise;
}

}  // namespace

bool has_gpu_context(int gpu) noexcept {
  unsigned flags = 0;
  int active = 0;
  return call_driver("cuDevicePrimaryCtxGetState", gpu, &flags, &active) == 0 && active != 0;
}

int gpu_of_memory(const void* p) noexcept {
  constexpr int memory_type = 2, is_managed = 8, device_ordinal = 9;
  constexpr unsigned device_memory = 2;
  if (p == nullptr || attribute_of<unsigned>(p, memory_type, 0) != device_memory) return -1;
  return attribute_of<unsigned>(p, is_managed, 0) != 0 ? -1 : attribute_of<int>(p, device_ordinal, -1);
}

std::string name_of_gpu(int gpu) {
  constexpr const char* digits = "0123456789abcdef";
  std::array<unsigned char, 16> number{};
  void* const to = number.data();
  // The second version tells parts of a GPU (MIG) apart.
  if (call_driver("cuDeviceGetUuid_v2", to, gpu) != 0 && call_driver("cuDeviceGetUuid", to, gpu) != 0) return {};
  std::string name;
  for (const unsigned char byte : number) name += {digits[byte / 16], digits[byte % 16]};
  return name;
}

}  // namespace ostinato

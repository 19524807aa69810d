// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <cublas_api.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <dlfcn.h>

#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/cuda/cudss.hpp>
#include <ostinato/spmv/space/cuda/library.hpp>
#include <ostinato/spmv/space/libraries.hpp>

namespace ostinato::cuda {

namespace {

/// The folder of the CUDA runtime in use, with a slash at the end; empty when unknown.
std::string runtime_folder() {
  Dl_info info{};
  void* const known = dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion");
  if (known == nullptr || dladdr(known, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace

void* open_library(const std::string& stem, int major, Versions versions, std::string& why) {
  const std::string unversioned = "lib" + stem + ".so", name = unversioned + "." + std::to_string(major);
  for (const std::string& path : {name, runtime_folder() + name, OSTINATO_CUDA_FOLDER "/" + name, unversioned}) {
    if (path == unversioned && versions == Versions::of_build) break;
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    if (const char* const reason = dlerror(); why.empty() && reason != nullptr) why = reason;
  }
  return nullptr;
}

void* function_of(void* library, const char* name) { return dlsym(library, name); }

Functions::Functions(std::string title, const std::string& stem, int major) : title_(std::move(title)) {
  std::string why;
  library_ = open_library(stem, major, Versions::of_build, why);
  if (library_ == nullptr) throw DeviceError(title_ + " not found: " + why);
}

void Functions::throw_missing(const char* name) const {
  throw DeviceError(title_ + " can't be used: the library has no function " + name);
}

}  // namespace ostinato::cuda

std::string ostinato::cuda_libraries() {
  const auto found = [](const char* name, const char* stem, int major, cuda::Versions versions) {
    std::string why;
    return (cuda::open_library(stem, major, versions, why) != nullptr ? "" : "no ") + std::string(name);
  };
  return found("cuBLAS", "cublas", CUBLAS_VER_MAJOR, cuda::Versions::of_build) + ", " +
         found("cuSPARSE", "cusparse", CUSPARSE_VER_MAJOR, cuda::Versions::of_build) + ", " +
         found("NVRTC", "nvrtc", CUDART_VERSION / 1000, cuda::Versions::any) + ", " +
         found("cuDSS", "cudss", cuda::Cudss::major, cuda::Versions::of_build);
}

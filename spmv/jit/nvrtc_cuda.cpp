// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/jit/nvrtc.hpp>

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <memory>
#include <type_traits>

namespace ostinato {
namespace {

/// The folder of the CUDA runtime in use, with a slash at the end; empty when unknown.
std::string runtime_folder() {
  Dl_info info{};
  void* const known = dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion");
  if (known == nullptr || dladdr(known, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

/// Opens NVRTC in the CUDA version of this build, from the loader's path or next to the CUDA runtime; otherwise any
/// NVRTC.
void* open_library(std::string& why) {
  const std::string name = "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000);
  for (const std::string& path : {name, runtime_folder() + name, std::string("libnvrtc.so")}) {
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    if (const char* const reason = dlerror(); why.empty() && reason != nullptr) why = reason;
  }
  return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

int is_set(void* flag, void*) { return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0; }

}  // namespace

Nvrtc::Nvrtc() {
  std::string why;
  if (void* const library = open_library(why)) {
    find_functions(library);
  } else {
    why_absent_ = "NVRTC not found: " + why;
  }
}

void Nvrtc::find_functions(void* library) {
  const bool complete =
      find(library, "nvrtcVersion", call_.version) && find(library, "nvrtcGetErrorString", call_.error_string) &&
      find(library, "nvrtcCreateProgram", call_.create) && find(library, "nvrtcDestroyProgram", call_.destroy) &&
      find(library, "nvrtcCompileProgram", call_.compile) && find(library, "nvrtcGetCUBINSize", call_.cubin_size) &&
      find(library, "nvrtcGetCUBIN", call_.cubin) && find(library, "nvrtcGetProgramLogSize", call_.log_size) &&
      find(library, "nvrtcGetProgramLog", call_.log);
  if (!complete) why_absent_ = "NVRTC not found: the library lacks functions that are needed";
  (void)find(library, "nvrtcSetFlowCallback", call_.set_flow_callback);
}

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  (void)call_.version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

// Generated code requests each fused multiply-add explicitly, so that its results equal those of the precompiled
// kernels.
std::vector<std::string> Nvrtc::options(const std::string& architecture) {
  return {"--gpu-architecture=" + architecture, "--std=c++17", "--fmad=false", "--device-as-default-execution-space"};
}

Nvrtc::Result Nvrtc::compile(const std::string& source, const std::string& architecture,
                             const std::atomic<bool>& cancelled) const {
  nvrtcProgram program = nullptr;
  nvrtcResult code = call_.create(&program, source.c_str(), "generated.cu", 0, nullptr, nullptr);
  if (code != NVRTC_SUCCESS) return {"", std::string("NVRTC: ") + call_.error_string(code)};
  const auto destroy = [this](nvrtcProgram p) { (void)call_.destroy(&p); };
  const std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, decltype(destroy)> owner(program, destroy);

  if (call_.set_flow_callback != nullptr) {
    (void)call_.set_flow_callback(program, is_set, const_cast<std::atomic<bool>*>(&cancelled));
  }
  const std::vector<std::string> texts = options(architecture);
  std::vector<const char*> arguments;
  for (const std::string& text : texts) arguments.push_back(text.c_str());
  code = call_.compile(program, static_cast<int>(arguments.size()), arguments.data());
  if (code != NVRTC_SUCCESS) {
    return {"", std::string("NVRTC for ") + architecture + ": " + call_.error_string(code) + "\n" + log(program)};
  }
  std::string code_of_gpu = cubin(program);
  if (code_of_gpu.empty()) return {"", "NVRTC for " + architecture + ": no cubin"};
  return {std::move(code_of_gpu), ""};
}

std::string Nvrtc::log(nvrtcProgram program) const {
  std::size_t size = 0;
  if (call_.log_size(program, &size) != NVRTC_SUCCESS) return "";
  std::string text(size, '\0');
  if (size == 0 || call_.log(program, text.data()) != NVRTC_SUCCESS) return "";
  return text.substr(0, text.find_last_not_of(std::string("\0\n", 2)) + 1);
}

std::string Nvrtc::cubin(nvrtcProgram program) const {
  std::size_t size = 0;
  if (call_.cubin_size(program, &size) != NVRTC_SUCCESS) return "";
  std::string bytes(size, '\0');
  return size > 0 && call_.cubin(program, bytes.data()) == NVRTC_SUCCESS ? bytes : "";
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/jit/nvrtc.hpp>

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include <ostinato/spmv/space/cuda/library.hpp>

namespace ostinato {
namespace {

int is_set(void* flag, void*) { return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0; }

}  // namespace

Nvrtc::Nvrtc() {
  std::string why;
  if (void* const library = cuda::open_library("nvrtc", CUDART_VERSION / 1000, cuda::Versions::any, why)) {
    find_functions(library);
  } else {
    why_absent_ = "NVRTC not found: " + why;
  }
}

void Nvrtc::find_functions(void* library) {
  const bool complete = cuda::find_function(library, "nvrtcVersion", call_.version) &&
                        cuda::find_function(library, "nvrtcGetErrorString", call_.error_string) &&
                        cuda::find_function(library, "nvrtcCreateProgram", call_.create) &&
                        cuda::find_function(library, "nvrtcDestroyProgram", call_.destroy) &&
                        cuda::find_function(library, "nvrtcCompileProgram", call_.compile) &&
                        cuda::find_function(library, "nvrtcGetCUBINSize", call_.cubin_size) &&
                        cuda::find_function(library, "nvrtcGetCUBIN", call_.cubin) &&
                        cuda::find_function(library, "nvrtcGetProgramLogSize", call_.log_size) &&
                        cuda::find_function(library, "nvrtcGetProgramLog", call_.log);
  if (!complete) why_absent_ = "NVRTC not found: the library lacks functions that are needed";
  (void)cuda::find_function(library, "nvrtcSetFlowCallback", call_.set_flow_callback);
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

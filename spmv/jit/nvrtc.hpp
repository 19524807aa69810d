// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvrtc.h>

#include <atomic>
#include <string>
#include <vector>

namespace ostinato {

/// NVRTC, the run-time compiler of CUDA. The library is opened at run time and stays open, so programs also work where
/// NVRTC isn't installed.
class Nvrtc {
 public:
  struct Result {
    std::string cubin;
    std::string failure;  ///< the compiler's log; empty when there is a cubin
  };

  Nvrtc();

  const std::string& why_absent() const { return why_absent_; }  ///< empty when NVRTC was found
  std::string version() const;                                   ///< "13.0"

  /// The compiler options for every source.
  static std::vector<std::string> options(const std::string& architecture);

  /// Compiles for an architecture such as "sm_90". When `cancelled` is set, the compilation soon ends without a cubin.
  Result compile(const std::string& source, const std::string& architecture, const std::atomic<bool>& cancelled) const;

 private:
  /// Pointers to the NVRTC functions in use, with the types from nvrtc.h.
  struct Functions {
    decltype(&nvrtcVersion) version = nullptr;
    decltype(&nvrtcGetErrorString) error_string = nullptr;
    decltype(&nvrtcCreateProgram) create = nullptr;
    decltype(&nvrtcDestroyProgram) destroy = nullptr;
    decltype(&nvrtcCompileProgram) compile = nullptr;
    decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
    decltype(&nvrtcGetCUBIN) cubin = nullptr;
    decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
    decltype(&nvrtcGetProgramLog) log = nullptr;
    int (*set_flow_callback)(nvrtcProgram, int (*)(void*, void*), void*) = nullptr;  ///< null before CUDA 12.8
  };

  void find_functions(void* library);
  std::string log(nvrtcProgram program) const;
  std::string cubin(nvrtcProgram program) const;

  Functions call_;
  std::string why_absent_;
};

}  // namespace ostinato

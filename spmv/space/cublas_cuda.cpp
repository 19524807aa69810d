// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>

#include <ostinato/spmv/space/cuda/cublas.hpp>
#include <ostinato/spmv/space/cuda/library.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato::cuda {

namespace {

std::atomic<bool> closed = false;

/// Made after cuBLAS was opened, so that its destructor runs before those of cuBLAS.
struct EndOfProgram {
  ~EndOfProgram() { closed = true; }
};

Cublas opened() {
  std::string why;
  void* const library = open_library("cublas", CUBLAS_VER_MAJOR, Versions::of_build, why);
  if (library == nullptr) throw DeviceError("cuBLAS not found: " + why);
  Cublas found{};
  const bool is_complete = find_function(library, "cublasCreate_v2", found.create) &&
                           find_function(library, "cublasDestroy_v2", found.destroy) &&
                           find_function(library, "cublasSetStream_v2", found.set_stream) &&
                           find_function(library, "cublasGetStatusString", found.status_string) &&
                           find_function(library, "cublasSgemv_v2_64", found.sgemv) &&
                           find_function(library, "cublasDgemv_v2_64", found.dgemv) &&
                           find_function(library, "cublasSgemm_v2_64", found.sgemm) &&
                           find_function(library, "cublasDgemm_v2_64", found.dgemm);
  if (!is_complete) throw DeviceError("cuBLAS not found: the library lacks functions that are needed");
  return found;
}

}  // namespace

const Cublas& Cublas::get() {
  static const Cublas cublas = opened();
  static const EndOfProgram end;
  return cublas;
}

bool Cublas::is_closed() { return closed; }

void cublas_check(cublasStatus_t code, const char* what) {
  if (code == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(std::string("cuBLAS: ") + Cublas::get().status_string(code) + " in " + what);
}

}  // namespace ostinato::cuda

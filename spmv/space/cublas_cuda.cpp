// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/cuda/cublas.hpp>

namespace ostinato::cuda {

Cublas Cublas::opened() {
  const Functions functions("cuBLAS", "cublas", CUBLAS_VER_MAJOR);
  Cublas found{};
  functions.find("cublasCreate_v2", found.create);
  functions.find("cublasDestroy_v2", found.destroy);
  functions.find("cublasSetStream_v2", found.set_stream);
  functions.find("cublasGetStatusString", found.status_string);
  functions.find("cublasSgemm_v2_64", found.sgemm);
  functions.find("cublasDgemm_v2_64", found.dgemm);
  return found;
}

void cublas_check(cublasStatus_t code, const char* what) {
  if (code == CUBLAS_STATUS_SUCCESS) return;
  const std::string text = std::string("cuBLAS: ") + Cublas::get().status_string(code) + " in " + what;
  if (code == CUBLAS_STATUS_ALLOC_FAILED) throw DeviceMemoryError(text);
  throw DeviceError(text);
}

}  // namespace ostinato::cuda

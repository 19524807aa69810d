// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Headers and error checks for the source files that call cuBLAS or cuSPARSE.

#include <cublas_v2.h>
#include <cusparse.h>

#include <string>

#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

inline void cublas_check(cublasStatus_t code, const char* what) {
  if (code != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string("cuBLAS: ") + cublasGetStatusString(code) + " in " + what);
}

inline void cusparse_check(cusparseStatus_t code, const char* what) {
  if (code != CUSPARSE_STATUS_SUCCESS)
    throw DeviceError(std::string("cuSPARSE: ") + cusparseGetErrorString(code) + " in " + what);
}

#define OSTINATO_CUBLAS(call) ::ostinato::cublas_check(call, #call)
#define OSTINATO_CUSPARSE(call) ::ostinato::cusparse_check(call, #call)

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Header and error checks for the source files that call cuSPARSE.

#include <cusparse.h>

#include <string>

#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

inline void cusparse_check(cusparseStatus_t code, const char* what) {
  if (code != CUSPARSE_STATUS_SUCCESS)
    throw DeviceError(std::string("cuSPARSE: ") + cusparseGetErrorString(code) + " in " + what);
}

#define OSTINATO_CUSPARSE(call) ::ostinato::cusparse_check(call, #call)

}  // namespace ostinato

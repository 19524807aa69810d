// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ostinato {

/// The libraries of CUDA that are opened when they are needed: "cuBLAS, no cuSPARSE, NVRTC, no cuDSS". Empty
/// without CUDA.
/// Exec      Opens them, which takes tenths of a second. Needs no GPU.
std::string cuda_libraries();

}  // namespace ostinato

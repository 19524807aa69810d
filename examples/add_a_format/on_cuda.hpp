// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>

/// Multiplies and solves in format padded-columns on the GPU. Returns false when a result is wrong. Without a GPU or
/// without CUDA, prints a message and returns true. CMake chooses the source: on_cuda.cpp or on_cuda_absent.cpp.
bool show_on_cuda(const ostinato::Csr<double>& matrix);

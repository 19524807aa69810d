// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>

/// Multiplies with padded-columns and solves on the GPU. False when something is wrong with the result; without a GPU,
/// or in a build without CUDA, it says so and returns true. CMake chooses the body: on_cuda.cpp or on_cuda_absent.cpp.
bool show_on_cuda(const ostinato::Csr<double>& matrix);

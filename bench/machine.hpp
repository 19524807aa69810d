// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/cost/machine.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato::bench {

/// Measures the constants of a GPU as medians; allocates 2 GiB of GPU memory. term_seconds isn't measured but taken
/// from the library's table, because it stands for whole kernels (masked and mirrored diagonals) and not for any one
/// instruction. Never called in a build without CUDA.
Calibration measure(const Cuda& space);

}  // namespace ostinato::bench

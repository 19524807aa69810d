// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/formats/machine.hpp>

namespace ostinato::bench {

/// The micro-measurements on a GPU, medians; they take 2 GiB of it. What isn't measured is as the library has it:
/// term_seconds, which stands for whole kernels (masked and mirrored diagonals) and not for any one instruction.
/// Never called in a build without CUDA.
Calibration measure(const Cuda& space);

}  // namespace ostinato::bench

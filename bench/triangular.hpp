// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ostinato::bench {

/// Prints triangular solves on a GPU beside those of cuSPARSE, double precision. Throws in a build without CUDA.
void compare_with_cusparse(const std::vector<std::string>& names);

/// The same for the making of ILU(0).
void compare_ilu0_with_cusparse(const std::vector<std::string>& names);

/// Prints the times of both sweeps by how many levels the GPU has at work at once. Throws in a build without CUDA.
void time_look_aheads(const std::vector<std::string>& names);

}  // namespace ostinato::bench

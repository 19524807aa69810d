// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ostinato::bench {

/// Prints triangular solves and ILU(0) on a GPU beside those of cuSPARSE, double precision. Throws in a build without
/// CUDA.
void compare_with_cusparse(const std::vector<std::string>& names);

}  // namespace ostinato::bench

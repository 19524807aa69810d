// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ostinato::multigrid {

/// Inverts a dense matrix of n rows of n in place.
///
/// may_lift  Whether a symmetric matrix that isn't positive definite gets the little on its diagonal that makes it so:
///           no more than the rounding of an operator in float may have taken away.
/// Throws    ArgumentError for a singular matrix.
void invert_dense(std::vector<double>& m, std::size_t n, bool may_lift);

}  // namespace ostinato::multigrid

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/solvers/options.hpp>

#include "drawing.hpp"

namespace ostinato::cli::html {

/// The residual over the seconds since the first preconditioner was begun, with the goal, the recomputed residuals of
/// stages and the places where another method took over; below that a bar of the stages. An iteration takes the mean
/// time of its stage. Over iterations, without a bar, where no time was taken. At most 400 iterations are drawn one by
/// one; of more, the least and the greatest residual of each of 200 stretches.
/// `goal`: the residual over ||b|| that ends the solve (relative_goal()).
/// Requires  A history of two residuals or more.
Drawing draw_convergence(const SolveResult& result, double goal);

/// Whether there is anything to draw: two residuals that are positive and finite.
bool has_convergence(const SolveResult& result);

}  // namespace ostinato::cli::html

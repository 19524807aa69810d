// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solve_input.hpp"

namespace ostinato::cli {

/// `solve` on the ranks of MPI, of which each runs this, on CPUs or GPUs, or with --gpus on GPUs, each with a thread of
/// this process.
/// Rank 0 prints and writes files. Returns the exit code.
/// Throws    UsageError for options that ranks don't have, and where there is no MPI, or fewer GPUs.
int solve_on_ranks(const SolveInput& in);

}  // namespace ostinato::cli

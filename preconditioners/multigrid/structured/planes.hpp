// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The way up a large grid of three dimensions in one kernel, on Cuda (passes.hpp).

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

namespace ostinato::multigrid {

/// The target := x + omega (b - A x), where b is the source and x = omega b + P coarse.
/// Exec      Enqueued.
/// Requires  Coefficients by class, a star in three dimensions whose axes are all halved.
/// Traffic   Reads the source once and writes the target once.
template <class T>
void ascend_planes(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source,
                   const float* coarse, const Target<T>& target);

}  // namespace ostinato::multigrid

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The work of a cycle on a level in two kernels, on Cuda: down in one pass over the grid, up in another. What lies
// between (x, the residual) isn't stored. Cycle does the same with the steps of cycle_steps.hpp elsewhere.

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

namespace ostinato::multigrid {

/// Whether there are the kernels `descend` and `ascend` for a level, and whether they are faster than single steps.
inline bool has_passes(const Host&, const Level<Host>&) { return false; }
bool has_passes(const Cuda& space, const Level<Cuda>& level);

/// b of the next level := P^T (b - A omega b), where b is the source and omega the damping of the sweep.
/// Exec      Enqueued.
/// Requires  has_passes(space, level).
/// Traffic   Reads the source once.
template <class T>
void descend(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source, float* b_of_next);

/// The target := x + omega (b - A x), where x = omega b + P coarse.
/// Exec      Enqueued.
/// Requires  has_passes(space, level).
/// Traffic   Reads the source twice and writes the target once.
template <class T>
void ascend(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source, const float* coarse,
            const Target<T>& target);

}  // namespace ostinato::multigrid

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes over plain grids of three dimensions (PlainStar), as a Poisson problem has them, on Cuda (passes.hpp).

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/structured/own_planes.hpp>

namespace ostinato::multigrid {

/// How many sums there are.
std::size_t sums_of_planes(const Extents& grid, Index begin, Index end, Index deep);

/// b of the next level := P^T (b - A omega b), where b is the source.
/// Exec      Enqueued.
/// Requires  level.plain; T is float where level.plain_star.ends_differ().
/// `own`: the planes of a rank; null for all.
/// Traffic   Reads the source once.
template <class T>
void descend_planes(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source, float* b_of_next,
                    const OwnPlanes<T>* own = nullptr);

/// The target := x + omega (b - A x), where b is the source and x = omega b + P coarse.
/// Exec      Enqueued.
/// Requires  As descend_planes(). `coarse` and the target are where point 0 would be.
/// Traffic   Reads the source once and writes the target once.
template <class T>
void ascend_planes(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source,
                   const float* coarse, const Target<T>& target, const OwnPlanes<T>* own = nullptr);

}  // namespace ostinato::multigrid

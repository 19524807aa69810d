// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <ostinato/spmv/analysis/structure.hpp>

namespace ostinato {

/// From so many rows on, "auto" leaves a slow preconditioner for a hierarchy. For fewer an iteration on a GPU takes the
/// time of its launches, and on a CPU factors are faster.
inline constexpr Index fewest_rows_of_hierarchy = 20000;

/// What takes the place of Jacobi, or of no preconditioner, under CG on a GPU, where the solve would take `seconds`
/// from now on: "fsai", "chebyshev", or nothing where it isn't faster to leave. `entries`: of A.
///
/// Model     A set-up beside that of Jacobi, and a share of the time with Jacobi, from docs/performance.md, "Jacobi,
///           FSAI and Chebyshev on an H200" (2026-11). Shares are the geometric means of the ten matrices there with
///           less than two million entries: 0.53 for fsai (0.30 to 0.80), 0.63 for chebyshev (0.53 to 0.74). A new
///           start, at which CG loses what it knows, counts as 0.8 ms more: the start of a solve, and some 40
///           iterations, after which the Ritz values (RitzForecast) tell how many there will be. Of two that pay, the
///           one that takes less where half as much again is left. The 8 ms that the first use of a kernel takes are
///           left out.
/// Limits    Below fewest_rows_of_hierarchy.
std::string_view faster_than_jacobi_on_gpu(double entries, double seconds);

/// Whether CG on a GPU does better with fsai from the start: on matrices so small that fsai is made in the time of some
/// 50 iterations, and whose rows aren't dominated by their diagonal, which the caller has seen. To begin with Jacobi
/// and to leave it costs some 90 iterations.
///
/// Model     docs/performance.md, "Jacobi, FSAI and Chebyshev on an H200": on all six matrices there with less than
///           20,000 rows fsai takes at most 1.2 times as long in all as the fastest of the three, Jacobi 1.3 to 3.2
///           times. Of 13 further real ones with 500 rows and more (b = A * ones) CG takes fewer iterations with fsai
///           on all but wathen_30_30, a mass matrix: 23 instead of 2.
/// Limits    Symmetric matrices with a positive diagonal that isn't constant. Not for rows of more than 100 entries on
///           average, for which fsai takes longer to make, and none of more than 150, which the host would make. Where
///           only few iterations are left, as from a good x0, Jacobi is faster; so it is in a process that solves once,
///           by the 8 ms of kernels that are used for the first time.
bool begins_with_fsai_on_gpu(const Structure& s);

/// The least `seconds` from which on there is something faster.
double least_seconds_to_leave_jacobi(double entries);

}  // namespace ostinato

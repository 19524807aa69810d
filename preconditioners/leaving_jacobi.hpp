// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ostinato {

/// What takes the place of Jacobi, or of no preconditioner, under CG on a GPU, where the solve would take `seconds`
/// from now on: "fsai", "chebyshev", or nothing where it isn't faster to leave. `entries`: of A.
///
/// Model     A set-up, and a share of the time with Jacobi, from docs/performance.md, "Preconditioners of the program
///           on an H200" (2026-11). Shares are the geometric means of the six matrices there that are on no grid: 0.53
///           for fsai (0.32 to 0.90), 0.71 for chebyshev (0.56 to 1.03). The host makes the factors of fsai. The 8 ms
///           that the first use of a kernel takes are left out.
/// Limits    Below some 20,000 rows, where an iteration takes the time of its launches.
std::string_view faster_than_jacobi_on_gpu(double entries, double seconds);

/// The least `seconds` from which on there is something faster.
double least_seconds_to_leave_jacobi(double entries);

}  // namespace ostinato

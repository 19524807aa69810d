// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// Whether "auto" on a CPU begins with multigrid by plain aggregation, without a stage with Jacobi before it: for
/// symmetric matrices whose rows are those of a diffusion, short and with a sum near 0, on a graph so deep that CG with
/// Jacobi takes many iterations.
///
/// Model     CG with Jacobi takes 3 iterations to 1e-8 for each level of a breadth-first search (mesh2d:150 2.5,
///           mesh2d:316 2.4, mesh3d:30 3.1, mesh3d:46 3.0). A set-up is worth 60 of them, an iteration with multigrid
///           3.6, of which there are 25 (mesh2d:316 and mesh3d:46, one thread of an AMD EPYC, 2026-11).
/// Exec      On the calling thread: a search along all entries, and a look at 4,000 rows.
/// Requires  A valid matrix, and its structure.
/// Limits    From fewest_rows_of_hierarchy on, and for rows of at most 30 entries on average.
template <class T>
bool begins_with_plain_on_cpu(const CsrView<T>& a, const Structure& s);

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/matrix/ordering/rcm.hpp>

namespace ostinato {

/// Whether the build has SuiteSparse, whose AMD minimum_degree() calls.
extern const bool has_minimum_degree;

/// The approximate minimum degree order: each node in turn is one with few neighbours among those that are left, so
/// that factors get little fill. More fill than with nested_dissection() on large grids, and a fraction of the time.
/// Returns the node at each place of the order.
///
/// Exec      On the calling thread, some tenths of a microsecond an edge.
/// Throws    ArgumentError when the build has no SuiteSparse, or when the graph is too large for its integers;
///           std::bad_alloc.
/// Source    Amestoy, Davis & Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886-905.
std::vector<Index> minimum_degree(const Graph& g);

}  // namespace ostinato

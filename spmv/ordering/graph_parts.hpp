// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>

namespace ostinato {

/// Whether the build has METIS, which graph_parts() calls.
extern const bool has_graph_parts;

/// Parts of a graph with as much work each, its nodes and edges, and with few neighbours across: METIS' k-way
/// partition, with a tolerance of 3 %. Returns the part of each node, 0 .. parts - 1; the same on every run.
///
/// Exec      As nested_dissection().
/// Throws    As nested_dissection().
/// Source    Karypis & Kumar, J. Parallel Distrib. Comput. 48 (1998) 96-129.
std::vector<Index> graph_parts(const Graph& g, int parts, const StopRequest& stop = {});

}  // namespace ostinato

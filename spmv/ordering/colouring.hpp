// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/ordering/rcm.hpp>

namespace ostinato {

/// The colours of the nodes of a graph, 0, 1 ..: neighbours have different ones. Each node, in the order of their
/// numbers, takes the first colour that none of its neighbours has. A grid with a star as stencil gets two colours.
///
/// Exec      On the calling thread, in a time that grows with the edges.
/// Limits    There are at most as many colours as the largest degree, and one.
std::vector<Index> colours(const Graph& g);

/// The nodes by colours, those of a colour in the order of their numbers.
std::vector<Index> order_by_colour(const Graph& g);

}  // namespace ostinato

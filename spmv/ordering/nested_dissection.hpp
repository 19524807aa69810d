// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>

namespace ostinato {

/// Whether the build has METIS, which nested_dissection() calls.
extern const bool has_nested_dissection;

/// The nested dissection order: small sets of nodes that part the graph come last, so that factors get little fill and
/// many rows don't wait for each other. Returns the node at each place of the order; the same one on every run.
///
/// Exec      The calling thread waits, one call at a time; some microseconds a node. METIS runs in a thread of its own.
///           Once `stop` is made the call ends, and METIS goes on to its own end in the background, with a copy of the
///           graph. METIS takes over SIGTERM and SIGABRT of the process; some 50 us later the signals reach the
///           handlers that the process had, which are the same afterwards. A process forked meanwhile has them at once.
///           METIS draws from rand(), here from a state of its own that is put in place of the process' for the time
///           of the call: the numbers that the program draws before and after are those of its own seed. Two things
///           remain. Another thread that calls rand() or srand() during the call draws from METIS' state, and may
///           change the order. METIS left alone after a stop takes numbers of the program's own state to its end.
/// Throws    ArgumentError when the build has no METIS, or when the graph is too large for its integers;
///           MemoryLimitError when no thread can be started for METIS; Stopped a tenth of a second after `stop` is made
///           at the latest; std::bad_alloc.
/// Source    Karypis & Kumar, SIAM J. Sci. Comput. 20 (1998) 359-392.
std::vector<Index> nested_dissection(const Graph& g, const StopRequest& stop = {});

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/team/numbering.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato {

// Partitions of a square matrix by its entries. `given`, `mine`: the rows that each rank has, with columns of the whole
// matrix.
//
// Exec      Collective, as all functions here.
// Throws    On all ranks: ArgumentError on those that find the reason, RankError on the others.

/// Slabs of the grid that the diagonals of the matrix show.
/// Throws    ArgumentError where they show none.
template <class T>
Partition grid_partition(const Team& team, const Partition& given, const CsrView<T>& mine);

/// The reverse Cuthill-McKee order, cut into parts of as much work as Partition::by_entries() makes. The order, and so
/// the bits of a solve, are the same for any number of ranks.
///
/// Limits    Rank 0 holds the pattern of the whole matrix, and its graph, for a while: 4 bytes for each entry, 8 for
///           each one off the diagonal, and 28 a row.
template <class T>
Numbering rcm_partition(const Team& team, const Partition& given, const CsrView<T>& mine);

/// Parts by METIS, of as much work, with few ghosts (graph_parts.hpp).
///
/// Limits    Rank 0 holds the pattern, the graph and METIS' copies of it: some 30 bytes for each entry, 50 a row.
/// Throws    ArgumentError in a build without METIS. Stopped, where rank 0 was asked to stop.
template <class T>
Numbering metis_partition(const Team& team, const Partition& given, const CsrView<T>& mine,
                          const StopRequest& stop = {});

/// The owner of each row of this rank, from a file that all ranks can open, in METIS' text format: a line for each row,
/// which holds the number of a rank.
/// Throws    FormatError on all ranks, which names the first bad line.
std::vector<int> read_owners(const Team& team, const Partition& given, const std::string& path);

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <ostinato/spmv/analysis/facts.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato {

/// What is known of a matrix of which this rank has the rows `mine`; the same on all ranks, and for any number of them.
/// Exec      Collective. Entries whose mirror is another rank's go there, to be compared.
/// Requires  Canonical rows.
template <class T>
Facts distributed_facts(const Team& team, const Partition& rows, const Partition& cols, const CsrView<T>& mine);

/// The offsets column - row of the diagonals of the whole matrix, ascending; nothing where there are more than `most`.
/// Exec      Collective.
template <class T>
std::optional<std::vector<Index>> distributed_diagonals(const Team& team, const Partition& rows, const CsrView<T>& mine,
                                                        std::size_t most);

/// Whether the whole matrix has so few diagonals, well filled, that dia suits it. Rows are then shorter than 16
/// entries, so that csr adds their terms in the order of dia, one after the other.
template <class T>
bool has_few_diagonals(const Team& team, const Partition& rows, const CsrView<T>& mine);

}  // namespace ostinato

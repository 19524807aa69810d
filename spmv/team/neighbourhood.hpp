// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato {

/// The rows of a rank and those that its rows lead to, as a square matrix of their own.
template <class T>
struct Neighbourhood {
  std::vector<Index> numbers;  ///< of its rows in the whole matrix, ascending
  Index begin = 0;             ///< the place of the rank's first row among them
  Csr<T> a;                    ///< without entries that lead elsewhere
};

/// `rings`: how many steps along entries; after one the rows of the ghosts are there.
/// Exec      Collective.
/// Traffic   A ring asks for each new row, 4 bytes, and gets it, 12 bytes an entry in double precision.
/// Requires  A square matrix with canonical rows.
template <class T>
Neighbourhood<T> neighbourhood(const Team& team, const Partition& rows, const CsrView<T>& mine, int rings);

}  // namespace ostinato

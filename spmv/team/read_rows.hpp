// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato {

/// How the rows of a matrix are shared.
enum class Sharing {
  rows,     ///< as many for each rank
  entries,  ///< as many entries, and ten for a row
};

template <class T>
struct SharedRows {
  Partition parts;
  Csr<T> mine;  ///< rows of this rank, columns of the whole matrix
};

/// Reads a matrix from a Matrix Market file that all ranks can open. Of a plain file each rank reads its share of the
/// bytes, and sends entries where their rows are; a gzip file is inflated by each rank, and a dense array read by each.
/// The matrix has the bits of read_matrix_market().
/// Exec      Collective.
/// Throws    FormatError on all ranks that can read the file, as read_matrix_market(): it names the first bad line.
///           RankError on the others. Stopped on all ranks, where one was asked to stop while it read lines.
template <class T>
SharedRows<T> read_rows(const Team& team, const std::string& path, Sharing sharing, MatrixMarketInfo* info = nullptr,
                        const StopRequest& stop = {});

/// The same rows of a matrix that each rank has as a whole.
template <class T>
SharedRows<T> share_rows(const Team& team, const Csr<T>& whole, Sharing sharing);

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// Which rank has which rows: rank r has rows offset(r) .. offset(r + 1) - 1. A rank may have none. Each rank keeps the
/// offsets of all ranks, and nothing of the length of the matrix.
///
/// Sums over vectors have the same bits for every number of ranks where all offsets but the last are multiples of
/// `block`, as those of by_rows() and by_entries() are. So up to 2048 rows are all on the first rank.
class Partition {
 public:
  static constexpr Index block = sum_block;    ///< rows that are summed up at once
  static constexpr Index entries_of_row = 10;  ///< that a row weighs beside its own, where work is shared

  Partition() = default;
  /// Throws    ArgumentError when the offsets don't begin with 0 or don't ascend.
  explicit Partition(std::vector<Index> offsets);

  static Partition by_rows(const Team& team, Index rows);  ///< as many rows for each rank, but for blocks
  /// Rows of as much work for each rank: their entries, and ten for a row itself.
  /// `mine`: row pointers of the rows that this rank has now; the rows of rank r are before those of rank r + 1.
  static Partition by_entries(const Team& team, std::span<const Offset> mine);
  /// Slabs of a grid: as many planes for each rank, of the last axis that has more than one point. A row is that of
  /// unknown row % unknowns of point row / unknowns; points are numbered along x first. Offsets are multiples of
  /// `block` only where planes are.
  static Partition grid(const Team& team, const Extents& points, Index unknowns = 1);
  /// As many rows as the ranks have now.
  static Partition of_lengths(const Team& team, Index mine);
  /// This partition with offsets that are multiples of `block`: the nearest ones.
  Partition aligned() const;

  int ranks() const { return static_cast<int>(offsets_.size()) - 1; }
  Index offset(int rank) const { return offsets_[static_cast<std::size_t>(rank)]; }
  Index begin(const Team& team) const { return offset(team.rank()); }
  Index end(const Team& team) const { return offset(team.rank() + 1); }
  Index length(const Team& team) const { return end(team) - begin(team); }
  Index rows() const { return offsets_.back(); }
  std::size_t bytes() const { return offsets_.capacity() * sizeof(Index); }
  int owner(Index row) const;  ///< of 0 <= row < rows()
  bool operator==(const Partition&) const = default;

 private:
  std::vector<Index> offsets_ = {0, 0};
};

/// Moves rows from their ranks in `from` to those in `to`. Columns are numbers of the whole matrix.
/// Exec      Collective.
template <class T>
Csr<T> moved(const Team& team, const CsrView<T>& rows, const Partition& from, const Partition& to);

/// The whole matrix, on each rank.
/// Exec      Collective.
template <class T>
Csr<T> gathered(const Team& team, const CsrView<T>& mine);

/// Moves the elements of a vector.
template <class T>
std::vector<T> moved(const Team& team, std::span<const T> mine, const Partition& from, const Partition& to);

/// The rows of the transpose that `rows_of_transpose` gives this rank: of a matrix of which this rank has `mine`.
template <class T>
Csr<T> transposed(const Team& team, const CsrView<T>& mine, const Partition& rows, const Partition& rows_of_transpose);

/// Gives each entry to the rank of its row, and assembles the rows of this rank. Rows are those of the whole matrix in
/// `entries`, and of this rank in the result. Entries of one place are added in the order of the ranks that had them.
template <class T>
Csr<T> assembled(const Team& team, std::span<const Triplet<T>> entries, const Partition& rows, Index cols);

}  // namespace ostinato

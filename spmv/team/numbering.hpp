// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// Another order of the rows and columns of a square matrix than the given one, and which rank then has which rows.
///
/// Layout    Held in parts: 4 bytes for each row that a rank was given, and 4 for each that it has then.
/// Exec      All functions are collective.
class Numbering {
 public:
  /// `owners`: the rank that is to have each row that this rank was given. The rows of a rank keep their order.
  /// Throws    ArgumentError on all ranks for an owner that there isn't: RankError on the others.
  static Numbering of_owners(const Team& team, const Partition& given, std::span<const int> owners);
  /// `numbers`: the new number of each row that this rank was given.
  /// Requires  All numbers together are those of 0 .. rows - 1.
  Numbering(const Team& team, const Partition& given, const Partition& parts, std::vector<Index> numbers);

  const Partition& given() const { return given_; }            ///< the rows as they were
  const Partition& parts() const { return parts_; }            ///< the rows in the new order
  std::span<const Index> rows() const { return rows_; }        ///< of this rank: what their numbers were
  std::span<const Index> numbers() const { return numbers_; }  ///< of the given rows: what their numbers are

  /// The rows of this rank. `mine`: those that it was given, with columns of the whole matrix.
  /// Traffic   Each entry goes to the rank of its row. A rank asks for the new numbers of columns, each once: 8 bytes.
  template <class T>
  Csr<T> renumbered(const CsrView<T>& mine) const;
  /// The elements of a vector that belong to the rows of this rank; the reverse is number_as_before().
  template <class T>
  std::vector<T> renumbered(std::span<const T> given) const;
  template <class T>
  std::vector<T> number_as_before(std::span<const T> own) const;

 private:
  std::vector<Index> new_numbers(std::vector<Index> columns) const;

  Team team_;
  Partition given_, parts_;
  std::vector<Index> numbers_, rows_;
};

}  // namespace ostinato

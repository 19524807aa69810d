// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/team/halo.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// The rows of a rank as a matrix in host memory that functions for whole matrices take. Its columns are the elements
/// of the rank itself, then its ghosts, and a last one that no row has.
///
/// Layout    A row has its entries in the order of the given rows: so a sum over a row has the bits of one rank.
///           sizeof(T) + 4 bytes an entry, 8 a row, and the halo.
template <class T>
class GhostedRows {
 public:
  /// `mine`: the rows of this rank, with columns of the whole matrix, of which this rank has those of `columns`.
  /// Exec      Collective.
  GhostedRows(const Team& team, const Partition& columns, const CsrView<T>& mine);

  CsrView<T> view() const { return rows_.view(); }
  std::size_t bytes() const;

  /// The elements of all columns: `own`, those of other ranks, and `last`.
  /// Exec      Collective.
  template <class V>
  std::vector<V> extended(std::span<const V> own, V last = V{}) {
    std::vector<V> all(static_cast<std::size_t>(rows_.cols), last), given;
    std::copy(own.begin(), own.end(), all.begin());
    for (const Index i : halo_.given()) given.push_back(own[static_cast<std::size_t>(i)]);
    V* const ghosts = all.data() + own.size();
    halo_.start(team_, given.data(), ghosts, ghosts + halo_.below());
    team_.finish_exchange();
    return all;
  }

 private:
  Team team_;
  HaloPlan halo_;
  Csr<T> rows_;
};

}  // namespace ostinato

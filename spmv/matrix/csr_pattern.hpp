// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <ostinato/spmv/base/bisect.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::detail {

/// The pattern of a CSR matrix, for functors that run on either space.
struct CsrPattern {
  Index rows;
  const Offset* row_ptr;
  const Index* col;

  OSTINATO_FUNCTION Offset length(std::size_t i) const { return row_ptr[i + 1] - row_ptr[i]; }

  /// The row that holds entry k.
  OSTINATO_FUNCTION Index row_of(Offset k) const {
    return bisect(Index{1}, rows, [this, k](Index i) { return row_ptr[i] > k; }) - 1;
  }

  /// The row that holds entry k, which is in a row behind `row`, mostly in one of the next.
  OSTINATO_FUNCTION Index row_behind(Index row, Offset k) const {
    constexpr int near = 8;
    for (int step = 0; step < near; ++step) {
      if (k < row_ptr[++row + 1]) return row;
    }
    return row_of(k);
  }

  /// The first entry of row i whose column is at least `bound`; the end of the row when there is no such entry. The
  /// search has no branches: no processor could foresee where the column is, and rows are short.
  OSTINATO_FUNCTION Offset first_from(Index i, Offset bound) const {
    Offset at = row_ptr[i], rest = row_ptr[i + 1] - at;
    for (; rest > 1; rest -= rest / 2) at += rest / 2 * (col[at + rest / 2 - 1] < bound);
    return at + (rest == 1 && col[at] < bound);
  }
};

/// Distributes the entries of a matrix over calls of a functor. `lanes` neighbouring calls share lanes x length
/// entries, and each call takes every lanes-th of these entries. So loads on a GPU are coalesced, and a call searches
/// for a row once for several entries.
struct EntryRuns {
  static constexpr Offset fill = 1 << 18;  ///< number of calls that fill a GPU

  Offset entries, length, lanes;

  /// Runs of up to `longest` entries. On a GPU the runs are short enough to fill the GPU. The defaults suit functors
  /// that copy each entry to its place in another format.
  template <class Space>
  static EntryRuns on(Offset entries, Offset longest = Space::has_streams ? 8 : 256, Offset lanes_on_device = 32) {
    if (!Space::has_streams) return {entries, longest, 1};
    return {entries, std::clamp<Offset>(entries / fill, 1, longest), lanes_on_device};
  }

  std::size_t count() const {
    const Offset span = length * lanes;
    return static_cast<std::size_t>((entries + span - 1) / span * lanes);
  }

  /// Calls f(row, k) for the entries k that belong to call `number` of the functor.
  template <class F>
  OSTINATO_FUNCTION void visit(std::size_t number, const CsrPattern& a, F f) const {
    const Offset span = length * lanes, first = static_cast<Offset>(number) / lanes * span;
    const Offset begin = first + static_cast<Offset>(number) % lanes;
    const Offset end = first + span < entries ? first + span : entries;
    Index row = begin < end ? a.row_of(begin) : 0;
    for (Offset k = begin; k < end; k += lanes) {
      if (k >= a.row_ptr[row + 1]) row = a.row_behind(row, k);
      f(row, k);
    }
  }
};

template <class T>
CsrPattern pattern_of(const CsrView<T>& a) {
  return {a.rows, a.row_ptr.data(), a.col.data()};
}

}  // namespace ostinato::detail

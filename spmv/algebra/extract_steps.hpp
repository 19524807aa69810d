// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of extract.hpp, for both spaces.

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// Counts the places out of 0 .. size - 1, and those that don't come after the place before them.
struct InspectPlaces {
  const Index* places;
  Index size;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const bool outside = places[i] < 0 || places[i] >= size;
    const bool back = i > 0 && places[i] <= places[i - 1];
    return {{outside ? 1.0 : 0.0, back ? 1.0 : 0.0}};
  }
};

/// number[i] := `value`.
struct FillNumbers {
  Index* number;
  Index value;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { number[i] = value; }
};

/// number[places[i]] := i. Where places repeat, one of them is left.
template <class Atomics>
struct NumberPlaces {
  const Index* places;
  Index* number;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { Atomics::store(number + places[i], static_cast<Index>(i)); }
};

/// Counts the places that NumberPlaces has left out.
struct CountRepeated {
  const Index *places, *number;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    return {{number[places[i]] == static_cast<Index>(i) ? 0.0 : 1.0}};
  }
};

/// A matrix and what is taken of it. Without `rows` all rows, without `number` all columns are taken.
struct Taken {
  CsrPattern a;
  const Index* rows;    ///< the row of A at each place; may be null
  const Index* number;  ///< the place of each column of A, -1 when it isn't taken; may be null
  Index cols;           ///< of A

  /// Calls f(j, k) for the entries k of A that go to row i, column j.
  template <class F>
  OSTINATO_FUNCTION void visit(std::size_t i, F f) const {
    const std::size_t row = rows == nullptr ? i : static_cast<std::size_t>(rows[i]);
    for (Offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const Index j = number == nullptr ? a.col[k] : number[a.col[k]];
      if (j >= 0) f(j, k);
    }
  }
};

/// count[i] := entries of row i of the extracted matrix.
struct CountTaken {
  Taken taken;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset n = 0;
    taken.visit(i, [&n](Index, Offset) { ++n; });
    count[i] = n;
  }
};

/// The columns of a short row, ascending, and the entries of A that they come from.
struct SortedRow {
  static constexpr int longest = 32;

  Index column[longest];
  Offset entry[longest];
  int size = 0;

  OSTINATO_FUNCTION void insert(Index j, Offset k) {
    int at = size++;
    for (; at > 0 && column[at - 1] > j; --at) {
      column[at] = column[at - 1];
      entry[at] = entry[at - 1];
    }
    column[at] = j;
    entry[at] = k;
  }
};

/// Writes the columns of the extracted matrix and the entries of A that they come from: in the order of A, or sorted.
struct FillTaken {
  Taken taken;
  const Offset* row_ptr;
  bool sorts;  ///< Requires  rows of at most SortedRow::longest entries
  Index* col;
  Offset* from;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset first = row_ptr[i];
    if (!sorts) {
      Offset at = first;
      taken.visit(i, [&at, this](Index j, Offset k) {
        col[at] = j;
        from[at++] = k;
      });
      return;
    }
    SortedRow row;
    taken.visit(i, [&row](Index j, Offset k) { row.insert(j, k); });
    for (int k = 0; k < row.size; ++k) {
      col[first + k] = row.column[k];
      from[first + k] = row.entry[k];
    }
  }
};

/// Counts the rows that are too long for SortedRow.
struct CountLong {
  const Offset* row_ptr;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    return {{row_ptr[i + 1] - row_ptr[i] > SortedRow::longest ? 1.0 : 0.0}};
  }
};

}  // namespace ostinato::detail

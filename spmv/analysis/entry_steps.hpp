// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes of analyse() over the entries of a matrix, and what they find.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// The results of the passes, which are copied to the host at once. All members are 0 before the first pass. Flags are
/// only ever set, so the order of the threads doesn't matter.
struct Findings {
  double entries[2];  ///< sums of InspectEntries
  double rows[2];     ///< sums of InspectRow
  double diagonals;   ///< number of diagonals in use
  int longest_row;
  int farthest;
  int nonpositive_diagonal;
  int nonnegative_diagonal;
  int varying_diagonal;
  int asymmetric_pattern;
  int asymmetric_values;
  int not_finite;
  int listed;
  Offset norm_bits;  ///< bits of the largest row sum
};

/// The largest sum of absolute values in a row. Doubles that aren't negative have the order of their bits, NaN last, so
/// that the maximum is found by integers, in any order of the threads.
template <class Atomics, class T>
struct RowNorm {
  const Offset* row_ptr;
  const T* val;
  Findings* found;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    double total = 0;
    for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) total += fabs(static_cast<double>(val[k]));
    raise(total);
  }

  OSTINATO_FUNCTION void raise(double total) const {
    Offset bits = 0;
    static_assert(sizeof bits == sizeof total);
    memcpy(&bits, &total, sizeof bits);
    if (bits > Atomics::peek(&found->norm_bits)) Atomics::max(&found->norm_bits, bits);
  }
};

/// Inspects entries. The functors InspectByRow and InspectByRun choose the entries.
template <class Atomics, class T>
struct InspectEntries : CsrPattern {
  const T* val;
  Offset nonzeros;
  bool mirrors;  ///< searches the mirror entries
  Findings* found;
  std::uint8_t* diagonal_used;  ///< may be null
  /// For each row, the entries before the mirror entry that is expected next: as a thread inspects rows in ascending
  /// order, that is mostly the entry behind the one found last. Any number will do. Null on Cuda, where many rows are
  /// inspected at once, and where no mirrors are searched.
  Index* expected = nullptr;

  /// The findings of one thread. A thread then touches shared flags once, not once per entry.
  struct Seen {
    bool seek_mirrors = false;  ///< false when the pattern is known not to be symmetric
    double on_diagonal = 0;     ///< entries on the main diagonal that aren't 0
    double above_less_below = 0;
    bool nonpositive_diagonal = false, nonnegative_diagonal = false, varying_diagonal = false;
    bool asymmetric_values = false, not_finite = false;
  };

  OSTINATO_FUNCTION Seen nothing_seen() const {
    Seen seen;
    seen.seek_mirrors = mirrors && Atomics::peek(&found->asymmetric_pattern) == 0;
    return seen;
  }

  OSTINATO_FUNCTION void inspect(Index i, Offset k, Seen& seen) const {
    const Index j = col[k];
    const T v = val[k];
    if (!(v - v == T{0})) seen.not_finite = true;
    if (j != i && diagonal_used == nullptr && !seen.seek_mirrors) return;
    const Offset above = j == i || diagonal_used != nullptr ? entry_above(i, k) : -1;
    if (above < 0 && diagonal_used != nullptr) mark_used(static_cast<Offset>(j) - i + rows - 1);
    if (j == i) {
      seen.on_diagonal += v != T{0};
      check_diagonal(i, v, above, seen);
    } else {
      seen.above_less_below += j > i ? 1 : -1;
      if (j > i && seen.seek_mirrors) check_mirror(i, k, above, seen);
    }
  }

  /// The same for all entries of a row, in loops of their own, which a CPU goes through faster. Returns the sum of the
  /// absolute values.
  double inspect_row(Index i, Seen& seen) const {
    const Offset begin = row_ptr[i], end = row_ptr[i + 1];
    double total = 0;
    for (Offset k = begin; k < end; ++k) total += std::fabs(static_cast<double>(val[k]));
    if (!(total - total == 0)) {
      for (Offset k = begin; k < end; ++k) seen.not_finite = seen.not_finite || !(val[k] - val[k] == T{0});
    }
    if (diagonal_used != nullptr) {
      for (Offset k = begin; k < end; ++k) mark_used(static_cast<Offset>(col[k]) - i + rows - 1);
    }
    Offset past = begin;
    while (past < end && col[past] < i) ++past;
    seen.above_less_below -= static_cast<double>(past - begin);
    if (past < end && col[past] == i) {
      seen.on_diagonal += val[past] != T{0};
      check_diagonal(i, val[past], entry_above(i, past), seen);
      ++past;
    }
    seen.above_less_below += static_cast<double>(end - past);
    for (Offset k = past; k < end && seen.seek_mirrors; ++k) check_mirror(i, k, -1, seen);
    return total;
  }

  /// Sets shared flags and returns the terms of the sums.
  OSTINATO_FUNCTION Sums<2> report(const Seen& seen) const {
    if (seen.nonpositive_diagonal) set(&found->nonpositive_diagonal);
    if (seen.nonnegative_diagonal) set(&found->nonnegative_diagonal);
    if (seen.varying_diagonal) set(&found->varying_diagonal);
    if (seen.asymmetric_values) set(&found->asymmetric_values);
    if (seen.not_finite) set(&found->not_finite);
    return {{seen.on_diagonal, seen.above_less_below}};
  }

 private:
  OSTINATO_FUNCTION void set(int* flag) const {
    if (Atomics::peek(flag) == 0) Atomics::store(flag, 1);
  }

  OSTINATO_FUNCTION void mark_used(Offset diagonal) const {
    std::uint8_t* used = diagonal_used + diagonal;
    if (Atomics::peek(used) == 0) Atomics::store(used, std::uint8_t{1});
  }

  /// The entry of the same diagonal in the row above, when both entries have the same position in their rows, as usual
  /// in a stencil; otherwise -1. Findings that hold for both entries are reported for the upper entry only. This saves
  /// reads of shared flags.
  OSTINATO_FUNCTION Offset entry_above(Index i, Offset k) const {
    if (i == 0) return -1;
    const Offset begin = row_ptr[i], at = row_ptr[i - 1] + (k - begin);
    return at < begin && col[at] + 1 == col[k] ? at : -1;
  }

  OSTINATO_FUNCTION void check_diagonal(Index i, T v, Offset above, Seen& seen) const {
    if (!(v > T{0})) seen.nonpositive_diagonal = true;
    if (!(v < T{0})) seen.nonnegative_diagonal = true;
    if (i == 0) return;
    if (above < 0) above = position(i - 1, i - 1);
    if (above < 0 || val[above] != v) seen.varying_diagonal = true;
  }

  /// Checks an entry above the diagonal. When all of these entries have a mirror entry, and as many entries lie below
  /// the diagonal, the pattern is symmetric.
  OSTINATO_FUNCTION void check_mirror(Index i, Offset k, Offset above, Seen& seen) const {
    if (above < 0 && Atomics::peek(&found->asymmetric_pattern) != 0) return;
    const Offset at = mirror(i, k);
    if (at < 0) {
      set(&found->asymmetric_pattern);
    } else if (val[at] != val[k]) {
      seen.asymmetric_values = true;
    }
  }

  /// The position of the mirror of entry k of row i, or -1. In a stencil the mirror is as far from the end of its row
  /// as entry k is from the beginning of row i.
  OSTINATO_FUNCTION Offset mirror(Index i, Offset k) const {
    const Index j = col[k];
    const Offset guess = row_ptr[j + 1] - 1 - (k - row_ptr[i]);
    if (guess >= row_ptr[j] && col[guess] == i) return guess;
    return expected == nullptr ? position(j, i) : expected_mirror(j, i);
  }

  OSTINATO_FUNCTION Offset expected_mirror(Index j, Index i) const {
    // In longer rows all threads meet, and would overwrite the places of the others.
    constexpr Offset longest_row_of_one_thread = 512;
    const Offset begin = row_ptr[j];
    if (row_ptr[j + 1] - begin > longest_row_of_one_thread) return position(j, i);
    Offset at = begin + Atomics::load(expected + j);
    if (at >= row_ptr[j + 1] || col[at] != i) at = position(j, i);
    if (at >= 0) Atomics::store(expected + j, static_cast<Index>(at + 1 - begin));
    return at;
  }

  /// The position of column j in row i, or -1.
  OSTINATO_FUNCTION Offset position(Index i, Index j) const {
    const Offset at = first_from(i, j);
    return at < row_ptr[i + 1] && col[at] == j ? at : -1;
  }
};

/// Inspects the entries of one row.
template <class Atomics, class T>
struct InspectByRow {
  static constexpr int blocks_of_multiprocessor = 5;

  InspectEntries<Atomics, T> entries;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t row) const {
    typename InspectEntries<Atomics, T>::Seen seen = entries.nothing_seen();
    const Index i = static_cast<Index>(row);
    const RowNorm<Atomics, T> norm{entries.row_ptr, entries.val, entries.found};
    if constexpr (std::is_same_v<Atomics, Atomic<Host>>) {
      norm.raise(entries.inspect_row(i, seen));
    } else {
      for (Offset k = entries.row_ptr[i]; k < entries.row_ptr[i + 1]; ++k) entries.inspect(i, k, seen);
      norm(row);
    }
    return entries.report(seen);
  }
};

/// Inspects a run of entries, whatever rows they are in, so that several threads share a long row. RowNorm goes on its
/// own.
template <class Atomics, class T>
struct InspectByRun {
  InspectEntries<Atomics, T> entries;
  EntryRuns runs;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t number) const {
    typename InspectEntries<Atomics, T>::Seen seen = entries.nothing_seen();
    runs.visit(number, entries, [&](Index i, Offset k) { entries.inspect(i, k, seen); });
    return entries.report(seen);
  }
};

}  // namespace ostinato::detail

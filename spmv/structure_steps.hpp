// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes of analyse(), written once for both spaces: structure.cpp runs them on Host, cuda/structure.cu on Cuda.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <ostinato/spmv/diagonals.hpp>
#include <ostinato/spmv/function.hpp>
#include <ostinato/spmv/profile.hpp>
#include <ostinato/spmv/structure.hpp>
#include <ostinato/spmv/sums.hpp>
#include <ostinato/spmv/vector.hpp>

namespace ostinato::detail {

/// Facts that single entries and rows contribute to. Flags are only ever set, so the order doesn't matter.
struct Findings {
  int longest_row = 0;
  int nonpositive_diagonal = 0;
  int varying_diagonal = 0;
  int asymmetric_pattern = 0;
  int asymmetric_values = 0;
  int not_finite = 0;
  int listed = 0;
};

/// Looks at entries, in turn, for the functors that say which.
template <class Atomics, class T>
struct InspectEntries {
  const Offset* row_ptr;
  const Index* col;
  const T* val;
  Index rows, cols;
  Offset nonzeros;
  Findings* found;
  std::uint8_t* diagonal_used;

  /// What one thread has seen of some entries, so that what all share is touched once for all of them.
  struct Seen {
    double on_diagonal = 0;  ///< entries on the main diagonal that aren't 0
    double above_less_below = 0;
    bool nonpositive_diagonal = false, varying_diagonal = false, asymmetric_values = false, not_finite = false;
  };

  OSTINATO_FUNCTION void inspect(Index i, Offset k, Seen& seen) const {
    const Index j = col[k];
    const T v = val[k];
    const Offset above = entry_above(i, k);
    if (!(v - v == T{0})) seen.not_finite = true;
    if (above < 0) mark_used(static_cast<Offset>(j) - i + rows - 1);
    if (j == i) {
      seen.on_diagonal += v != T{0};
      judge_diagonal(i, v, above, seen);
    } else {
      seen.above_less_below += j > i ? 1 : -1;
      if (j > i && rows == cols) judge_mirror(i, k, above, seen);
    }
  }

  /// Adds to what all have found, and returns what is summed.
  OSTINATO_FUNCTION Sums<2> settle(const Seen& seen) const {
    if (seen.nonpositive_diagonal) set(&found->nonpositive_diagonal);
    if (seen.varying_diagonal) set(&found->varying_diagonal);
    if (seen.asymmetric_values) set(&found->asymmetric_values);
    if (seen.not_finite) set(&found->not_finite);
    return {{seen.on_diagonal, seen.above_less_below}};
  }

 private:
  OSTINATO_FUNCTION void set(int* flag) const {
    if (Atomics::load(flag) == 0) Atomics::store(flag, 1);
  }

  OSTINATO_FUNCTION void mark_used(Offset diagonal) const {
    std::uint8_t* used = diagonal_used + diagonal;
    if (Atomics::load(used) == 0) Atomics::store(used, std::uint8_t{1});
  }

  /// The entry of the same diagonal in the row above when it stands at the same place there, as a rule in a stencil;
  /// else -1. What holds for both was noted for the upper one, with no look at what all threads share.
  OSTINATO_FUNCTION Offset entry_above(Index i, Offset k) const {
    if (i == 0) return -1;
    const Offset begin = row_ptr[i], at = row_ptr[i - 1] + (k - begin);
    return at < begin && col[at] + 1 == col[k] ? at : -1;
  }

  OSTINATO_FUNCTION void judge_diagonal(Index i, T v, Offset above, Seen& seen) const {
    if (!(v > T{0})) seen.nonpositive_diagonal = true;
    if (i == 0) return;
    if (above < 0) above = position(i - 1, i - 1);
    if (above < 0 || val[above] != v) seen.varying_diagonal = true;
  }

  /// Entries above the diagonal will do: when each has a mirror and as many are below, the pattern is symmetric.
  OSTINATO_FUNCTION void judge_mirror(Index i, Offset k, Offset above, Seen& seen) const {
    if (above < 0 && Atomics::load(&found->asymmetric_pattern) != 0) return;
    const Offset at = mirror(i, k);
    if (at < 0) {
      set(&found->asymmetric_pattern);
    } else if (val[at] != val[k]) {
      seen.asymmetric_values = true;
    }
  }

  /// Where the mirror of entry k of row i stands, or -1. In a stencil it is as far from the end of its row as the
  /// entry is from the beginning of its own.
  OSTINATO_FUNCTION Offset mirror(Index i, Offset k) const {
    const Index j = col[k];
    const Offset guess = row_ptr[j + 1] - 1 - (k - row_ptr[i]);
    return guess >= row_ptr[j] && col[guess] == i ? guess : position(j, i);
  }

  /// Where column j stands in row i, or -1.
  OSTINATO_FUNCTION Offset position(Index i, Index j) const {
    const Offset end = row_ptr[i + 1];
    Offset low = row_ptr[i], high = end;
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (col[middle] < j) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < end && col[low] == j ? low : -1;
  }
};

/// The entries of one row.
template <class Atomics, class T>
struct InspectByRow {
  InspectEntries<Atomics, T> entries;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t row) const {
    typename InspectEntries<Atomics, T>::Seen seen;
    const Index i = static_cast<Index>(row);
    for (Offset k = entries.row_ptr[i]; k < entries.row_ptr[i + 1]; ++k) entries.inspect(i, k, seen);
    return entries.settle(seen);
  }
};

/// One run of entries, whatever rows they are in, so that a long row is shared out like any other entries.
template <class Atomics, class T>
struct InspectByRun {
  static constexpr Offset length = 32;

  InspectEntries<Atomics, T> entries;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t run) const {
    typename InspectEntries<Atomics, T>::Seen seen;
    const Offset begin = static_cast<Offset>(run) * length;
    const Offset end = begin + length < entries.nonzeros ? begin + length : entries.nonzeros;
    Index i = row_of(begin);
    for (Offset k = begin; k < end; ++k) {
      while (k >= entries.row_ptr[i + 1]) ++i;
      entries.inspect(i, k, seen);
    }
    return entries.settle(seen);
  }

 private:
  /// The row that holds entry k.
  OSTINATO_FUNCTION Index row_of(Offset k) const {
    Index low = 0, high = entries.rows;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (entries.row_ptr[middle] <= k ? low : high) = middle;
    }
    return low;
  }
};

/// Squares for the spread of row lengths, about the mean so that no digits cancel, and empty rows.
template <class Atomics>
struct InspectRow {
  const Offset* row_ptr;
  double mean;
  Findings* found;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const int length = static_cast<int>(row_ptr[i + 1] - row_ptr[i]);
    const bool longer = i == 0 || length > row_ptr[i] - row_ptr[i - 1];  // than the row above, which was told already
    if (longer && length > Atomics::load(&found->longest_row)) Atomics::max(&found->longest_row, length);
    const double d = length - mean;
    return {{d * d, length == 0 ? 1.0 : 0.0}};
  }
};

struct CountUsed {
  const std::uint8_t* used;
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const { return {{static_cast<double>(used[i])}}; }
};

/// Lists the used diagonals in any order; the host sorts them.
template <class Atomics>
struct ListUsed {
  const std::uint8_t* used;
  Index rows;
  Findings* found;
  Index* list;
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (used[i] != 0) list[Atomics::add(&found->listed, 1)] = static_cast<Index>(static_cast<Offset>(i) - (rows - 1));
  }
};

/// Diagonals in use: how many, and which when they aren't too many.
template <class Space>
void find_diagonals(const Space& space, const Vector<Space, std::uint8_t>& used, Findings* found, Structure& s) {
  Vector<Space, double> total(space, 1);
  sum(space, used.size(), CountUsed{used.data()}, total.data());
  s.diagonals = static_cast<Offset>(total.download()[0]);
  if (s.diagonals > Structure::max_listed_diagonals) return;
  Vector<Space, Index> list(space, static_cast<std::size_t>(s.diagonals));
  for_each(space, used.size(), ListUsed<Atomic<Space>>{used.data(), s.rows, found, list.data()});
  s.offsets = list.download();
  std::sort(s.offsets.begin(), s.offsets.end());
}

/// Threads take a row each, unless that lets them wait for a long one.
template <class Space, class T>
void inspect_entries(const Space& space, const InspectEntries<Atomic<Space>, T>& entries, Index longest_row,
                     double* sums) {
  using Run = InspectByRun<Atomic<Space>, T>;
  const double mean = static_cast<double>(entries.nonzeros) / entries.rows;
  if (longest_row <= 64 + 8 * mean) {
    sum(space, static_cast<std::size_t>(entries.rows), InspectByRow<Atomic<Space>, T>{entries}, sums);
  } else {
    sum(space, static_cast<std::size_t>((entries.nonzeros + Run::length - 1) / Run::length), Run{entries}, sums);
  }
}

/// Null when a table of pieces and diagonals would be mostly empty.
template <class Space, class T>
std::shared_ptr<const DiagonalCensus> census_of(const Space& space, const CsrView<T>& a, const Structure& s,
                                                Look look) {
  constexpr Offset cached_entries = 2000000;  // some 24 MB: half of an H200's second-level cache
  if (look == Look::quickly && s.diagonals > Structure::many_diagonals && s.nonzeros < cached_entries) return nullptr;
  const Offset pieces = (static_cast<Offset>(s.rows) + piece_rows - 1) / piece_rows;
  if (s.diagonals > static_cast<Offset>(DiagonalCensus::max_diagonals)) return nullptr;
  if (s.diagonals * pieces > 2 * s.nonzeros + 65536) return nullptr;
  auto census = std::make_shared<DiagonalCensus>(take_census(space, a, s.offsets));
  census->symmetric = s.symmetric;
  return census;
}

template <class Space, class T>
Structure analyse_on(const Space& space, const CsrView<T>& a, Look look) {
  Structure s;
  s.rows = a.rows;
  s.cols = a.cols;
  s.nonzeros = a.nonzeros();
  if (a.rows == 0 || a.cols == 0) {
    s.empty_rows = a.rows;
    s.pattern_symmetric = s.symmetric = a.rows == a.cols;
    DiagonalCensus none;
    none.rows = a.rows;
    none.cols = a.cols;
    s.census = std::make_shared<const DiagonalCensus>(none);
    s.profile = std::make_shared<const Profile>();
    return s;
  }
  s.mean_row = static_cast<double>(s.nonzeros) / a.rows;

  const std::size_t rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  const Offset* row_ptr = a.row_ptr.data();
  Vector<Space, std::uint8_t> used(space, rows + cols - 1);
  space.zero(used.data(), used.bytes());
  Vector<Space, Findings> found(space, 1, Findings{});
  Vector<Space, double> sums(space, 4);
  sum(space, rows, InspectRow<Atomic<Space>>{row_ptr, s.mean_row, found.data()}, sums.data() + 2);
  s.longest_row = found.download()[0].longest_row;
  inspect_entries<Space, T>(
      space, {row_ptr, a.col.data(), a.val.data(), a.rows, a.cols, s.nonzeros, found.data(), used.data()},
      s.longest_row, sums.data());
  find_diagonals(space, used, found.data(), s);

  const Findings f = found.download()[0];
  const std::vector<double> total = sums.download();
  s.missing_diagonal = std::min(a.rows, a.cols) - static_cast<Index>(total[0]);
  s.row_deviation = std::sqrt(total[2] / a.rows);
  s.empty_rows = static_cast<Index>(total[3]);
  s.positive_diagonal = f.nonpositive_diagonal == 0 && s.missing_diagonal == 0;
  s.constant_diagonal = f.varying_diagonal == 0 && s.missing_diagonal == 0;
  s.pattern_symmetric = rows == cols && f.asymmetric_pattern == 0 && total[1] == 0;
  s.symmetric = s.pattern_symmetric && f.asymmetric_values == 0;
  s.finite = f.not_finite == 0;
  s.census = census_of(space, a, s, look);
  s.profile = std::make_shared<const Profile>(take_profile(space, a));
  return s;
}

}  // namespace ostinato::detail

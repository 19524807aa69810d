// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes of analyse(), written once for both spaces: structure.cpp runs them on Host, cuda/structure.cu on Cuda.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <ostinato/spmv/function.hpp>
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

/// Looks at one run of entries, whatever rows they are in, so that a long row is shared out like any other entries.
/// Returns the number of entries on the main diagonal that aren't 0.
template <class Atomics, class T>
struct InspectRun {
  static constexpr Offset length = 32;

  const Offset* row_ptr;
  const Index* col;
  const T* val;
  Index rows, cols;
  Offset nonzeros;
  Findings* found;
  std::uint8_t* diagonal_used;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t run) const {
    const Offset begin = static_cast<Offset>(run) * length;
    const Offset end = begin + length < nonzeros ? begin + length : nonzeros;
    Index i = row_of(begin);
    double on_diagonal = 0;
    for (Offset k = begin; k < end; ++k) {
      while (k >= row_ptr[i + 1]) ++i;
      const Index j = col[k];
      const T v = val[k];
      if (!(v - v == T{0})) set(&found->not_finite);
      std::uint8_t* used = diagonal_used + (static_cast<Offset>(j) - i + rows - 1);
      if (Atomics::load(used) == 0) Atomics::store(used, std::uint8_t{1});
      if (j == i) {
        on_diagonal += v != T{0};
        judge_diagonal(v);
      } else {
        judge_mirror(i, j, v);
      }
    }
    return {{on_diagonal}};
  }

 private:
  OSTINATO_FUNCTION void set(int* flag) const {
    if (Atomics::load(flag) == 0) Atomics::store(flag, 1);
  }

  OSTINATO_FUNCTION void judge_diagonal(T v) const {
    if (!(v > T{0})) set(&found->nonpositive_diagonal);
    if (Atomics::load(&found->varying_diagonal) == 0) {
      const Offset first = position(0, 0);
      if (first < 0 || val[first] != v) set(&found->varying_diagonal);
    }
  }

  OSTINATO_FUNCTION void judge_mirror(Index i, Index j, T v) const {
    if (rows != cols || Atomics::load(&found->asymmetric_pattern) != 0) return;
    const Offset at = position(j, i);
    if (at < 0) {
      set(&found->asymmetric_pattern);
    } else if (val[at] != v) {
      set(&found->asymmetric_values);
    }
  }

  /// The row that holds entry k.
  OSTINATO_FUNCTION Index row_of(Offset k) const {
    Index low = 0, high = rows;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (row_ptr[middle] <= k ? low : high) = middle;
    }
    return low;
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

/// Squares for the spread of row lengths, about the mean so that no digits cancel, and empty rows.
template <class Atomics>
struct InspectRow {
  const Offset* row_ptr;
  double mean;
  Findings* found;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const int length = static_cast<int>(row_ptr[i + 1] - row_ptr[i]);
    if (length > Atomics::load(&found->longest_row)) Atomics::max(&found->longest_row, length);
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

template <class Space, class T>
Structure analyse_on(const Space& space, const CsrView<T>& a) {
  Structure s;
  s.rows = a.rows;
  s.cols = a.cols;
  s.nonzeros = a.nonzeros();
  if (a.rows == 0 || a.cols == 0) {
    s.empty_rows = a.rows;
    s.pattern_symmetric = s.symmetric = a.rows == a.cols;
    return s;
  }
  s.mean_row = static_cast<double>(s.nonzeros) / a.rows;

  const std::size_t rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  const Offset* row_ptr = a.row_ptr.data();
  using Run = InspectRun<Atomic<Space>, T>;
  Vector<Space, std::uint8_t> used(space, rows + cols - 1);
  space.zero(used.data(), used.bytes());
  Vector<Space, Findings> found(space, 1, Findings{});
  Vector<Space, double> sums(space, 3);
  sum(space, static_cast<std::size_t>((s.nonzeros + Run::length - 1) / Run::length),
      Run{row_ptr, a.col.data(), a.val.data(), a.rows, a.cols, s.nonzeros, found.data(), used.data()}, sums.data());
  sum(space, rows, InspectRow<Atomic<Space>>{row_ptr, s.mean_row, found.data()}, sums.data() + 1);
  find_diagonals(space, used, found.data(), s);

  const Findings f = found.download()[0];
  const std::vector<double> total = sums.download();
  s.missing_diagonal = std::min(a.rows, a.cols) - static_cast<Index>(total[0]);
  s.row_deviation = std::sqrt(total[1] / a.rows);
  s.empty_rows = static_cast<Index>(total[2]);
  s.longest_row = f.longest_row;
  s.positive_diagonal = f.nonpositive_diagonal == 0 && s.missing_diagonal == 0;
  s.constant_diagonal = f.varying_diagonal == 0 && s.missing_diagonal == 0;
  s.pattern_symmetric = rows == cols && f.asymmetric_pattern == 0;
  s.symmetric = s.pattern_symmetric && f.asymmetric_values == 0;
  s.finite = f.not_finite == 0;
  return s;
}

}  // namespace ostinato::detail

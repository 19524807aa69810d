// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of zero_fill.hpp whose rows don't wait for each other, for both spaces.

#include <ostinato/preconditioners/ilu/zero_fill_levels.hpp>
#include <ostinato/preconditioners/triangular/scale_range.hpp>
#include <ostinato/preconditioners/triangular/sweep.hpp>
#include <ostinato/preconditioners/triangular/sweep_steps.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// after[i] := the first entry of row i past the diagonal. Counts the entries below the diagonal, those on it, and
/// those of long rows.
struct FindDiagonal {
  static constexpr Offset longest_short_row = 9;

  CsrPattern a;
  Offset* after;

  OSTINATO_FUNCTION Sums<3> operator()(std::size_t i) const {
    after[i] = a.first_from(static_cast<Index>(i), static_cast<Index>(i) + 1);
    const Triangle lower{a, after, false};
    const Offset entries = a.row_ptr[i + 1] - a.row_ptr[i];
    return {{static_cast<double>(lower.end(i) - lower.begin(i)), lower.has_diagonal(i) ? 1.0 : 0.0,
             entries > longest_short_row ? static_cast<double>(entries) : 0.0}};
  }
};

/// row[t] := the row whose turn is t. group[t] := its group in a sweep, counted from `first`.
struct ListTurns {
  Triangle triangle;
  SweepGroups groups;
  unsigned first;
  const Index* level;
  Index* row;
  unsigned* group;

  OSTINATO_FUNCTION void operator()(std::size_t t) const {
    const Index own = triangle.turn(static_cast<Index>(t));
    const auto i = static_cast<std::size_t>(own);
    row[t] = own;
    group[t] = first + static_cast<unsigned>(groups.group(level[t], triangle.end(i) - triangle.begin(i)));
  }
};

/// The rows of a triangle in the order of a sweep.
struct SweepRows {
  Triangle triangle;
  const Index* order;     ///< the row of A at each place
  const Offset* row_ptr;  ///< of the sweep

  /// The sweep's pattern, whose columns no step reads.
  OSTINATO_FUNCTION CsrPattern pattern() const { return {triangle.a.rows, row_ptr, nullptr}; }
  /// The entry of A from which the sweep has entry k, in the row at this place.
  OSTINATO_FUNCTION Offset from(Index place, Offset k) const {
    return triangle.begin(static_cast<std::size_t>(order[place])) + k - row_ptr[place];
  }
};

/// count[place] := entries of the row at this place. Its source and its target are its number or, where that isn't
/// null, what `of_source` and `of_target` have for it.
struct ListSweepRows {
  Triangle triangle;
  const Index *order, *of_source, *of_target;
  Offset* count;
  Index *source, *target;

  OSTINATO_FUNCTION void operator()(std::size_t place) const {
    const Index own = order[place];
    const auto i = static_cast<std::size_t>(own);
    count[place] = triangle.end(i) - triangle.begin(i);
    source[place] = of_source == nullptr ? own : of_source[own];
    target[place] = of_target == nullptr ? own : of_target[own];
  }
};

/// Writes the columns of a sweep; `number` renumbers them, null keeps their numbers.
struct FillSweepColumns {
  EntryRuns runs;
  SweepRows rows;
  const Index* number;
  Index* col;

  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    runs.visit(run, rows.pattern(), [this](Index place, Offset k) {
      const Index j = rows.triangle.a.col[rows.from(place, k)];
      col[k] = number == nullptr ? j : number[j];
    });
  }
};

/// work[k] := the value of entry k, which is entry from[k] of `val`; null stands for k itself.
template <class T>
struct LoadEntries {
  const T* val;
  const Offset* from;
  double* work;

  OSTINATO_FUNCTION void operator()(std::size_t k) const {
    work[k] = static_cast<double>(val[from == nullptr ? static_cast<Offset>(k) : from[k]]);
  }
};

/// The scaling of the matrix that was factored; null stands for 1.
struct Scales {
  const double *of_row, *of_col;

  OSTINATO_FUNCTION double row(Index i) const { return of_row == nullptr ? 1 : of_row[i]; }
  OSTINATO_FUNCTION double col(Index i) const { return of_col == nullptr ? 1 : of_col[i]; }
};

/// The factors, as sweeps want them.
struct FactorValues {
  const double *work, *upper, *pivot;
  bool symmetric;  ///< `upper` holds L^T
  Scales scales;

  /// What entry `from` in row i of A, column j, is in its sweep; the same operations as those of the host.
  OSTINATO_FUNCTION double entry(const SweepRows& rows, Index i, Offset from) const {
    if (!rows.triangle.upper) return work[from];
    const double u = symmetric ? upper[from] * pivot[i] : upper[from];
    return scale(rows, i) * u / scales.col(rows.triangle.a.col[from]);
  }
  OSTINATO_FUNCTION double scale(const SweepRows& rows, Index i) const {
    return rows.triangle.upper ? scales.col(i) / pivot[i] : scales.row(i);
  }
};

/// Writes the values of a sweep. Counts those that leave the range of T.
template <class T>
struct FillSweepValues {
  EntryRuns runs;
  SweepRows rows;
  FactorValues values;
  T* val;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t run) const {
    Sums<1> outside;
    runs.visit(run, rows.pattern(), [&, this](Index place, Offset k) {
      val[k] = static_cast<T>(values.entry(rows, rows.order[place], rows.from(place, k)));
      outside.v[0] += val[k] - val[k] == T{0} ? 0.0 : 1.0;
    });
    return outside;
  }
};

/// The same for the scales of its rows.
template <class T>
struct FillSweepScales {
  SweepRows rows;
  FactorValues values;
  ScaleRange<T> range;
  T* scale;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t place) const {
    const double exact = values.scale(rows, rows.order[place]);
    scale[place] = static_cast<T>(exact);
    return {{range.holds(exact) ? 0.0 : 1.0}};
  }
};

/// Both for both sweeps.
template <class T>
struct FillSweeps {
  std::size_t runs;
  Both<FillSweepValues<T>> values;
  Both<FillSweepScales<T>> scales;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const { return i < runs ? values(i) : scales(i - runs); }
};

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of prepared_matrix.hpp, for both spaces.

#include <climits>
#include <cmath>
#include <limits>

#include <ostinato/spmv/analysis/row_facts.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/atomic_max.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// Entries beside the diagonal in the rows and columns that aren't general become 0. A diagonal entry of a zero row
/// becomes `unit`.
template <class T>
struct DecoupleEntries {
  EntryRuns runs;
  CsrPattern a;
  const T* from;
  const RowKind* kinds;
  T unit;
  T* to;

  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    runs.visit(run, a, [this](Index i, Offset k) {
      const Index j = a.col[k];
      if (i == j) {
        to[k] = kinds[i] == RowKind::zero ? unit : from[k];
      } else {
        const bool is_general = kinds[i] == RowKind::general && kinds[j] == RowKind::general;
        to[k] = is_general ? from[k] : T{0};
      }
    });
  }
};

/// Counts entries of general rows in columns of other rows.
template <class T>
struct CountFixed {
  EntryRuns runs;
  CsrPattern a;
  const T* val;
  const RowKind* kinds;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t run) const {
    double count = 0;
    runs.visit(run, a, [&](Index i, Offset k) {
      count += kinds[i] == RowKind::general && kinds[a.col[k]] != RowKind::general && val[k] != T{0};
    });
    return {{count}};
  }
};

/// What is known of x before the solve: x(i) of the rows that aren't general, 0 for the others.
template <class T>
struct SetKnown {
  const RowKind* kinds;
  const T *diagonal, *b, *guess;
  T* known;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    known[i] = kinds[i] == RowKind::diagonal ? b[i] / diagonal[i] : kinds[i] == RowKind::zero ? guess[i] : T{0};
  }
};

/// b and x of a decoupled system, from b less what is known.
template <class T>
struct EnterKnown {
  const RowKind* kinds;
  const T *diagonal, *known;
  T *b, *x;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (kinds[i] == RowKind::general) return;
    b[i] = diagonal[i] * known[i];
    x[i] = known[i];
  }
};

template <class T>
struct LeaveKnown {
  const RowKind* kinds;
  const T* known;
  T* x;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (kinds[i] != RowKind::general) x[i] = known[i];
  }
};

/// The elements of general rows, and how many there are.
template <class T>
struct SumGeneral {
  const RowKind* kinds;
  const T* b;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    if (kinds[i] != RowKind::general) return {{0.0, 0.0}};
    return {{static_cast<double>(b[i]), 1.0}};
  }
};

template <class T>
struct ShiftGeneral {
  const RowKind* kinds;
  const double* sums;  ///< those of SumGeneral
  T* b;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (kinds[i] != RowKind::general) return;
    b[i] = static_cast<T>(static_cast<double>(b[i]) - sums[0] / sums[1]);
  }
};

/// Halves the exponents of rows: a step of the scaling of Ruiz. `of_columns` are the exponents of the columns so far.
template <class T>
struct ScaleStep : CsrPattern {
  const T* val;
  const int *of_rows, *of_columns;
  bool in_full;  ///< the whole exponent, not half of it
  int* to;

  struct Value {
    int largest;
  };
  static constexpr int none = INT_MIN;
  using visits_most_rows = void;

  OSTINATO_FUNCTION Value initial(std::size_t) const { return {none}; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const { return {row_ptr[i], row_ptr[i + 1]}; }
  OSTINATO_FUNCTION void add(std::size_t, Offset k, Value& v) const {
    if (val[k] == T{0}) return;
    const int exponent = exponent_of(static_cast<double>(val[k])) + of_columns[col[k]];
    v.largest = exponent > v.largest ? exponent : v.largest;
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const {
    v.largest = other.largest > v.largest ? other.largest : v.largest;
  }
  OSTINATO_FUNCTION void finish(std::size_t i, const Value& v) const {
    const int exponent = v.largest == none ? 0 : v.largest + of_rows[i];
    constexpr int most = std::numeric_limits<T>::max_exponent - 4;
    const int next = of_rows[i] - (in_full ? exponent : exponent / 2);
    to[i] = next > most ? most : next < -most ? -most : next;
  }
};

template <class T>
struct PowersOfTwo {
  const int* exponents;
  T *power, *inverse;  ///< `inverse` may be null

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    power[i] = static_cast<T>(ldexp(1.0, exponents[i]));
    if (inverse != nullptr) inverse[i] = static_cast<T>(ldexp(1.0, -exponents[i]));
  }
};

}  // namespace ostinato::detail

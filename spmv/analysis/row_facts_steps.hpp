// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of row_facts.hpp, for both spaces.

#include <cmath>
#include <limits>

#include <ostinato/spmv/analysis/row_facts.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/atomic_max.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// What the passes find besides sums. All members are 0 before the first pass.
struct FoundInRows {
  int largest_exponent;  ///< plus exponent_origin
  int least_exponent;    ///< exponent_origin less this exponent
  Offset asymmetry;      ///< bits of a double that isn't negative
  double sums[3];        ///< rows that are diagonal, that are zero, and general ones whose entries don't add up to 0

  static constexpr int exponent_origin = 4096;
};

/// Finds the kind and the largest absolute value of each row.
template <class Atomics, class T>
struct FindRows : CsrPattern {
  const T* val;
  RowKind* kinds;
  T* largest;
  FoundInRows* found;

  struct Value {
    double largest, sum, size;
    int beside, on_diagonal;
  };
  using visits_most_rows = void;
  static constexpr double rounding = 2 * static_cast<double>(std::numeric_limits<T>::epsilon());

  OSTINATO_FUNCTION Value initial(std::size_t) const { return {0, 0, 0, 0, 0}; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const { return {row_ptr[i], row_ptr[i + 1]}; }
  OSTINATO_FUNCTION void add(std::size_t i, Offset k, Value& v) const {
    const double value = static_cast<double>(val[k]), size = fabs(value);
    v.largest = size > v.largest ? size : v.largest;
    v.sum += value;
    v.size += size;
    const bool on_diagonal = col[k] == static_cast<Index>(i);
    v.on_diagonal += on_diagonal && size > 0;
    v.beside += !on_diagonal && size > 0;
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const {
    v.largest = other.largest > v.largest ? other.largest : v.largest;
    v.sum += other.sum;
    v.size += other.size;
    v.beside += other.beside;
    v.on_diagonal += other.on_diagonal;
  }
  OSTINATO_FUNCTION Sums<3> finish(std::size_t i, const Value& v) const {
    const bool is_zero = v.largest == 0, is_diagonal = !is_zero && v.beside == 0;
    kinds[i] = is_zero ? RowKind::zero : is_diagonal ? RowKind::diagonal : RowKind::general;
    largest[i] = static_cast<T>(v.largest);
    if (!is_zero) raise(ilogb(v.largest));
    const bool stays = v.beside > 0 && !(fabs(v.sum) <= rounding * v.size);
    return {{is_diagonal ? 1.0 : 0.0, is_zero ? 1.0 : 0.0, stays ? 1.0 : 0.0}};
  }

 private:
  OSTINATO_FUNCTION void raise(int exponent) const {
    const int high = FoundInRows::exponent_origin + exponent, low = FoundInRows::exponent_origin - exponent;
    if (high > Atomics::peek(&found->largest_exponent)) Atomics::max(&found->largest_exponent, high);
    if (low > Atomics::peek(&found->least_exponent)) Atomics::max(&found->least_exponent, low);
  }
};

/// Finds how far mirrored values differ, in a symmetric pattern. Ends early once they differ by more than `most`.
template <class Atomics, class T>
struct FindAsymmetry {
  EntryRuns runs;
  CsrPattern a;
  const T *val, *largest;
  double most;
  FoundInRows* found;

  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    if (seen() > most) return;
    double worst = 0;
    runs.visit(run, a, [&](Index i, Offset k) {
      const Index j = a.col[k];
      if (j <= i || worst > most) return;
      const double difference = fabs(static_cast<double>(val[k]) - static_cast<double>(val[mirror(i, k)]));
      const double size = static_cast<double>(largest[i] < largest[j] ? largest[i] : largest[j]);
      const double share = difference == 0 ? 0 : difference / size;  // infinite where size is 0
      worst = share > worst ? share : worst;
    });
    raise_to<Atomics>(&found->asymmetry, worst);
  }

 private:
  OSTINATO_FUNCTION double seen() const { return double_of(Atomics::peek(&found->asymmetry)); }

  /// In a stencil the mirror is as far from the end of its row as entry k is from the beginning of row i.
  OSTINATO_FUNCTION Offset mirror(Index i, Offset k) const {
    const Index j = a.col[k];
    const Offset guess = a.row_ptr[j + 1] - 1 - (k - a.row_ptr[i]);
    return guess >= a.row_ptr[j] && a.col[guess] == i ? guess : a.first_from(j, i);
  }
};

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of row_errors.hpp, for both spaces.

#include <cmath>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/atomic_max.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// The results, all 0 before the first pass.
struct RowErrorBits {
  Offset largest_x, componentwise, by_row;
  double unsolved;
};

template <class Atomics, class T>
struct LargestDifference {
  const T* x;
  double from;
  Offset* bits;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    raise_to<Atomics>(bits, fabs(static_cast<double>(x[i]) - from));
  }
};

template <class Atomics, class T>
struct CompareRows : CsrPattern {
  const T *val, *x, *b;
  double tolerance;
  RowErrorBits* found;

  struct Value {
    double product, terms, size;
  };
  using visits_most_rows = void;

  OSTINATO_FUNCTION Value initial(std::size_t) const { return {0, 0, 0}; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const { return {row_ptr[i], row_ptr[i + 1]}; }
  OSTINATO_FUNCTION void add(std::size_t, Offset k, Value& v) const {
    const double a = static_cast<double>(val[k]), term = a * static_cast<double>(x[col[k]]);
    v.product += term;
    v.terms += fabs(term);
    v.size += fabs(a);
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const {
    v.product += other.product;
    v.terms += other.terms;
    v.size += other.size;
  }
  OSTINATO_FUNCTION Sums<1> finish(std::size_t i, const Value& v) const {
    const double right = static_cast<double>(b[i]), of_b = fabs(right), residual = fabs(right - v.product);
    if (residual == 0) return {{0.0}};
    const double terms = v.terms + of_b, row = v.size * double_of(found->largest_x) + of_b;
    raise_to<Atomics>(&found->componentwise, residual / terms);
    raise_to<Atomics>(&found->by_row, residual / row);
    return {{residual > 0.1 * terms && residual > tolerance * row ? 1.0 : 0.0}};
  }
};

}  // namespace ostinato::detail

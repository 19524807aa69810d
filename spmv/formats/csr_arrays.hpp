// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What functors share that build a format from CSR, or multiply with one, on either space.

#include <cstddef>

#include <ostinato/spmv/csr.hpp>
#include <ostinato/spmv/function.hpp>
#include <ostinato/spmv/product.hpp>

namespace ostinato::formats::detail {

/// The pattern of a CSR matrix, as device code reads it.
struct CsrPattern {
  Index rows;
  const Offset* row_ptr;
  const Index* col;

  OSTINATO_FUNCTION Offset length(std::size_t i) const { return row_ptr[i + 1] - row_ptr[i]; }

  /// The row that holds entry k.
  OSTINATO_FUNCTION Index row_of(Offset k) const {
    Index low = 0, high = rows - 1;
    while (low < high) {
      const Index middle = low + (high - low) / 2 + 1;
      if (row_ptr[middle] <= k) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /// The first entry of row i in column `bound` or past it; the row's end when there is none.
  OSTINATO_FUNCTION Offset first_from(Index i, Offset bound) const {
    Offset low = row_ptr[i], high = row_ptr[i + 1];
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (col[middle] < bound) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

template <class T>
struct CsrArrays : CsrPattern {
  const T* val;
};

template <class T>
CsrPattern pattern_of(const CsrView<T>& a) {
  return {a.rows, a.row_ptr.data(), a.col.data()};
}

template <class T>
CsrArrays<T> arrays_of(const CsrView<T>& a) {
  return {pattern_of(a), a.val.data()};
}

/// y(i) of a product; `sum` is row i of A x.
template <class T>
OSTINATO_FUNCTION void store_row(const Product<T>& p, std::size_t i, T sum) {
  p.y[i] = p.beta == T{0} ? p.alpha * sum : p.alpha * sum + p.beta * p.z[i];
}

/// Row i of a product with CSR, from the first entry to the last.
template <class T>
struct PlainRow {
  CsrArrays<T> a;
  Product<T> p;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset end = a.row_ptr[i + 1];
    T sum = 0;
    for (Offset k = a.row_ptr[i]; k < end; ++k) sum += a.val[k] * p.x[a.col[k]];
    store_row(p, i, sum);
  }
};

}  // namespace ostinato::formats::detail

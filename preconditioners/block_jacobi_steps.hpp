// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of block_jacobi.hpp, on both spaces.

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::detail {

inline constexpr Index most_rows_of_block = 32;

/// starts[i] := 1 where row i has another pattern than row i - 1, otherwise 0.
struct MarkSupervariables {
  CsrPattern a;
  Index* starts;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    starts[i] = 1;
    if (i == 0 || a.length(i) != a.length(i - 1)) return;
    const Offset shift = a.row_ptr[i] - a.row_ptr[i - 1];
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (a.col[k] != a.col[k - shift]) return;
    }
    starts[i] = 0;
  }
};

/// Diagonal blocks of consecutive rows. Block b has the rows begin[b] .. begin[b + 1] - 1, and its elements, column by
/// column, from at[b] on: so neighbouring rows read neighbouring elements.
struct BlockLayout {
  const Index* begin;
  const Offset* at;
  const Index* block_of;  ///< the block of each row
};

/// Inverts block b of sign A by Gauss-Jordan elimination with row pivoting. singular[b] := 1 where there is no inverse.
/// Where A is symmetric, the mean of the inverse and its transpose is taken, which rounding makes differ.
/// Source    Golub & Van Loan, Matrix Computations, chapter 3.
template <class T>
struct InvertBlock {
  CsrPattern a;
  const T* val;
  BlockLayout layout;
  T* elements;
  Index* singular;
  bool symmetric;
  T sign;

  OSTINATO_FUNCTION void operator()(std::size_t b) const {
    const Index first = layout.begin[b], m = layout.begin[b + 1] - first;
    T* const x = elements + layout.at[b];
    fill(x, first, m);
    signed char pivot[most_rows_of_block];
    singular[b] = 0;
    for (Index k = 0; k < m; ++k) {
      const Index p = largest(x + k * m, k, m);
      const T value = x[k * m + p];
      if (value == T{0} || value - value != T{0}) {
        singular[b] = 1;
        return;
      }
      pivot[k] = static_cast<signed char>(p);
      eliminate(x, k, p, m);
    }
    for (Index k = m - 1; k >= 0; --k) {
      for (Index i = 0; pivot[k] != k && i < m; ++i) swap(x[k * m + i], x[pivot[k] * m + i]);
    }
    finish(x, b, m);
  }

 private:
  OSTINATO_FUNCTION static T size(T v) { return v < 0 ? -v : v; }
  OSTINATO_FUNCTION static void swap(T& v, T& w) {
    const T kept = v;
    v = w;
    w = kept;
  }

  OSTINATO_FUNCTION void fill(T* x, Index first, Index m) const {
    for (Index k = 0; k < m * m; ++k) x[k] = T{0};
    for (Index i = 0; i < m; ++i) {
      const Offset end = a.row_ptr[first + i + 1];
      for (Offset k = a.first_from(first + i, first); k < end && a.col[k] < first + m; ++k)
        x[(a.col[k] - first) * m + i] = sign * val[k];
    }
  }

  OSTINATO_FUNCTION static Index largest(const T* column, Index k, Index m) {
    Index p = k;
    for (Index i = k + 1; i < m; ++i) {
      if (!(size(column[i]) <= size(column[p]))) p = i;
    }
    return p;
  }

  OSTINATO_FUNCTION static void eliminate(T* x, Index k, Index p, Index m) {
    T* const factors = x + k * m;
    swap(factors[k], factors[p]);
    const T inverse = T{1} / factors[k];
    factors[k] = T{0};
    for (Index c = 0; c < m; ++c) {
      T* const column = x + c * m;
      if (c == k) continue;
      const T top = inverse * column[p];
      column[p] = column[k];
      for (Index i = 0; i < m; ++i) column[i] -= factors[i] * top;
      column[k] = top;
    }
    for (Index i = 0; i < m; ++i) factors[i] *= -inverse;
    factors[k] = inverse;
  }

  OSTINATO_FUNCTION void finish(T* x, std::size_t b, Index m) const {
    for (Index c = 0; c < m; ++c) {
      for (Index i = 0; i <= c; ++i) {
        if (symmetric) x[c * m + i] = x[i * m + c] = x[c * m + i] / 2 + x[i * m + c] / 2;
        const T both = x[c * m + i] - x[c * m + i] + (x[i * m + c] - x[i * m + c]);
        if (both != T{0}) singular[b] = 1;
      }
    }
  }
};

/// z = M^-1 r, a row a call.
template <class T>
struct MultiplyBlockRow {
  BlockLayout layout;
  const T *elements, *r;
  T* z;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Index b = layout.block_of[i], first = layout.begin[b], m = layout.begin[b + 1] - first;
    const T* const row = elements + layout.at[b] + (static_cast<Index>(i) - first);
    T total = 0;
    for (Index c = 0; c < m; ++c) total += row[c * m] * r[first + c];
    z[i] = total;
  }
};

}  // namespace ostinato::detail

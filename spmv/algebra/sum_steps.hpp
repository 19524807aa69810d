// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of sum.hpp, for both spaces.

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::detail {

/// Calls f(j, k, of_a, q, of_b) for each column j in which row i of A or B has an entry, ascending: entry k of A if
/// of_a, entry q of B if of_b.
template <class F>
OSTINATO_FUNCTION void merge_rows(const CsrPattern& a, const CsrPattern& b, std::size_t i, F f) {
  Offset k = a.row_ptr[i], q = b.row_ptr[i];
  const Offset a_end = a.row_ptr[i + 1], b_end = b.row_ptr[i + 1];
  while (k < a_end || q < b_end) {
    const bool of_a = k < a_end && (q == b_end || a.col[k] <= b.col[q]);
    const bool of_b = q < b_end && (k == a_end || b.col[q] <= a.col[k]);
    f(of_a ? a.col[k] : b.col[q], k, of_a, q, of_b);
    k += of_a;
    q += of_b;
  }
}

/// count[i] := entries of row i of the sum.
struct CountSum {
  CsrPattern a, b;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset n = 0;
    merge_rows(a, b, i, [&n](Index, Offset, bool, Offset, bool) { ++n; });
    count[i] = n;
  }
};

/// Writes the columns of the sum.
struct FillSum {
  CsrPattern a, b;
  const Offset* row_ptr;
  Index* col;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset at = row_ptr[i];
    merge_rows(a, b, i, [&at, to = col](Index j, Offset, bool, Offset, bool) { to[at++] = j; });
  }
};

/// Writes the values of A + s B.
template <class T>
struct AddRows {
  CsrPattern a;
  const T* a_val;
  T s;
  CsrPattern b;
  const T* b_val;
  const Offset* row_ptr;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset at = row_ptr[i];
    merge_rows(a, b, i, [&at, this](Index, Offset k, bool of_a, Offset q, bool of_b) {
      if (!of_b) {
        val[at++] = a_val[k];
      } else if (!of_a) {
        val[at++] = s * b_val[q];
      } else {
        val[at++] = a_val[k] + s * b_val[q];
      }
    });
  }
};

}  // namespace ostinato::detail

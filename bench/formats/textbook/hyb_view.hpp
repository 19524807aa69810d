// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functors of hyb.hpp that copy from CSR the entries past the ELL width, for both spaces.

#include <ostinato/spmv/formats/csr_arrays.hpp>

namespace ostinato::formats::detail {

/// rest[i] := entries of row i past the first `width`
struct CountRest {
  CsrPattern a;
  Index width;
  Offset* rest;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset length = a.length(i);
    rest[i] = length > width ? length - width : 0;
  }
};

/// Copies the entries of row i past the first `width` to COO, from position begin[i] on. Goes by entries, so that a
/// long row isn't the work of one thread.
template <class T>
struct FillRest {
  CsrArrays<T> a;
  EntryRuns runs;
  Index width;
  const Offset* begin;
  Index* row;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    runs.visit(run, a, [&](Index i, Offset k) {
      const Offset place = k - a.row_ptr[i] - width;
      if (place < 0) return;
      const Offset to = begin[i] + place;
      row[to] = i;
      col[to] = a.col[k];
      val[to] = a.val[k];
    });
  }
};

}  // namespace ostinato::formats::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the functors share that build a format from CSR or multiply with CSR, in either space.

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>

namespace ostinato::formats::detail {

using ostinato::detail::bisect;
using ostinato::detail::CsrPattern;
using ostinato::detail::EntryRuns;
using ostinato::detail::pattern_of;

template <class T>
struct CsrArrays : CsrPattern {
  const T* val;
};

template <class T>
CsrArrays<T> arrays_of(const CsrView<T>& a) {
  return {pattern_of(a), a.val.data()};
}

/// Computes row i of a CSR product, adding from the first entry to the last.
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

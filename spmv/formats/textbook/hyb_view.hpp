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

/// Copies the entries of row i past the first `width` to COO, from position begin[i] on.
template <class T>
struct FillRest {
  CsrArrays<T> a;
  Index width;
  const Offset* begin;
  Index* row;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset to = begin[i];
    for (Offset k = a.row_ptr[i] + width; k < a.row_ptr[i + 1]; ++k, ++to) {
      row[to] = static_cast<Index>(i);
      col[to] = a.col[k];
      val[to] = a.val[k];
    }
  }
};

}  // namespace ostinato::formats::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/csr.hpp>
#include <ostinato/spmv/function.hpp>

namespace ostinato::detail {

/// The pattern of a CSR matrix, as functors of either space read it.
struct CsrPattern {
  Index rows;
  const Offset* row_ptr;
  const Index* col;

  OSTINATO_FUNCTION Offset length(std::size_t i) const { return row_ptr[i + 1] - row_ptr[i]; }

  /// The row that holds entry k.
  OSTINATO_FUNCTION Index row_of(Offset k) const {
    Index low = 0, high = rows;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (row_ptr[middle] <= k ? low : high) = middle;
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
CsrPattern pattern_of(const CsrView<T>& a) {
  return {a.rows, a.row_ptr.data(), a.col.data()};
}

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel that makes the diagonal of spai0.hpp, on both spaces.

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// m[i] := A(i, i) / |row i of A|^2, or the absolute value of that. The sum counts rows where that is 0 or not finite.
template <class T>
struct DiagonalOverSquares {
  CsrPattern a;
  const T* val;
  T* m;
  bool absolute;
  Index first = 0;  ///< the number of row 0 among the columns

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    double largest = 0, diagonal = 0, squares = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const double v = static_cast<double>(val[k]), size = v < 0 ? -v : v;
      if (!(size <= largest)) largest = size;  // NaN stays
      if (a.col[k] == first + static_cast<Index>(i)) diagonal = absolute ? size : v;
    }
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const double v = static_cast<double>(val[k]) / largest;
      squares += v * v;
    }
    m[i] = static_cast<T>(diagonal / largest / squares / largest);
    const bool usable = m[i] - m[i] == T{0} && m[i] != T{0};
    return {{usable ? 0.0 : 1.0}};
  }
};

}  // namespace ostinato::detail

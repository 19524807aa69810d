// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel that extracts and inverts the diagonal for jacobi.hpp, on both spaces.

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// inverse[i] := 1 / A(i, i), or 1 / |A(i, i)|. The sum counts rows whose inverse is 0 or not finite.
template <class T>
struct InvertDiagonal {
  CsrPattern a;
  const T* val;
  T* inverse;
  bool absolute;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const Index row = static_cast<Index>(i);
    const Offset k = a.first_from(row, row);
    const T diagonal = k < a.row_ptr[i + 1] && a.col[k] == row ? val[k] : T{0};
    inverse[i] = T{1} / (absolute ? static_cast<T>(magnitude(diagonal)) : diagonal);
    const bool usable = inverse[i] - inverse[i] == T{0} && inverse[i] != T{0};
    return {{usable ? 0.0 : 1.0}};
  }
};

}  // namespace ostinato::detail

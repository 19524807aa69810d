// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel of norms.hpp, for both spaces.

#include <cmath>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::detail {

template <class T>
struct RowNorm {
  CsrPattern a;
  const T* val;
  double* norm;
  double most;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    double largest = 0, squares = 0, rest = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const double size = fabs(static_cast<double>(val[k]));
      rest += size - size;  // 0 for finite values
      if (size > largest) largest = size;
    }
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1] && largest > 0; ++k) {
      const double share = static_cast<double>(val[k]) / largest;
      squares += share * share;
    }
    const double root = sqrt(squares), length = largest > most / (root > 1 ? root : 1) ? most : largest * root;
    norm[i] = length + rest;
  }
};

}  // namespace ostinato::detail

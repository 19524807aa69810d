// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of product.hpp on Cuda that need no shared memory.

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::detail {

/// terms[i] := number of terms of row i of A B.
struct CountTerms {
  CsrPattern a, b;
  Offset* terms;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset count = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) count += b.length(static_cast<std::size_t>(a.col[k]));
    terms[i] = count;
  }
};

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The element-wise kernel of isai.hpp, on both spaces.

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// Counts rows that don't end in a diagonal entry other than 0.
struct CountSingularRows {
  CsrPattern a;
  const double* val;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const Offset end = a.row_ptr[i + 1];
    const bool regular = end > a.row_ptr[i] && a.col[end - 1] == static_cast<Index>(i) && val[end - 1] != 0;
    return {{regular ? 0.0 : 1.0}};
  }
};

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// 1 for a row in which an entry beside the diagonal equals that on it, or that has 0 there or no entry.
template <class T>
struct MayBeTwice : CsrPattern {
  const T* val;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const auto row = static_cast<Index>(i);
    const Offset at = first_from(row, row), end = row_ptr[i + 1];
    if (row_ptr[i] == end) return {{0}};
    if (at >= end || col[at] != row || val[at] == 0) return {{1}};
    for (Offset k = row_ptr[i]; k < end; ++k)
      if (k != at && val[k] == val[at]) return {{1}};
    return {{0}};
  }
};

}  // namespace ostinato::detail

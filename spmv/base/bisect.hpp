// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/function.hpp>

namespace ostinato::detail {

/// Binary search: the first i in low .. high - 1 for which past(i) holds; high when there is none. When past(i) holds,
/// past must hold for all larger i. Runs on the host and in CUDA kernels.
template <class I, class Past>
OSTINATO_FUNCTION I bisect(I low, I high, Past past) {
  while (low < high) {
    const I middle = low + (high - low) / 2;
    if (past(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace ostinato::detail

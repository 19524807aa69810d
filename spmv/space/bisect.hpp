// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/function.hpp>

namespace ostinato::detail {

/// The first of low .. high - 1 that is past something; high when none is. Whatever follows one that is past it has to
/// be, too. For functors of either space.
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

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/spmv/space/function.hpp>

namespace ostinato {

/// Raises a pivot below `boost` times the largest value in the row of A. One that is 0 says nothing about its unknown,
/// and becomes that largest value, so that the unknown doesn't grow. Returns whether the pivot was raised.
OSTINATO_FUNCTION inline bool raise(double& pivot, double largest, double boost) {
  const double size = largest > 0 ? largest : 1;
  if (!(fabs(pivot) < size * boost)) return false;
  pivot = pivot == 0 ? size : copysign(size * boost, pivot);
  return true;
}

}  // namespace ostinato

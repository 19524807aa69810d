// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/spmv/base/function.hpp>

namespace ostinato {

enum class PivotChange { none, raised, replaced };

/// Raises a pivot below `boost` times the largest value in the row of A. One that is 0 but for rounding says nothing
/// about its unknown, and is replaced by that largest value, so that the unknown doesn't grow.
OSTINATO_FUNCTION inline PivotChange raise(double& pivot, double largest, double boost) {
  constexpr double rounding = 0x1p-46;
  const double size = largest > 0 ? largest : 1;
  if (!(fabs(pivot) < size * boost)) return PivotChange::none;
  const bool is_zero = fabs(pivot) <= size * rounding;
  pivot = copysign(is_zero ? size : size * boost, pivot);
  return is_zero ? PivotChange::replaced : PivotChange::raised;
}

}  // namespace ostinato

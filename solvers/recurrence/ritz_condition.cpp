// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/ritz_condition.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ostinato {

Condition ritz_condition(const Tridiagonal& lanczos, bool has_preconditioner) {
  constexpr double digits = 0.05;
  const std::size_t n = lanczos.diagonal.size();
  if (n < 2) return {};
  const double smallest = eigenvalue(lanczos, 0, digits), largest = eigenvalue(lanczos, n - 1, digits);
  const double ratio = largest / smallest;
  if (!(smallest > 0) || !std::isfinite(ratio)) return {};
  // Smaller eigenvalues are rounding.
  constexpr double most = 0.5 / std::numeric_limits<double>::epsilon();
  return {std::clamp(ratio, 1.0, most), has_preconditioner ? Condition::Of::preconditioned : Condition::Of::matrix};
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/ritz_condition.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ostinato {

namespace {

constexpr double accuracy = 0.05;

/// Whether the smallest eigenvalue hardly fell in the last quarter of the process. A guess, or a right-hand side, that
/// holds little of the slowest part of the error shows that late or never.
bool has_settled(const Tridiagonal& lanczos, double smallest) {
  constexpr double hardly = 2;
  const std::size_t n = lanczos.diagonal.size(), before = n - n / 4;
  Tridiagonal part = lanczos;
  part.diagonal.resize(before);
  part.beside.resize(before);
  return eigenvalue(part, 0, accuracy) <= hardly * smallest;
}

}  // namespace

Condition ritz_condition(const Tridiagonal& lanczos, bool has_preconditioner) {
  constexpr std::size_t fewest = 12;
  const std::size_t n = lanczos.diagonal.size();
  if (n < fewest) return {};
  const double smallest = eigenvalue(lanczos, 0, accuracy), largest = eigenvalue(lanczos, n - 1, accuracy);
  const double ratio = largest / smallest;
  if (!(smallest > 0) || !std::isfinite(ratio) || !has_settled(lanczos, smallest)) return {};
  // Smaller eigenvalues are rounding.
  constexpr double most = 0.5 / std::numeric_limits<double>::epsilon();
  return {std::clamp(ratio, 1.0, most), has_preconditioner ? Condition::Of::preconditioned : Condition::Of::matrix};
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/tridiagonal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ostinato {

namespace {

/// Every eigenvalue is at most so large in size (Gershgorin).
double largest_size(const Tridiagonal& t) {
  double size = 0;
  for (std::size_t k = 0; k < t.diagonal.size(); ++k) {
    const double before = k == 0 ? 0 : t.beside[k - 1], after = k + 1 == t.diagonal.size() ? 0 : t.beside[k];
    size = std::max(size, std::abs(t.diagonal[k]) + std::abs(before) + std::abs(after));
  }
  return size;
}

}  // namespace

std::size_t eigenvalues_below(const Tridiagonal& t, double x) {
  std::size_t count = 0;
  double pivot = 1;
  for (std::size_t k = 0; k < t.diagonal.size(); ++k) {
    const double coupling = k == 0 ? 0 : t.beside[k - 1];
    pivot = t.diagonal[k] - x - (coupling == 0 ? 0 : coupling / pivot * coupling);
    if (pivot == 0) pivot = std::numeric_limits<double>::min();
    count += pivot < 0 ? 1 : 0;
  }
  return count;
}

double eigenvalue(const Tridiagonal& t, std::size_t k, double relative) {
  double high = largest_size(t), low = -high;
  for (int halvings = 0; halvings < 60 && !(high - low <= relative * std::abs(high)); ++halvings) {
    const double middle = low / 2 + high / 2;
    (eigenvalues_below(t, middle) > k ? high : low) = middle;
  }
  return high;
}

}  // namespace ostinato

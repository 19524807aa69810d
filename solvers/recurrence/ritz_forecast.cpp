// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/ritz_forecast.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/spmv/dense/tridiagonal.hpp>

namespace ostinato {

namespace {

/// Powers of 2, and one and a half times these.
std::size_t following(std::size_t size) { return (size & (size - 1)) == 0 ? size + size / 2 : size + size / 3; }

/// The number of Ritz values below a gap of a power of ten, if they are a quarter of all at most; 0: there is no gap.
std::size_t apart(const Tridiagonal& t, double largest) {
  constexpr int powers = 13;  // of ten; what is smaller than the largest by as much is rounding
  const double step = std::sqrt(0.1);
  std::size_t before = t.diagonal.size(), below = before;
  for (int half = 0; half < 2 * powers; ++half, largest *= step) {
    const std::size_t two_before = std::exchange(before, below);
    below = eigenvalues_below(t, largest);
    if (half >= 2 && below == two_before && 4 * below <= t.diagonal.size()) return below;
  }
  return 0;
}

/// The root of the ratio of the largest Ritz value to the smallest that counts, of the first `size` iterations.
double spread_of(const Tridiagonal& t, std::size_t size) {
  constexpr double digits = 0.01;
  const auto n = static_cast<std::ptrdiff_t>(size);
  const Tridiagonal leading{{t.diagonal.begin(), t.diagonal.begin() + n}, {t.beside.begin(), t.beside.begin() + n}};
  const double largest = eigenvalue(leading, size - 1, digits);
  return std::sqrt(largest / eigenvalue(leading, std::max<std::size_t>(1, apart(leading, largest)), digits));
}

}  // namespace

double RitzForecast::operator()(const Iteration& now, double goal) {
  constexpr std::size_t latest = 256;
  if (now.lanczos == nullptr || now.lanczos->diagonal.size() < seen_) *this = {};
  if (now.lanczos == nullptr || now.lanczos->diagonal.size() < next_ || next_ > latest) return 0;
  while (now.lanczos->diagonal.size() >= following(next_) && next_ < latest) next_ = following(next_);
  seen_ = std::exchange(next_, following(next_));
  const double spread = spread_of(*now.lanczos, seen_), before = spread_of(*now.lanczos, seen_ / 2);
  constexpr double share = 0.7;
  const double left =
      share * std::clamp(spread / before, 1.0, 2.0) * 0.5 * spread * std::log(2 * now.relative_residual / goal);
  return std::isfinite(left) ? left : 0;
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/symmetric_eigenvectors.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace ostinato {

namespace {

using Row = std::vector<double>;

double product(const Row& x, const Row& y, std::size_t first) {
  double sum = 0;
  for (std::size_t i = first; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// A = Q T Q^T, where T is tridiagonal and Q the product of the reflections I - 2 v v^T, v of length 1 or 0.
struct Reduction {
  Row diagonal, beside;  ///< beside(k) couples k and k + 1; the last one is 0
  std::vector<Row> reflections;

  explicit Reduction(std::vector<Row> a) : diagonal(a.size()), beside(a.size()) {
    const std::size_t n = a.size();
    for (std::size_t k = 0; k < n; ++k) {
      diagonal[k] = a[k][k];
      if (k + 1 == n) break;
      Row v = a[k];
      const double length = std::sqrt(product(v, v, k + 1));
      beside[k] = v[k + 1] > 0 ? -length : length;
      v[k + 1] -= beside[k];
      std::fill_n(v.begin(), k + 1, 0.0);
      const double size = std::sqrt(product(v, v, k + 1));
      for (double& value : v) value = size > 0 ? value / size : 0;
      reflect(a, v, k + 1);
      reflections.push_back(std::move(v));
    }
  }

  /// y becomes Q y.
  void apply(Row& y) const {
    for (std::size_t k = reflections.size(); k-- > 0;) {
      const Row& v = reflections[k];
      const double along = 2 * product(v, y, k + 1);
      for (std::size_t i = k + 1; i < y.size(); ++i) y[i] -= along * v[i];
    }
  }

 private:
  /// Rows and columns from `first` on become those of (I - 2 v v^T) A (I - 2 v v^T).
  static void reflect(std::vector<Row>& a, const Row& v, std::size_t first) {
    const std::size_t n = a.size();
    Row p(n);
    for (std::size_t i = first; i < n; ++i) p[i] = 2 * product(a[i], v, first);
    const double along = product(p, v, first);
    for (std::size_t i = first; i < n; ++i) p[i] -= along * v[i];
    for (std::size_t i = first; i < n; ++i) {
      for (std::size_t j = first; j < n; ++j) a[i][j] -= v[i] * p[j] + p[i] * v[j];
    }
  }
};

/// Turns rows i and i + 1 by an angle.
void turn(Row& upper, Row& lower, double cosine, double sine) {
  for (std::size_t k = 0; k < upper.size(); ++k) {
    const double below = lower[k];
    lower[k] = sine * upper[k] + cosine * below;
    upper[k] = cosine * upper[k] - sine * below;
  }
}

/// One step of the implicit QL method on the part `first` .. `last` of the tridiagonal matrix. The rows of z take part.
void ql_step(Row& d, Row& e, std::vector<Row>& z, std::size_t first, std::size_t last) {
  const double half = (d[first + 1] - d[first]) / (2 * e[first]);
  double g = d[last] - d[first] + e[first] / (half + std::copysign(std::hypot(half, 1.0), half));
  double sine = 1, cosine = 1, shift = 0;
  for (std::size_t i = last; i-- > first;) {
    const double f = sine * e[i], b = cosine * e[i], length = std::hypot(f, g);
    e[i + 1] = length;
    if (length == 0) {  // the matrix falls apart
      d[i + 1] -= shift;
      e[last] = 0;
      return;
    }
    sine = f / length;
    cosine = g / length;
    g = d[i + 1] - shift;
    const double r = (d[i] - g) * sine + 2 * cosine * b;
    shift = sine * r;
    d[i + 1] = g + shift;
    g = cosine * r - b;
    turn(z[i], z[i + 1], cosine, sine);
  }
  d[first] -= shift;
  e[first] = g;
  e[last] = 0;
}

/// d becomes the eigenvalues, the rows of z the eigenvectors. False where that takes too long.
bool diagonalise(Row& d, Row& e, std::vector<Row>& z) {
  constexpr int most_steps = 60;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  for (std::size_t first = 0; first < d.size(); ++first) {
    for (int step = 0;; ++step) {
      std::size_t last = first;
      while (last + 1 < d.size() && !(std::abs(e[last]) <= epsilon * (std::abs(d[last]) + std::abs(d[last + 1]))))
        ++last;
      if (last == first) break;
      if (step == most_steps) return false;
      ql_step(d, e, z, first, last);
    }
  }
  return std::all_of(d.begin(), d.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

SymmetricEigenvectors symmetric_eigenvectors(std::vector<Row> rows, int most) {
  const std::size_t n = rows.size(), count = std::min(n, static_cast<std::size_t>(std::max(most, 0)));
  Reduction t(std::move(rows));
  std::vector<Row> z(n, Row(n));
  for (std::size_t i = 0; i < n; ++i) z[i][i] = 1;
  if (!diagonalise(t.diagonal, t.beside, z)) return {};
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return t.diagonal[i] > t.diagonal[j]; });
  SymmetricEigenvectors all;
  for (std::size_t k = 0; k < count; ++k) {
    all.values.push_back(t.diagonal[order[k]]);
    all.vectors.push_back(std::move(z[order[k]]));
    t.apply(all.vectors.back());
  }
  return all;
}

}  // namespace ostinato

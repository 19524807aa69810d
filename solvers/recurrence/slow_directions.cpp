// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/slow_directions.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <ostinato/spmv/dense/symmetric_eigenvectors.hpp>

namespace ostinato {

namespace {

using Column = std::vector<double>;

double product(std::span<const double> x, std::span<const double> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

/// y = R^-1 w, where R = [I B; 0 R_H]
Column divide(const CycleCoefficients& cycle, Column w) {
  const auto kept = static_cast<std::size_t>(cycle.kept);
  const std::span<double> lower = std::span(w).subspan(kept);
  cycle.h.divide(lower);
  for (std::size_t j = 0; j < lower.size(); ++j) {
    for (std::size_t i = 0; i < kept; ++i) w[i] -= cycle.top[j][i] * lower[j];
  }
  return w;
}

/// y = R^-T N R^-1 w
Column multiply(const CycleCoefficients& cycle, const Column& w) {
  const auto kept = static_cast<std::size_t>(cycle.kept), size = static_cast<std::size_t>(cycle.columns());
  const Column z = divide(cycle, w);
  Column y = z;
  std::fill(y.begin(), y.begin() + cycle.kept, 0.0);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto row = cycle.gram.subspan(i * size, size);
    y[i] += product(row, z);
    for (std::size_t j = kept; j < size; ++j) y[j] += row[j] * z[i];
  }
  const std::span<double> upper = std::span(y).first(kept), lower = std::span(y).subspan(kept);
  for (std::size_t j = 0; j < lower.size(); ++j) lower[j] -= product(upper, cycle.top[j]);
  cycle.h.divide_transposed(lower);
  return y;
}

/// R^-T N R^-1, symmetric up to rounding; both halves are those of one.
std::vector<Column> inverse_squares(const CycleCoefficients& cycle) {
  const auto size = static_cast<std::size_t>(cycle.columns());
  std::vector<Column> s;
  for (std::size_t k = 0; k < size; ++k) {
    Column unit(size);
    unit[k] = 1;
    s.push_back(multiply(cycle, unit));
    for (std::size_t i = 0; i < k; ++i) s[i][k] = s[k][i];
  }
  return s;
}

}  // namespace

SlowDirections slow_directions(const CycleCoefficients& cycle, int most, double longest) {
  const SymmetricEigenvectors found = symmetric_eigenvectors(inverse_squares(cycle), most);
  SlowDirections chosen;
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    if (!(std::sqrt(found.values[k]) <= longest)) continue;
    const Column& w = found.vectors[k];
    Column image(w.begin(), w.begin() + cycle.kept);
    const Column lower = cycle.h.rotate_back(std::span(w).subspan(static_cast<std::size_t>(cycle.kept)));
    image.insert(image.end(), lower.begin(), lower.end());
    chosen.in_search.push_back(divide(cycle, w));
    chosen.in_images.push_back(std::move(image));
  }
  return chosen;
}

}  // namespace ostinato

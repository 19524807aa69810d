// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/slow_directions.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>

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

/// Makes the columns orthonormal, in their order. Columns that depend on those before, or aren't finite, are removed.
void orthonormalise(std::vector<Column>& columns) {
  constexpr double rounding = 1e-14;
  std::vector<Column> done;
  for (Column& w : columns) {
    const double before = std::sqrt(product(w, w));
    for (int pass = 0; pass < 2; ++pass) {
      for (const Column& d : done) {
        const double along = product(d, w);
        for (std::size_t i = 0; i < w.size(); ++i) w[i] -= along * d[i];
      }
    }
    const double length = std::sqrt(product(w, w));
    if (!std::isfinite(before) || !(length > rounding * before)) continue;
    for (double& value : w) value /= length;
    done.push_back(std::move(w));
  }
  columns = std::move(done);
}

/// The directions that were kept before, with a little of all others.
std::vector<Column> first_guess(std::size_t size, std::size_t count) {
  std::minstd_rand random(1);
  std::vector<Column> columns(count, Column(size));
  for (std::size_t k = 0; k < count; ++k) {
    for (double& value : columns[k])
      value = 0.1 * (static_cast<double>(random()) / static_cast<double>(std::minstd_rand::max()) - 0.5) /
              std::sqrt(static_cast<double>(size));
    columns[k][k] += 1;
  }
  return columns;
}

}  // namespace

SlowDirections slow_directions(const CycleCoefficients& cycle, int most, double longest) {
  constexpr int steps = 8;
  const auto kept = static_cast<std::size_t>(cycle.kept), size = static_cast<std::size_t>(cycle.columns());
  std::vector<Column> directions = first_guess(size, std::min(size, static_cast<std::size_t>(most)));
  orthonormalise(directions);
  for (int step = 0; step < steps; ++step) {
    for (Column& w : directions) w = multiply(cycle, w);
    orthonormalise(directions);
  }
  SlowDirections chosen;
  for (const Column& w : directions) {
    const double length = std::sqrt(product(w, multiply(cycle, w)));
    if (!(length <= longest)) continue;
    Column image(w.begin(), w.begin() + cycle.kept);
    const Column lower = cycle.h.rotate_back(std::span(w).subspan(kept));
    image.insert(image.end(), lower.begin(), lower.end());
    chosen.in_search.push_back(divide(cycle, w));
    chosen.in_images.push_back(std::move(image));
  }
  return chosen;
}

}  // namespace ostinato

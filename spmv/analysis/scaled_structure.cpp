// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/scaled_structure.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/analysis/profile.hpp>

namespace ostinato {

namespace {

bool is_power_of_two(double factor) {
  int exponent = 0;
  return std::isfinite(factor) && std::abs(std::frexp(factor, &exponent)) == 0.5;
}

/// Whether the product with a power of two is exact in float, and a normal number.
bool is_exact(double value, double factor) {
  const double product = value * factor;
  return value == 0 || (std::isnormal(static_cast<float>(product)) && static_cast<float>(product) == product &&
                        std::isnormal(static_cast<float>(value)));
}

DiagonalCensus scaled(DiagonalCensus census, double factor) {
  for (Diagonal& d : census.diagonals) {
    d.value *= factor;
    d.single = true;
  }
  std::vector<float> values;
  for (const double v : census.values) values.push_back(static_cast<float>(v * factor));
  census.values = detail::in_order(std::move(values));
  census.known_layout = nullptr;
  if (const auto found = census.found_layout.get()) {
    auto layout = std::make_shared<ClassLayout>(*found);
    for (double& v : layout->values) v *= factor;
    census.known_layout = std::move(layout);
  }
  census.found_layout.set(nullptr);
  return census;
}

}  // namespace

std::optional<Structure> scaled_structure(const Structure& s, double factor) {
  // An analysis that looked for no equal values looked for no symmetry either.
  const bool is_known = !s.lengths_only && s.census != nullptr && s.profile->single && s.profile->distinct > 0;
  if (!is_power_of_two(factor) || !is_known) return {};
  const std::vector<double>& values = s.census->values;
  const auto fits = [factor](double v) { return is_exact(v, factor); };
  if (values.empty() || !std::all_of(values.begin(), values.end(), fits)) return {};
  Structure made = s;
  if (factor < 0) std::swap(made.positive_diagonal, made.negative_diagonal);
  made.norm_inf *= std::abs(factor);
  made.census = std::make_shared<const DiagonalCensus>(scaled(*s.census, factor));
  return made;
}

}  // namespace ostinato

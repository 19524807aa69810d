// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/analysis/scaled_structure.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/analysis/profile.hpp>

namespace ostinato {

namespace scaled_structure_definition {

inline bool is_power_of_two(double factor) {
  int exponent = 0;
  return std::isfinite(factor) && std::abs(std::frexp(factor, &exponent)) == 0.5;
}

/// Whether the product with a power of two is exact in float, and a normal number.
inline bool is_exact(double value, double factor) {
  const double product = value * factor;
  return value == 0 || (std::isnormal(static_cast<float>(product)) && static_cast<float>(product) == product &&
                        std::isnormal(static_cast<float>(value)));
}

/// With what follows from the values of single diagonals alone.
inline DiagonalCensus with_scaled_diagonals(DiagonalCensus census, double factor) {
  for (Diagonal& d : census.diagonals) {
    d.value = static_cast<float>(d.value * factor);
    d.single = true;
  }
  return census;
}

inline DiagonalCensus scaled(DiagonalCensus before, double factor) {
  DiagonalCensus census = with_scaled_diagonals(std::move(before), factor);
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

inline Structure with_scaled_values(Structure s, double factor) {
  if (factor < 0) std::swap(s.positive_diagonal, s.negative_diagonal);
  s.norm_inf *= std::abs(factor);
  return s;
}

/// Of rounded values, of which few are exact in a narrower type than float.
inline DiagonalCensus rounded(DiagonalCensus before, double factor) {
  DiagonalCensus census = with_scaled_diagonals(std::move(before), factor);
  for (Diagonal& d : census.diagonals) d.bfloat = false;
  census.known_layout = nullptr;
  census.found_layout.set(nullptr);
  return census;
}

}  // namespace scaled_structure_definition

template <class Space>
std::optional<Structure> rounded_structure(const Space& space, const CsrView<float>& a, const Structure& s,
                                           double factor) {
  const double largest = s.norm_inf * std::abs(factor);
  const bool stays_finite = s.finite && largest < std::numeric_limits<float>::max();
  // Without symmetry nobody may have looked for equal values either.
  const bool is_known = !s.lengths_only && s.symmetric && s.profile != nullptr && s.profile->distinct == 0;
  if (!scaled_structure_definition::is_power_of_two(factor) || !stays_finite || !is_known) return {};
  if (s.census != nullptr && !(s.census->values.empty() && s.census->class_rows.empty())) return {};
  Profile profile = take_profile(space, a);
  if (profile.distinct > 0) return {};
  Structure made = scaled_structure_definition::with_scaled_values(s, factor);
  made.profile = std::make_shared<const Profile>(std::move(profile));
  if (s.census != nullptr)
    made.census = std::make_shared<const DiagonalCensus>(scaled_structure_definition::rounded(*s.census, factor));
  return made;
}

}  // namespace ostinato

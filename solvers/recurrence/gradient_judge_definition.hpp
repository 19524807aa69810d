// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/recurrence/gradient_judge.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <ostinato/solvers/recurrence/restarts_steps.hpp>
#include <ostinato/spmv/space/shared_space.hpp>

namespace ostinato {

namespace judging {

/// Random signs, of which the patterns 0 .. 63 on up to 64 elements are the rows of a Hadamard matrix.
template <class Space, class T>
void fill_with_signs(const Space& space, Out<T> v, std::uint64_t pattern, bool few, std::size_t first) {
  const std::vector<T> ones(v.size(), T{1});
  if (v.empty()) return;
  space.upload(v.data(), ones.data(), v.size_bytes());
  for_each(space, v.size(), detail::FlipSigns<T>{v.data(), pattern, few, first});
}

}  // namespace judging

template <class Space, class T>
double GradientJudge<Space, T>::largest_cosine(In<T> r, double norm) {
  if (norm == 0 || !std::isfinite(norm)) return norm;
  if (!has_norms_) find_norms();
  if (!(most_norm_ > 0)) return std::isnan(most_norm_) ? most_norm_ : 0;
  // r is scaled up where the product with the smallest column would lose digits.
  constexpr int most = std::numeric_limits<T>::max_exponent;
  constexpr double few_digits = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  int exponent = 0;
  if (least_norm_ * norm < few_digits)
    exponent = std::clamp(most - 4 - std::ilogb(norm) - std::max(0, std::ilogb(most_norm_) + 1), 0, most - 2);
  if (exponent > 0) {
    scale<T>(system_.space(), static_cast<T>(std::ldexp(1.0, exponent)), r, rooms_.of_rows);
    r = rooms_.of_rows;
  }
  system_.a().apply_transposed(r, rooms_.of_columns);
  products_.resize(norms_.size());
  system_.space().download(products_.data(), rooms_.of_columns.data(), rooms_.of_columns.size_bytes());
  double largest = 0;
  for (std::size_t j = 0; j < norms_.size(); ++j) {
    if (norms_[j] == 0) continue;
    const double size = std::abs(static_cast<double>(products_[j])) / norms_[j];
    if (!(size <= largest)) largest = size;
    if (std::isnan(largest)) break;
  }
  return std::ldexp(most_of(system_.space(), largest) / norm, -exponent);
}

template <class Space, class T>
double GradientJudge<Space, T>::share(In<T> r, double norm) {
  if (system_.m().is_identity() || rooms_.other_of_columns.empty() || norm == 0 || !std::isfinite(norm)) return 0;
  if (a_norm_ == 0) a_norm_ = norm_of_a_by_m();
  return length(r) / a_norm_ / norm;
}

template <class Space, class T>
double GradientJudge<Space, T>::length(In<T> r) {
  system_.a().apply_transposed(r, rooms_.of_columns);
  if (!rooms_.other_of_columns.empty()) return length_by_m();
  return norm_of<T>(system_.space(), rooms_.of_columns, rooms_.of_columns, slot_);
}

template <class Space, class T>
void GradientJudge<Space, T>::find_norms() {
  norms_.resize(system_.a().cols());
  has_norms_ = true;
  const std::span<const double> known = system_.a().column_norms();
  if (holds_for_all(system_.space(), known.size() == norms_.size())) {
    if (!norms_.empty()) system_.space().download(norms_.data(), known.data(), known.size_bytes());
    for (double& norm : norms_) norm = system_.scaled_by_a(norm);
  } else {
    estimate_norms();
  }
  for (const double norm : norms_) {
    if (std::isnan(norm)) most_norm_ = norm;
    if (!(norm > 0) || std::isnan(most_norm_)) continue;
    least_norm_ = least_norm_ == 0 ? norm : std::min(least_norm_, norm);
    most_norm_ = std::max(most_norm_, norm);
  }
  most_norm_ = most_of(system_.space(), most_norm_);
  least_norm_ = least_of(system_.space(), least_norm_ == 0 ? HUGE_VAL : least_norm_);
}

/// The mean square of a_j . s over random signs s is ||a_j||^2 (Hutchinson); with the signs of a Hadamard matrix, too.
/// With 32 vectors, an estimate is off by a quarter in the root mean square.
template <class Space, class T>
void GradientJudge<Space, T>::estimate_norms() {
  constexpr std::size_t few_rows = 64;
  constexpr std::uint64_t random_vectors = 32;
  const Part part = part_of(system_.space(), rooms_.of_rows.size());
  const bool few = part.whole <= few_rows;
  const std::uint64_t vectors = few ? few_rows : random_vectors;
  products_.resize(norms_.size());
  for (std::uint64_t k = 0; k < vectors; ++k) {
    judging::fill_with_signs<Space, T>(system_.space(), rooms_.of_rows, k, few, part.begin);
    system_.a().apply_transposed(rooms_.of_rows, rooms_.of_columns);
    system_.space().download(products_.data(), rooms_.of_columns.data(), rooms_.of_columns.size_bytes());
    for (std::size_t j = 0; j < norms_.size(); ++j)
      norms_[j] = std::hypot(norms_[j], static_cast<double>(products_[j]));
  }
  for (double& norm : norms_) norm /= std::sqrt(static_cast<double>(vectors));
}

/// The M^-1-length of the vector in of_columns. M^-1 times that vector is then in other_of_columns. NaN where M isn't
/// positive definite.
template <class Space, class T>
double GradientJudge<Space, T>::length_by_m() {
  system_.m().apply(rooms_.of_columns, rooms_.other_of_columns);
  dot<T>(system_.space(), rooms_.of_columns, rooms_.other_of_columns, slot_);
  const double squared = read_scalar(system_.space(), slot_);
  return squared < 0 ? HUGE_VAL : std::sqrt(squared);
}

/// ||A v|| over the length of v by M, for v = M^-1 A^T s with random signs s.
template <class Space, class T>
double GradientJudge<Space, T>::norm_of_a_by_m() {
  const Part part = part_of(system_.space(), rooms_.of_rows.size());
  judging::fill_with_signs<Space, T>(system_.space(), rooms_.of_rows, 1, false, part.begin);
  system_.a().apply_transposed(rooms_.of_rows, rooms_.of_columns);
  const double length = length_by_m();
  if (!(length > 0) || std::isinf(length)) return 1;
  system_.a().apply(rooms_.other_of_columns, rooms_.of_rows);
  const double image = norm_of<T>(system_.space(), rooms_.of_rows, rooms_.of_rows, slot_);
  return image > 0 ? image / length : 1;
}

}  // namespace ostinato

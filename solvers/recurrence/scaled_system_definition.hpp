// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/recurrence/scaled_system.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <ostinato/solvers/recurrence/restarts_steps.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/shared_space.hpp>

namespace ostinato {

namespace scaling {

/// Within these sizes of ||b|| and ||A||, fourth powers of residuals and products that fall by 1e-16 stay in range. For
/// float the bounds are those of the elements; their squares are formed in double precision.
template <class T>
struct Ordinary {
  static constexpr double largest = 1e50;
  static constexpr std::array<int, 7> exponents = {300, -300, 600, -600, 900, -900, 1000};
};
template <>
struct Ordinary<float> {
  static constexpr double largest = 1e10;
  static constexpr std::array<int, 5> exponents = {60, -60, 110, -110, 120};
};

template <class T>
bool is_ordinary(double norm) {
  return norm > 1 / Ordinary<real_t<T>>::largest && norm < Ordinary<real_t<T>>::largest;
}

/// Whether b has to be scaled, although its norm is ordinary for T, for vectors in float: a residual falls by 1e-16 at
/// most, and the elements of a vector are smaller than its norm.
inline bool is_too_far_for_float(double norm) {
  return norm > 0 && std::isfinite(norm) && !(norm > 1e-8 && norm < 1e8);
}

template <class T>
detail::PowerOfTwo<T> power_of_two(int exponent) {
  constexpr int most = std::numeric_limits<real_t<T>>::max_exponent - 10;
  detail::PowerOfTwo<T> power;
  for (T& part : power.part) {
    const int step = std::clamp(exponent, -most, most);
    part = static_cast<T>(std::ldexp(1.0, step));
    exponent -= step;
  }
  return power;
}

}  // namespace scaling

template <class Space, class T>
void require_system(const std::string& method, const Space& space, const OperatorRef<Space, T>& a, In<T> b, In<T> x,
                    const PreconditionerRef<Space, T>& m, Shape shape) {
  constexpr const char* another_space =
      " works on another space, of another GPU or stream, or of the CPU; make it with a copy of the space of the solve";
  const bool square = shape == Shape::square;
  if ((square && a.rows() != a.cols()) || b.size() != a.rows() || x.size() != a.cols()) {
    throw DimensionError(method + ": needs " + (square ? "a square matrix and " : "") + "vectors of its size; A is " +
                         std::to_string(a.rows()) + " x " + std::to_string(a.cols()) + ", b has " +
                         std::to_string(b.size()) + " and x " + std::to_string(x.size()) + " elements");
  }
  const std::less<const T*> before;
  if (before(b.data(), x.data() + x.size()) && before(x.data(), b.data() + b.size()))
    throw ArgumentError(method + ": b and x share memory, but b is read until the end; give x an array of its own");
  if (!a.works_on(space)) throw ArgumentError(method + ": the operator" + another_space);
  if (!m.works_on(space)) throw ArgumentError(method + ": " + m.name() + another_space);
  if constexpr (is_cuda<Space>) {
    require_device_memory(space, b.data(), "b");
    require_device_memory(space, x.data(), "x");
  }
}

template <class T, class Space>
double norm_of(const Space& space, In<T> x, Out<T> room, Slot<T> slot) {
  const auto norm = [&](In<T> v) {
    dot<T>(space, v, v, slot);
    return std::sqrt(real_part(read_scalar(space, slot)));
  };
  const double plain = norm(x);
  if (is_single<T> || std::isnan(plain) || (plain > 1e-140 && plain < 1e140)) return plain;
  const int exponent = plain > 1 ? -600 : 600;
  scale<T>(space, static_cast<T>(std::ldexp(1.0, exponent)), x, room);
  return std::ldexp(norm(room), -exponent);
}

template <class Space, class T>
ScaledSystem<Space, T>::ScaledSystem(std::string_view method, const Space& space, const OperatorRef<Space, T>& a,
                                     In<T> b, In<T> x, const PreconditionerRef<Space, T>& m,
                                     Workspace<Space>& workspace, Shape shape)
    : space_(space), a_(a), m_(m), b_(b), slots_(workspace.template allocate<sum_t<T>>(2).data()) {
  require_system<Space, T>(std::string(method), space, a, b, x, m, shape);
  const auto rows = m.rows();
  if (rows && *rows != x.size() && (shape == Shape::square || *rows != b.size())) {
    throw DimensionError(std::string(method) + ": " + m.name() + " is for vectors of " + std::to_string(*rows) +
                         " elements, and x has " + std::to_string(x.size()) +
                         "; make a preconditioner for this matrix");
  }
  scale_a(a, m, workspace, shape);
  scale_b(b, workspace);
}

template <class Space, class T>
void ScaledSystem<Space, T>::scale_a(const OperatorRef<Space, T>& a, const PreconditionerRef<Space, T>& m,
                                     Workspace<Space>& workspace, Shape shape) {
  const Facts* facts = a.facts();
  a_norm_ = facts != nullptr ? facts->norm_inf : std::numeric_limits<double>::quiet_NaN();
  if (facts == nullptr || !facts->finite || !(a_norm_ > 0) || scaling::is_ordinary<T>(a_norm_)) return;
  a_exponent_ = std::isfinite(a_norm_) ? -std::ilogb(a_norm_) : -std::numeric_limits<double>::max_exponent;
  // A norm that overflows is at least 2^max_exponent, which the scaling makes 1.
  a_norm_ = std::isfinite(a_norm_) ? std::ldexp(a_norm_, a_exponent_) : 1;
  const Out<T> room = workspace.template allocate<T>(std::max(a.rows(), a.cols()));
  a_ = a.scaled(space_, a_exponent_, room);
  if (m.is_identity()) return;
  // The size of a preconditioner of A^T A counts for nothing, as long as no product leaves the range.
  constexpr int most = 2 * (std::numeric_limits<real_t<T>>::max_exponent - 4);
  const int exponent = shape == Shape::square ? a_exponent_ : std::clamp(2 * a_exponent_, -most, most);
  m_ = m.scaled(space_, exponent, room.first(m.rows().value_or(a.cols())));
}

template <class Space, class T>
void ScaledSystem<Space, T>::scale_b(In<T> b, Workspace<Space>& workspace) {
  const auto norm = [&](In<T> v) {
    dot<T>(space_, v, v, slots_);
    return std::sqrt(real_part(read_scalar(space_, slots_)));
  };
  b_norm_ = norm(b);
  const bool for_float = m_.works_in_float() || m_.lower() != nullptr;
  if (scaling::is_ordinary<T>(b_norm_) && !(for_float && scaling::is_too_far_for_float(b_norm_))) return;
  const double plain = b_norm_;
  const Out<T> scaled = workspace.template allocate<T>(b.size());
  b_ = scaled;
  const auto fit_into_float = [&](In<T> v) {
    const int exponent = -std::ilogb(b_norm_);
    scale<T>(space_, static_cast<T>(std::ldexp(1.0, exponent)), v, scaled);
    b_norm_ = norm(scaled);
    b_exponent_ += exponent;
  };
  if (scaling::is_ordinary<T>(b_norm_)) return fit_into_float(b);
  for (const int exponent : scaling::Ordinary<real_t<T>>::exponents) {
    scale<T>(space_, static_cast<T>(std::ldexp(1.0, exponent)), b, scaled);
    b_norm_ = norm(scaled);
    b_exponent_ = exponent;
    if (!scaling::is_ordinary<T>(b_norm_)) continue;
    if (for_float) fit_into_float(scaled);
    return;
  }
  b_ = b;  // zero, or not finite
  b_norm_ = plain;
  b_exponent_ = 0;
}

template <class Space, class T>
double ScaledSystem<Space, T>::scaled(double norm) const {
  return std::ldexp(norm, b_exponent_);
}

template <class Space, class T>
double ScaledSystem<Space, T>::scaled_by_a(double norm) const {
  return std::ldexp(norm, a_exponent_);
}

template <class Space, class T>
double ScaledSystem<Space, T>::unscaled(double norm) const {
  return std::ldexp(norm, -b_exponent_);
}

template <class Space, class T>
double ScaledSystem<Space, T>::unscaled_energy(double energy) const {
  // Without M, p is of the size of b, otherwise of the size of x.
  return std::ldexp(energy, (m_.is_identity() ? -a_exponent_ : a_exponent_) - 2 * b_exponent_);
}

template <class Space, class T>
void ScaledSystem<Space, T>::enter(Out<T> x) const {
  rescale(x, b_exponent_ - a_exponent_);
}

template <class Space, class T>
auto ScaledSystem<Space, T>::leave(Out<T> x) const -> Lost {
  return rescale(x, a_exponent_ - b_exponent_);
}

template <class Space, class T>
void ScaledSystem<Space, T>::abandon(Out<T> x) const {
  const int exponent = a_exponent_ - b_exponent_;
  if (exponent == 0) return;
  if constexpr (SharedSpace<Space>) {
    rescale(space_.local(), x, exponent);
  } else {
    rescale(space_, x, exponent);
  }
}

template <class Space, class T>
template <class On>
void ScaledSystem<Space, T>::rescale(const On& space, Out<T> x, int exponent) const {
  using R = real_t<T>;
  sum(space, parts_of_value<T> * x.size(),
      detail::Rescale<R>{parts_of(x.data()), scaling::power_of_two<R>(exponent), scaling::power_of_two<R>(-exponent)},
      parts_of(slots_));
}

template <class Space, class T>
auto ScaledSystem<Space, T>::rescale(Out<T> x, int exponent) const -> Lost {
  if (exponent == 0) return {};
  rescale(space_, x, exponent);
  double counts[2];
  space_.download(counts, slots_, sizeof counts);
  return {counts[0], counts[1]};
}

}  // namespace ostinato

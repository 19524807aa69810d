// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/recurrence/residual_judge.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <ostinato/solvers/recurrence/restarts_steps.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/shared_space.hpp>

namespace ostinato {

namespace judging {

template <class T>
constexpr double unit_roundoff = std::numeric_limits<real_t<T>>::epsilon() / 2;

}  // namespace judging

template <class Space, class T>
ResidualJudge<Space, T>::ResidualJudge(const ScaledSystem<Space, T>& system, Workspace<Space>& workspace)
    : system_(system), slot_(workspace.emplace(sum_t<T>{})) {}

template <class Space, class T>
double ResidualJudge<Space, T>::compute(In<T> x, Out<T> r) const {
  forget_x();
  system_.a().residual(system_.space(), x, system_.b(), r, slot_);
  return norm_in_slot(r);
}

/// The squares of a small residual are 0 in double precision, where the residual isn't. The powers of two don't round.
template <class Space, class T>
double ResidualJudge<Space, T>::norm_in_slot(Out<T> r) const {
  const Space& space = system_.space();
  const double plain = std::sqrt(real_part(read_scalar(space, slot_)));
  if (is_single<T> || !(plain < 1e-140)) return plain;
  constexpr int exponent = 600;
  scale<T>(space, static_cast<T>(std::ldexp(1.0, exponent)), r, r);
  dot<T>(space, r, r, slot_);
  scale<T>(space, static_cast<T>(std::ldexp(1.0, -exponent)), r, r);
  return std::ldexp(std::sqrt(real_part(read_scalar(space, slot_))), -exponent);
}

/// |fl(b - A x) - (b - A x)| <= (k + 2) u (|A| |x| + |b|) for rows of up to k entries, in any order of summation. The
/// 2-norm of |A| |x| is at most ||A||_inf ||x|| for a symmetric matrix, and sqrt(n) times that for another matrix.
template <class Space, class T>
double ResidualJudge<Space, T>::bound(In<T> x) const {
  dot<T>(system_.space(), x, x, slot_);
  x_norm_ = std::sqrt(real_part(read_scalar(system_.space(), slot_)));
  return bound(x_norm_);
}

template <class Space, class T>
double ResidualJudge<Space, T>::bound(double x_norm) const {
  const Facts* s = system_.a().facts();
  if (s == nullptr || !std::isfinite(s->norm_inf)) return HUGE_VAL;
  const double of_a = system_.a_norm() * x_norm * (s->symmetric ? 1 : std::sqrt(static_cast<double>(s->rows)));
  return (s->longest_row + 3) * judging::unit_roundoff<T> * (of_a + system_.b_norm());
}

template <class Space, class T>
double ResidualJudge<Space, T>::assured(Out<T> x, Out<T> r, double norm, double goal) const {
  if (norm + bound(x) <= goal) return norm;
  if (system_.a().accurate_residual(x, system_.b(), r, slot_)) return norm_in_slot(r);
  return with_rounding(x, r, norm);
}

template <class Space, class T>
double ResidualJudge<Space, T>::with_rounding(Out<T> x, Out<T> r, double norm) const {
  const Rounding hidden = rounding(x, r);
  compute(x, r);
  return std::sqrt(norm * norm + hidden.norm * hidden.norm + 2 * norm * hidden.norm * hidden.share);
}

template <class Space, class T>
bool ResidualJudge<Space, T>::may_be_rounding(In<T> x, double norm) const {
  return norm <= bound(x);
}

template <class Space, class T>
double ResidualJudge<Space, T>::best(In<T> x, Out<T> r, double norm) const {
  if (!system_.a().accurate_residual(x, system_.b(), r, slot_)) return norm;
  return norm_in_slot(r);
}

template <class Space, class T>
double ResidualJudge<Space, T>::told(Out<T> x, Out<T> r, double norm) const {
  const bool accurate = system_.a().accurate_residual(x, system_.b(), r, slot_);
  if (accurate) norm = norm_in_slot(r);
  if (std::isinf(norm)) {  // the squares may overflow where r doesn't
    if (!accurate) compute(x, r);
    norm = norm_of<T>(system_.space(), r, r, slot_);
  }
  if (accurate || !(backward_error(x, r, norm) < judging::unit_roundoff<T>)) return norm;
  const double estimate = with_rounding(x, r, norm);
  return std::isfinite(estimate) ? estimate : norm + bound(size(x, r));
}

template <class Space, class T>
auto ResidualJudge<Space, T>::rounding(Out<T> x, Out<T> r) const -> Rounding {
  constexpr std::size_t few_rows = 64;        // as many sign vectors give the mean square exactly
  constexpr std::uint64_t random_signs = 32;  // for more rows: two terms cancel in all of them once in 2^32
  const Space& space = system_.space();
  const Part part = part_of(space, x.size());
  const bool few = part.whole <= few_rows;
  const std::uint64_t vectors = few ? few_rows : random_signs;
  double squares = 0, rows = HUGE_VAL;
  for (std::uint64_t k = 0; k < vectors; ++k) {
    const auto flip = [&] { for_each(space, x.size(), detail::FlipSigns<T>{x.data(), k, few, part.begin}); };
    flip();
    try {
      system_.a().apply(x, r);
    } catch (...) {
      flip();
      throw;
    }
    flip();
    dot<T>(space, r, r, slot_);
    const double square = real_part(read_scalar(space, slot_));
    squares += square / static_cast<double>(vectors);
    if (few || !(square > 0)) continue;
    // The rows that count: as many equal rows as have this sum of fourth powers. In most vectors a row of large terms
    // shows.
    sum(space, r.size(), detail::FourthPowers<T>{r.data(), std::sqrt(square)}, parts_of(slot_));
    rows = std::min(rows, 1 / read_scalar(space, parts_of(slot_)));
  }
  if (!std::isfinite(rows)) rows = 1;
  const double share = std::min(1.0, 6 / std::sqrt(std::max(rows, 1.0)));
  const Facts* s = system_.a().facts();
  const double mean = s != nullptr ? s->mean_row : 16, longest = s != nullptr ? s->longest_row : 16;
  const double typical = std::sqrt((2 + mean) / 6), worst = longest + 1;  // partial sums may grow with the row
  const double terms = std::sqrt(squares + system_.b_norm() * system_.b_norm());
  return {judging::unit_roundoff<T> * terms * (typical + share * worst), share};
}

template <class Space, class T>
double ResidualJudge<Space, T>::backward_error(In<T> x, Out<T> r, double norm) const {
  if (norm == 0) return 0;
  if (!std::isfinite(norm)) return std::numeric_limits<double>::quiet_NaN();  // a quotient of infinities says nothing
  // The norm of x may be beyond the range of double where A is zero.
  const double of_a = system_.a_norm() == 0 ? 0 : system_.a_norm() * size(x, r);
  return norm / (of_a + system_.b_norm());
}

template <class Space, class T>
double ResidualJudge<Space, T>::size(In<T> x, Out<T> r) const {
  if (x_norm_ > 1e-140 && x_norm_ < 1e140) return x_norm_;  // out of this range, squares say too little
  if (r.size() >= x.size()) return norm_of<T>(system_.space(), x, r.first(x.size()), slot_);
  Vector<Space, T> room(system_.space(), x.size());
  return norm_of<T>(system_.space(), x, room.span(), slot_);
}

template <class Space, class T>
bool ResidualJudge<Space, T>::is_finite(In<T> x) const {
  if (x_norm_ >= 0 && std::isfinite(x_norm_)) return true;
  sum(system_.space(), x.size(), detail::CountNotFinite<T>{x.data()}, parts_of(slot_));
  return read_scalar(system_.space(), parts_of(slot_)) == 0;
}

template <class Space, class T>
void ResidualJudge<Space, T>::make_finite(Out<T> x) const {
  forget_x();
  for_each(system_.space(), parts_of_value<T> * x.size(),
           detail::MakeFinite<real_t<T>>{parts_of(x.data()), std::numeric_limits<real_t<T>>::max()});
}

template <class Space, class T>
void ResidualJudge<Space, T>::drop_not_finite(Out<T> x) const {
  forget_x();
  for_each(system_.space(), parts_of_value<T> * x.size(), detail::MakeFinite<real_t<T>>{parts_of(x.data()), 0});
}

}  // namespace ostinato

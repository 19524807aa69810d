// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <ostinato/solvers/recurrence/convergence_state.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

// The vector steps of MINRES, for both spaces. A step is named after what it changes. Scalars and the state are in the
// memory of the space. A step does nothing once the recurrence has stopped.

namespace ostinato {

/// The scalars of MINRES, in the memory of the space.
struct MinresScalars {
  /// What breaks MINRES down.
  enum Cause { indefinite_m = 1, no_gain, rounding };
  double zq = 0;                    ///< z . q, with q = A z
  double vz = 0;                    ///< v . z of the new Lanczos vector v, with z = M^-1 v
  double gamma = 0, gamma_old = 1;  ///< sqrt(v . z) of the last two Lanczos vectors
  double eta = 0;                   ///< norm of the residual, measured with M^-1, with a sign
  double c = 1, c_old = 1;          ///< cosines of the last two rotations; s: their sines
  double s = 0, s_old = 0;
  double a_norm = 0;     ///< largest entry so far of the tridiagonal matrix, an estimate of |A| preconditioned by M
  double withdrawn = 0;  ///< length of the last step when rounding spoilt that step, otherwise 0
  int steps = 0;         ///< number of steps taken
  double lost = 0;       ///< estimate of the residual that the rounding of all steps has added, in the unit of eta
  double a_scale = 1;    ///< the Lanczos process runs on a_scale A and on r_scale r, both of size 1, so that no product
  double r_scale = 1;    ///< of their sizes overflows
};

namespace detail {

/// Overwrites v_old with the next Lanczos vector.
template <class T>
struct MinresUpdateV {
  const MinresScalars* s;
  const T *q, *v;
  T* v_old;
  const ConvergenceState* state;
  T of_q = 0, of_v = 0, of_v_old = 0;

  OSTINATO_FUNCTION bool prepare() {
    const double delta = s->a_scale * s->zq / (s->gamma * s->gamma);
    of_q = static_cast<T>(s->a_scale / s->gamma);
    of_v = static_cast<T>(delta / s->gamma);
    of_v_old = static_cast<T>(s->gamma / s->gamma_old);
    return state->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const { v_old[i] = of_q * q[i] - of_v * v[i] - of_v_old * v_old[i]; }
};

/// Adds a column to the tridiagonal matrix, makes the matrix triangular by a rotation, and updates x and r. The next
/// direction overwrites w_old. An element of x isn't updated when the new value isn't finite; such a value also ends
/// the recurrence.
///
/// The recurrence also ends when the rounding of all steps so far has added a tenth of the residual, by estimate: from
/// there on r is no longer b - A x. A step whose own rounding adds more than the step removes is withdrawn. When A is
/// singular and b isn't in its range, this happens where the residual is smallest; without these rules x would grow
/// along the null space of A.
template <class T>
struct MinresUpdateX {
  MinresScalars* s;
  const T *z, *v;  ///< v: the new Lanczos vector; z: M^-1 times the previous Lanczos vector
  T* w_old;
  const T* w;
  T *x, *r;
  ConvergenceState* state;
  MinresScalars next = {};
  bool usable = false;
  T of_z = 0, of_w = 0, of_w_old = 0, step = 0, of_r = 0, of_new_v = 0;
  double gained = 0;   ///< fraction of the residual that the step removes
  double rounded = 0;  ///< fraction of the residual that rounding adds, over |w| / |z|
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();

  OSTINATO_FUNCTION bool prepare() {
    const double delta = s->a_scale * s->zq / (s->gamma * s->gamma), gamma = sqrt(s->vz);
    const double pivot = s->c * delta - s->c_old * s->s * s->gamma;
    const double length = sqrt(pivot * pivot + gamma * gamma);
    next = *s;
    next.a_norm = larger(s->a_norm, larger(delta < 0 ? -delta : delta, gamma));
    // gain / a_norm estimates |A r| / (|A| |r|). When this ratio is as small as rounding, A can't make r smaller. The
    // comparison is false for NaN, so NaN isn't usable either.
    const double gain = sqrt(pivot * pivot + s->c * gamma * (s->c * gamma));
    usable = s->vz >= 0 && gain > 10 * epsilon * next.a_norm;
    next.gamma_old = s->gamma;
    next.gamma = gamma;
    next.c_old = s->c;
    next.s_old = s->s;
    next.c = pivot / length;
    next.s = gamma / length;
    next.eta = -next.s * s->eta;
    of_z = static_cast<T>(1 / (s->gamma * length));
    of_w = static_cast<T>((s->s * delta + s->c_old * s->c * s->gamma) / length);
    of_w_old = static_cast<T>(s->s_old * s->gamma / length);
    step = static_cast<T>(next.c * s->eta * s->a_scale / s->r_scale);
    of_r = static_cast<T>(next.s * next.s);
    of_new_v = gamma > 0 ? static_cast<T>(next.c * next.eta / (gamma * s->r_scale)) : T{0};
    gained = next.c * next.c / 2;
    rounded = epsilon * next.a_norm * s->gamma * (next.c < 0 ? -next.c : next.c);
    return state->running();
  }

  /// Returns the terms of r . r, w . w and z . z, where w is the new direction.
  OSTINATO_FUNCTION Sums<3> operator()(std::size_t i) const {
    if (!usable) return {};
    const T direction = of_z * z[i] - of_w * w[i] - of_w_old * w_old[i];
    const T moved = x[i] + step * direction;
    const T nothing = moved - moved;
    w_old[i] = direction;
    if (nothing == T{0}) x[i] = moved;
    const T value = of_r * r[i] + of_new_v * v[i] + nothing;
    r[i] = value;
    return {{square(value), square(direction), square(z[i])}};
  }

  OSTINATO_FUNCTION void finish(const Sums<3>& sums) {
    if (usable) {
      *s = next;
      ++s->steps;
      state->record(sums.v[0]);
      judge_rounding(rounded * (sqrt(sums.v[1]) / sqrt(sums.v[2])));
    } else {
      const double sum = s->zq + s->vz;
      if (!(sum - sum == 0)) {
        state->state = ConvergenceState::not_a_number;
      } else if (s->vz < 0) {
        state->break_down(MinresScalars::indefinite_m, s->vz);
      } else {
        state->break_down(MinresScalars::no_gain, 0);
      }
    }
  }

 private:
  /// `lost` is the part of the residual that the rounding of this step adds.
  OSTINATO_FUNCTION void judge_rounding(double lost) {
    constexpr double tolerated = 0.1;
    const double size = next.eta < 0 ? -next.eta : next.eta, before = next.s > 0 ? size / next.s : 0;
    s->lost += lost * before;
    const bool spoilt = lost > gained && lost * lost > epsilon;
    if (state->state == ConvergenceState::reached_goal || !(spoilt || s->lost > tolerated * size)) return;
    if (spoilt) s->withdrawn = static_cast<double>(step);
    if (state->running()) state->break_down(MinresScalars::rounding, 0);
  }

  OSTINATO_FUNCTION static double square(T value) { return abs2(value); }
  OSTINATO_FUNCTION static double larger(double a, double b) { return a > b ? a : b; }
};

/// x goes back by the step that was withdrawn.
template <class T>
struct MinresWithdrawStep {
  const MinresScalars* s;
  const T *odd, *even;
  T* x;
  const T* w = nullptr;
  T step = 0;

  OSTINATO_FUNCTION bool prepare() {
    w = s->steps % 2 == 1 ? odd : even;
    step = static_cast<T>(s->withdrawn);
    return step != T{0};
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const { x[i] -= step * w[i]; }
};

}  // namespace detail

/// delta = zq / gamma^2;  v_old = q / gamma - (delta / gamma) v - (gamma / gamma_old) v_old
template <class T, class Space>
void update_v(const Space& space, const MinresScalars* s, In<T> q, In<T> v, Out<T> v_old,
              const ConvergenceState* state) {
  for_each(space, v.size(), detail::MinresUpdateV<T>{s, q.data(), v.data(), v_old.data(), state});
}

/// gamma' = sqrt(vz);  (c', s') rotates gamma' away;  w_old = (z / gamma - a2 w - a3 w_old) / a1;  x += c' eta w_old;
/// eta' = -s' eta;  r = s'^2 r + (c' eta' / gamma') v;  r . r is recorded in the state. a1, a2 and a3 are the rotated
/// column of the tridiagonal matrix, from the diagonal upwards.
template <class T, class Space>
void update_x(const Space& space, MinresScalars* s, In<T> z, In<T> v, Out<T> w_old, In<T> w, Out<T> x, Out<T> r,
              ConvergenceState* state) {
  sum(space, r.size(),
      detail::MinresUpdateX<T>{s, z.data(), v.data(), w_old.data(), w.data(), x.data(), r.data(), state}, nullptr);
}

/// x -= withdrawn * w, where w is the direction of the last step: `odd` after an odd number of steps, otherwise `even`.
template <class T, class Space>
void withdraw_step(const Space& space, const MinresScalars* s, In<T> odd, In<T> even, Out<T> x) {
  for_each(space, x.size(), detail::MinresWithdrawStep<T>{s, odd.data(), even.data(), x.data()});
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/solvers/recurrence/convergence_state.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

// The vector steps of BiCGSTAB(2), for both spaces. Scalars and the state are in the memory of the space. A step does
// nothing once the recurrence has stopped.

namespace ostinato {

/// The scalars of BiCGSTAB(2), in the memory of the space: the products of the two BiCG steps of an iteration, first
/// and second, and the coefficients of the residual's polynomial. s0 is the shadow residual.
struct Bicgstab2Scalars {
  double rho_first = 0, gamma_first = 0;    ///< s0 . r, s0 . A u
  double rho_second = 0, gamma_second = 0;  ///< s0 . A r, s0 . A v
  double alpha_old = 0, rho_old = 1;        ///< of the iteration before: alpha, -omega_2 rho
  double omega_1 = 0, omega_2 = 0;
  double s0s0 = 0;  ///< s0 . s0, for deciding whether rho is only rounding

  OSTINATO_FUNCTION static double ratio(double a, double b) { return b != 0 ? a / b : 0; }
  OSTINATO_FUNCTION double beta_first() const { return ratio(alpha_old * rho_first, rho_old); }
  OSTINATO_FUNCTION double alpha_first() const { return ratio(rho_first, gamma_first); }
  OSTINATO_FUNCTION double beta_second() const { return ratio(alpha_first() * rho_second, rho_first); }
  OSTINATO_FUNCTION double alpha_second() const { return ratio(rho_second, gamma_second); }
};

namespace detail {

template <class T>
struct Bicgstab2U {
  const Bicgstab2Scalars* scalars;
  const T* r;
  T* u;
  const ConvergenceState* state;
  T beta = 0;

  OSTINATO_FUNCTION bool prepare() {
    beta = static_cast<T>(scalars->beta_first());
    return state->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const { u[i] = beta == T{0} ? r[i] : r[i] - beta * u[i]; }
};

/// A value that isn't finite isn't written to x.
template <class T>
struct Bicgstab2RX {
  const Bicgstab2Scalars* scalars;
  const T *v, *u;
  T *r, *x;
  const ConvergenceState* state;
  T alpha = 0;

  OSTINATO_FUNCTION bool prepare() {
    alpha = static_cast<T>(scalars->alpha_first());
    return state->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const T next = x[i] + alpha * u[i], nothing = next - next;
    if (nothing == T{0}) x[i] = next;
    r[i] = r[i] - alpha * v[i] + nothing;
  }
};

template <class T>
struct Bicgstab2VU {
  const Bicgstab2Scalars* scalars;
  const T *s, *r;
  T *v, *u;
  const ConvergenceState* state;
  T beta = 0;

  OSTINATO_FUNCTION bool prepare() {
    beta = static_cast<T>(scalars->beta_second());
    return state->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    v[i] = s[i] - beta * v[i];
    u[i] = r[i] - beta * u[i];
  }
};

template <class T>
struct Bicgstab2RS {
  const Bicgstab2Scalars* scalars;
  const T *v, *w;
  T *r, *s;
  const ConvergenceState* state;
  T alpha = 0;

  OSTINATO_FUNCTION bool prepare() {
    alpha = static_cast<T>(scalars->alpha_second());
    return state->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    r[i] -= alpha * v[i];
    s[i] -= alpha * w[i];
  }
};

template <class T>
struct Bicgstab2Omega {
  Bicgstab2Scalars* scalars;
  const T *r, *s, *t;
  const ConvergenceState* state;

  OSTINATO_FUNCTION bool prepare() { return state->running(); }
  OSTINATO_FUNCTION Sums<5> operator()(std::size_t i) const {
    const double ri = static_cast<double>(r[i]), si = static_cast<double>(s[i]), ti = static_cast<double>(t[i]);
    return {{ri * si, ri * ti, si * si, si * ti, ti * ti}};
  }
  OSTINATO_FUNCTION void finish(const Sums<5>& sums) {
    const double rs = sums.v[0], rt = sums.v[1], ss = sums.v[2], st = sums.v[3], tt = sums.v[4];
    using S = Bicgstab2Scalars;
    const double rest = tt - S::ratio(st, ss) * st;  // of t, without its part along s
    scalars->omega_2 = rest > 1e-15 * tt ? (rt - S::ratio(st, ss) * rs) / rest : 0;
    scalars->omega_1 = S::ratio(rs - st * scalars->omega_2, ss);
  }
};

/// A value that isn't finite isn't written to x, and ends the recurrence.
template <class T>
struct Bicgstab2XRU {
  Bicgstab2Scalars* scalars;
  const T *s, *t, *v, *w, *s0;
  T *x, *r, *u;
  ConvergenceState* state;
  T alpha = 0, omega_1 = 0, omega_2 = 0;

  OSTINATO_FUNCTION bool prepare() {
    alpha = static_cast<T>(scalars->alpha_second());
    omega_1 = static_cast<T>(scalars->omega_1);
    omega_2 = static_cast<T>(scalars->omega_2);
    return state->running();
  }
  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const T next = x[i] + (omega_1 * r[i] + omega_2 * s[i] + alpha * u[i]), nothing = next - next;
    if (nothing == T{0}) x[i] = next;
    const T value = r[i] - omega_1 * s[i] - omega_2 * t[i] + nothing;
    u[i] -= omega_1 * v[i] + omega_2 * w[i];
    r[i] = value;
    return {{abs2(value), product_of(s0[i], value)}};
  }
  OSTINATO_FUNCTION void finish(const Sums<2>& sums) {
    Bicgstab2Scalars& a = *scalars;
    a.alpha_old = a.alpha_second();
    a.rho_old = -a.omega_2 * a.rho_second;
    a.rho_first = sums.v[1];
    state->record(sums.v[0]);
    // A rho this small is only rounding: s0 is orthogonal to r, and no new direction can be computed from them.
    const double meaningless = 1e-14 * sqrt(sums.v[0]) * sqrt(a.s0s0);
    const bool lost =
        a.alpha_old == 0 || a.omega_2 == 0 || (a.rho_first < 0 ? -a.rho_first : a.rho_first) <= meaningless;
    if (state->running() && lost) state->state = ConvergenceState::broke_down;
  }
};

}  // namespace detail

/// u = r - beta u, with the first beta; in the first iteration u = r.
template <class T, class Space>
void update_u(const Space& space, const Bicgstab2Scalars* scalars, In<T> r, Out<T> u, const ConvergenceState* state) {
  for_each(space, r.size(), detail::Bicgstab2U<T>{scalars, r.data(), u.data(), state});
}

/// r -= alpha v;  x += alpha u, with the first alpha, or 0 where gamma is 0
template <class T, class Space>
void update_r_x(const Space& space, const Bicgstab2Scalars* scalars, In<T> v, In<T> u, Out<T> r, Out<T> x,
                const ConvergenceState* state) {
  for_each(space, r.size(), detail::Bicgstab2RX<T>{scalars, v.data(), u.data(), r.data(), x.data(), state});
}

/// v = s - beta v;  u = r - beta u, with the second beta
template <class T, class Space>
void update_v_u(const Space& space, const Bicgstab2Scalars* scalars, In<T> s, In<T> r, Out<T> v, Out<T> u,
                const ConvergenceState* state) {
  for_each(space, r.size(), detail::Bicgstab2VU<T>{scalars, s.data(), r.data(), v.data(), u.data(), state});
}

/// r -= alpha v;  s -= alpha w, with the second alpha, or 0 where gamma is 0
template <class T, class Space>
void update_r_s(const Space& space, const Bicgstab2Scalars* scalars, In<T> v, In<T> w, Out<T> r, Out<T> s,
                const ConvergenceState* state) {
  for_each(space, r.size(), detail::Bicgstab2RS<T>{scalars, v.data(), w.data(), r.data(), s.data(), state});
}

/// omega_1, omega_2: those that make |r - omega_1 s - omega_2 t| smallest
template <class T, class Space>
void choose_omegas(const Space& space, Bicgstab2Scalars* scalars, In<T> r, In<T> s, In<T> t,
                   const ConvergenceState* state) {
  sum(space, r.size(), detail::Bicgstab2Omega<T>{scalars, r.data(), s.data(), t.data(), state}, nullptr);
}

/// x += omega_1 r + omega_2 s + alpha u;  r -= omega_1 s + omega_2 t, its norm recorded in the state;
/// u -= omega_1 v + omega_2 w;  rho = s0 . r. Breaks down when there is nothing to go on with.
template <class T, class Space>
void update_x_r_u(const Space& space, Bicgstab2Scalars* scalars, In<T> s, In<T> t, In<T> v, In<T> w, In<T> s0, Out<T> x,
                  Out<T> r, Out<T> u, ConvergenceState* state) {
  sum(space, r.size(),
      detail::Bicgstab2XRU<T>{scalars, s.data(), t.data(), v.data(), w.data(), s0.data(), x.data(), r.data(), u.data(),
                              state},
      nullptr);
}

}  // namespace ostinato

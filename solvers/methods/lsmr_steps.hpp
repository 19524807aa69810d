// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/solvers/recurrence/convergence_state.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

// The vector steps of LSMR, for both spaces. The vectors u and v are kept with their lengths beta and alpha. With a
// preconditioner M of A^T A, v is kept as M v, too, and alpha = sqrt(v . M v); with one of A A^T the same holds for u
// and beta. Scalars and the state are in the memory of the space. A step does nothing once the recurrence has stopped.

namespace ostinato {

/// The rotation that makes (a, b) to (length, 0).
struct LsmrRotation {
  double cosine = 1, sine = 0, length = 0;

  OSTINATO_FUNCTION LsmrRotation(double a, double b) : length(sqrt(a * a + b * b)) {
    if (!(length > 0)) return;
    cosine = a / length;
    sine = b / length;
  }
};

/// The scalars of LSMR, in the memory of the space. The names are those of the paper: bar for the second rotations, dot
/// and tilde for the residual.
struct LsmrScalars {
  double alpha = 0, beta = 0;  ///< the lengths of v and u
  double beta_new = 0;
  double alpha_bar = 0, rho = 1, rho_bar = 1, cosine_bar = 1, sine_bar = 0;
  double zeta = 0, zeta_bar = 0;  ///< |zeta_bar| = ||A^T r||
  double beta_ddot = 0, beta_dot = 0, rho_dot = 1, tau_tilde = 0, theta_tilde = 0;
  double norm = 0;  ///< the largest ||A v|| so far, at most ||A||
  double goal = 0;  ///< of ||A^T r|| / (||A|| ||r||)
  double unit = 1;  ///< ||r|| for one of the recurrence's, which a preconditioner of A A^T changes
  double of_h_bar = 0, of_x = 0, of_h = 0;  ///< factors of update_x_h

  /// Takes the squared length of the next u.
  OSTINATO_FUNCTION void take_beta(double squared) {
    beta_new = sqrt(squared);
    const double product = sqrt(alpha * alpha + squared);  // ||A v||
    if (product > norm) norm = product;
  }

  /// Takes the squared length of the next v, and ends the iteration.
  OSTINATO_FUNCTION void take_alpha(double squared, ConvergenceState& state) {
    const double sizes = beta_new + squared;
    if (!(sizes - sizes == 0)) {
      state.state = ConvergenceState::not_a_number;
      return;
    }
    const double rr = next(sqrt(squared)) * unit * unit;
    const double factors = of_h_bar + of_x + of_h;
    if (!(factors - factors == 0)) {
      state.break_down(division_by_zero, 0);
      return;
    }
    state.x_is_behind = 1;
    state.record(rr);
    const double gradient = zeta_bar < 0 ? -zeta_bar : zeta_bar;
    if (state.running() && unit * gradient <= goal * norm * sqrt(rr)) state.state = ConvergenceState::reached_goal;
    // There is nothing left to search along.
    if (state.running() && !(alpha > 0 && beta > 0)) state.break_down(division_by_zero, 0);
  }

  enum Breakdown { division_by_zero = 0, indefinite = 1 };  ///< ConvergenceState::cause

  /// Takes the next alpha and beta_new. Returns ||r||^2.
  OSTINATO_FUNCTION double next(double alpha_new) {
    const LsmrRotation first(alpha_bar, beta_new);
    const double rho_old = rho, rho_bar_old = rho_bar, zeta_old = zeta;
    rho = first.length;
    const double theta = first.sine * alpha_new, theta_bar = sine_bar * rho;
    alpha_bar = first.cosine * alpha_new;
    const LsmrRotation second(cosine_bar * rho, theta);
    cosine_bar = second.cosine;
    sine_bar = second.sine;
    rho_bar = second.length;
    zeta = cosine_bar * zeta_bar;
    zeta_bar *= -sine_bar;
    of_h_bar = theta_bar * rho / (rho_old * rho_bar_old);
    of_x = zeta / (rho * rho_bar);
    of_h = theta / rho;
    beta = beta_new;
    alpha = alpha_new;
    return residual(first, theta_bar, zeta_old);
  }

 private:
  OSTINATO_FUNCTION double residual(const LsmrRotation& first, double theta_bar, double zeta_old) {
    const double beta_hat = first.cosine * beta_ddot, theta_tilde_old = theta_tilde;
    beta_ddot *= -first.sine;
    const LsmrRotation third(rho_dot, theta_bar);
    theta_tilde = third.sine * rho_bar;
    rho_dot = third.cosine * rho_bar;
    beta_dot = third.cosine * beta_hat - third.sine * beta_dot;
    tau_tilde = (zeta_old - theta_tilde_old * tau_tilde) / third.length;
    const double tau_dot = (zeta - theta_tilde * tau_tilde) / rho_dot, rest = beta_dot - tau_dot;
    return rest * rest + beta_ddot * beta_ddot;
  }
};

namespace detail {

template <class T>
struct LsmrUpdateU {
  LsmrScalars* s;
  const T* p;
  T* u;
  ConvergenceState* state;
  T of_p = 0, of_u = 0;

  OSTINATO_FUNCTION bool prepare() {
    of_p = static_cast<T>(1 / s->alpha);
    of_u = static_cast<T>(s->alpha / s->beta);
    return state->running();
  }
  OSTINATO_FUNCTION void skipped() { state->x_is_behind = 0; }
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const T value = of_p * p[i] - of_u * u[i];
    u[i] = value;
    return {{abs2(value)}};
  }
  OSTINATO_FUNCTION void finish(const Sums<1>& uu) { s->take_beta(uu.v[0]); }
};

template <class T>
struct LsmrUpdateV {
  LsmrScalars* s;
  const T* q;
  T* v;
  ConvergenceState* state;
  T of_q = 0, of_v = 0;

  OSTINATO_FUNCTION bool prepare() {
    of_q = s->beta_new > 0 ? static_cast<T>(1 / s->beta_new) : T{0};
    of_v = static_cast<T>(s->beta_new / s->alpha);
    return state->running();
  }
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const T value = of_q * q[i] - of_v * v[i];
    v[i] = value;
    return {{abs2(value)}};
  }
  OSTINATO_FUNCTION void finish(const Sums<1>& vv) { s->take_alpha(vv.v[0], *state); }
};

/// The squared length of a vector that is kept with its product with M.
template <class T>
struct LsmrLength {
  LsmrScalars* s;
  const T *times_m, *vector;
  ConvergenceState* state;
  bool is_of_v;

  OSTINATO_FUNCTION bool prepare() const { return state->running(); }
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const { return {{product_of(times_m[i], vector[i])}}; }
  OSTINATO_FUNCTION void finish(const Sums<1>& squared) {
    if (squared.v[0] < 0) return state->break_down(LsmrScalars::indefinite, squared.v[0]);
    if (is_of_v) return s->take_alpha(squared.v[0], *state);
    s->take_beta(squared.v[0]);
  }
};

template <class T>
struct LsmrUpdateXH {
  const LsmrScalars* s;
  const T* v;
  T *x, *h, *h_bar;
  const ConvergenceState* state;
  T of_h_bar = 0, of_x = 0, of_h = 0, of_v = 0;

  OSTINATO_FUNCTION bool prepare() {
    of_h_bar = static_cast<T>(s->of_h_bar);
    of_x = static_cast<T>(s->of_x);
    of_h = static_cast<T>(s->of_h);
    of_v = s->alpha > 0 ? static_cast<T>(1 / s->alpha) : T{0};
    return state->x_is_behind != 0;
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const T direction = h[i] - of_h_bar * h_bar[i], next = x[i] + of_x * direction;
    h_bar[i] = direction;
    if (next - next == T{0}) x[i] = next;
    h[i] = of_v * v[i] - of_h * h[i];
  }
};

}  // namespace detail

/// u = p / alpha - (alpha / beta) u, where p = A v;  beta_new = |u|
template <class T, class Space>
void update_u(const Space& space, LsmrScalars* s, In<T> p, Out<T> u, ConvergenceState* state) {
  sum(space, u.size(), detail::LsmrUpdateU<T>{s, p.data(), u.data(), state}, nullptr);
}

/// The same for a u that is kept as M u;  u = M^-1 (M u);  beta_new = sqrt(u . M u)
template <class T, class Space, class M>
void update_u(const Space& space, LsmrScalars* s, In<T> p, Out<T> times_m, Out<T> u, const M& m,
              ConvergenceState* state) {
  for_each(space, u.size(), detail::LsmrUpdateU<T>{s, p.data(), times_m.data(), state});
  m.apply(times_m, u);
  sum(space, u.size(), detail::LsmrLength<T>{s, times_m.data(), u.data(), state, false}, nullptr);
}

/// v = q / beta_new - (beta_new / alpha) v, where q = A^T u;  alpha = |v|; then the rotations. ||r|| is recorded in the
/// state. Stops when ||A^T r|| has reached its goal.
template <class T, class Space>
void update_v(const Space& space, LsmrScalars* s, In<T> q, Out<T> v, ConvergenceState* state) {
  sum(space, v.size(), detail::LsmrUpdateV<T>{s, q.data(), v.data(), state}, nullptr);
}

/// The same for a v that is kept as M v;  v = M^-1 (M v);  alpha = sqrt(v . M v)
template <class T, class Space, class M>
void update_v(const Space& space, LsmrScalars* s, In<T> q, Out<T> times_m, Out<T> v, const M& m,
              ConvergenceState* state) {
  for_each(space, v.size(), detail::LsmrUpdateV<T>{s, q.data(), times_m.data(), state});
  m.apply(times_m, v);
  sum(space, v.size(), detail::LsmrLength<T>{s, times_m.data(), v.data(), state, true}, nullptr);
}

/// h_bar = h - of_h_bar h_bar;  x += of_x h_bar;  h = v / alpha - of_h h
template <class T, class Space>
void update_x_h(const Space& space, const LsmrScalars* s, In<T> v, Out<T> x, Out<T> h, Out<T> h_bar,
                const ConvergenceState* state) {
  for_each(space, x.size(), detail::LsmrUpdateXH<T>{s, v.data(), x.data(), h.data(), h_bar.data(), state});
}

}  // namespace ostinato

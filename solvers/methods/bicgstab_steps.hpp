// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/solvers/recurrence/convergence_state.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

// The vector steps of BiCGSTAB, for both spaces. A step is named after what it changes. Scalars and the state are in
// the memory of the space. A step does nothing once the recurrence has stopped.

namespace ostinato {

/// The scalars of BiCGSTAB, in the memory of the space. s0 is the shadow residual. S: sum_t of the vectors.
template <class S>
struct BicgstabScalarsOf {
  S rho = 0;      ///< s0 . r
  S rho_old = 1;  ///< rho of the previous iteration
  S s0v = 0;      ///< s0 . v
  S ts = 0;       ///< t . s, where s is r after its first half step
  double tt = 0;
  double rr = 0;
  S alpha = 1, omega = 1;
  double s0s0 = 0;  ///< s0 . s0, for deciding whether rho is only rounding
  /// What breaks BiCGSTAB down: a 0 for s0 . v, t . t, t . r or rho.
  enum Cause { no_alpha = 1, no_product, no_omega, no_rho };
};

using BicgstabScalars = BicgstabScalarsOf<double>;

namespace detail {

template <class T>
struct UpdateP {
  const BicgstabScalarsOf<sum_t<T>>* s;
  const T *r, *v;
  T* p;
  const ConvergenceState* state;
  T beta = 0, omega = 0;

  OSTINATO_FUNCTION bool prepare() {
    if (state->iteration > 0) {
      beta = static_cast<T>((s->rho / s->rho_old) * (s->alpha / s->omega));
      omega = static_cast<T>(s->omega);
    }
    return state->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    p[i] = beta == T{0} ? r[i] : r[i] + beta * (p[i] - omega * v[i]);
  }
};

/// When s0v = 0, r isn't changed: the iteration then only minimises the residual along t, and breaks down.
template <class T>
struct UpdateS {
  BicgstabScalarsOf<sum_t<T>>* s;
  const T* v;
  T* r;
  const ConvergenceState* state;
  T alpha = 0;

  OSTINATO_FUNCTION bool prepare() {
    if (s->s0v != sum_t<T>{0}) alpha = static_cast<T>(s->rho / s->s0v);
    return state->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const { r[i] -= alpha * v[i]; }
};

template <class T>
struct DotsTsTt {
  BicgstabScalarsOf<sum_t<T>>* s;
  const T *t, *r;
  const ConvergenceState* state;

  OSTINATO_FUNCTION bool prepare() { return state->running(); }
  OSTINATO_FUNCTION Sums<2, sum_t<T>> operator()(std::size_t i) const {
    return {{product_of(conj(t[i]), r[i]), abs2(t[i])}};
  }
  OSTINATO_FUNCTION void finish(const Sums<2, sum_t<T>>& sums) {
    s->ts = sums.v[0];
    s->tt = real_part(sums.v[1]);
  }
};

/// A value that isn't finite isn't written to x, and ends the recurrence: along the null space of A the iterates may
/// overflow while the residual stays small.
template <class T>
struct UpdateXR {
  BicgstabScalarsOf<sum_t<T>>* s;
  const T *p_hat, *s_hat, *t, *s0;
  T *x, *r;
  ConvergenceState* state;
  T alpha = 0, omega = 0;

  OSTINATO_FUNCTION bool prepare() {
    if (s->s0v != sum_t<T>{0}) alpha = static_cast<T>(s->rho / s->s0v);
    if (s->tt != 0) omega = static_cast<T>(s->ts / s->tt);
    return state->running();
  }

  OSTINATO_FUNCTION Sums<2, sum_t<T>> operator()(std::size_t i) const {
    const T next = x[i] + (alpha * p_hat[i] + omega * s_hat[i]);
    const T nothing = next - next;
    if (nothing == T{0}) x[i] = next;
    const T value = r[i] - omega * t[i] + nothing;
    r[i] = value;
    return {{abs2(value), product_of(conj(s0[i]), value)}};
  }

  OSTINATO_FUNCTION void finish(const Sums<2, sum_t<T>>& sums) {
    using S = sum_t<T>;
    s->rho_old = s->rho;
    s->alpha = static_cast<S>(alpha);
    s->omega = static_cast<S>(omega);
    s->rr = real_part(sums.v[0]);
    s->rho = sums.v[1];
    state->record(s->rr);
    // A rho this small is only rounding: s0 is orthogonal to r, and no new direction can be computed from them.
    const double meaningless = 1e-14 * sqrt(s->rr) * sqrt(s->s0s0);
    if (!state->running()) return;
    if (s->alpha == S{0}) {
      state->break_down(BicgstabScalars::no_alpha, real_part(s->s0v));
    } else if (s->omega == S{0}) {
      state->break_down(s->tt == 0 ? BicgstabScalars::no_product : BicgstabScalars::no_omega, real_part(s->ts));
    } else if (magnitude(s->rho) <= meaningless) {
      state->break_down(BicgstabScalars::no_rho, real_part(s->rho));
    }
  }
};

}  // namespace detail

/// beta = (rho / rho_old) (alpha / omega);  p = r + beta (p - omega v); in the first iteration p = r.
template <class T, class Space>
void update_p(const Space& space, BicgstabScalarsOf<sum_t<T>>* s, In<T> r, In<T> v, Out<T> p,
              const ConvergenceState* state) {
  for_each(space, p.size(), detail::UpdateP<T>{s, r.data(), v.data(), p.data(), state});
}

/// alpha = rho / s0v, or 0 when s0v is 0, which update_x_r reports as breakdown;  r -= alpha v
template <class T, class Space>
void update_s(const Space& space, BicgstabScalarsOf<sum_t<T>>* s, In<T> v, Out<T> r, ConvergenceState* state) {
  for_each(space, r.size(), detail::UpdateS<T>{s, v.data(), r.data(), state});
}

/// ts = t . r;  tt = t . t
template <class T, class Space>
void dots_ts_tt(const Space& space, BicgstabScalarsOf<sum_t<T>>* s, In<T> t, In<T> r, const ConvergenceState* state) {
  sum(space, t.size(), detail::DotsTsTt<T>{s, t.data(), r.data(), state}, nullptr);
}

/// omega = ts / tt;  x += alpha p_hat + omega s_hat;  r -= omega t;  rho = s0 . r;  r . r is recorded in the state.
template <class T, class Space>
void update_x_r(const Space& space, BicgstabScalarsOf<sum_t<T>>* s, In<T> p_hat, In<T> s_hat, In<T> t, In<T> s0,
                Out<T> x, Out<T> r, ConvergenceState* state) {
  sum(space, r.size(),
      detail::UpdateXR<T>{s, p_hat.data(), s_hat.data(), t.data(), s0.data(), x.data(), r.data(), state}, nullptr);
}

}  // namespace ostinato

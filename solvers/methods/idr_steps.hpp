// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <ostinato/solvers/options.hpp>
#include <ostinato/solvers/recurrence/convergence_state.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/shared_space.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

// The vector steps of IDR(s), for both spaces. P, G and U are matrices of n rows and s columns, stored column by
// column; p(i), g(i) and u(i) are their columns. Scalars and the state are in the memory of the space. x and r don't
// change once the recurrence has stopped; what other steps write is not used any more then.

namespace ostinato {

/// The scalars of IDR(s), in the memory of the space.
struct IdrScalars {
  static constexpr int most = most_shadow_vectors;

  double m[most][most] = {};  ///< m[i][j] = p(i) . g(j), a lower triangle
  double f[most] = {};        ///< f[i] = p(i) . r
  double c[most] = {};        ///< m c = f, for the columns from the next one on
  double alpha[most] = {};    ///< what column k has of the columns before it
  double beta = 0, omega = 1;
  double rr = 0;

  /// Solves m c = f for the columns from `first` on.
  OSTINATO_FUNCTION void solve(int first, int s) {
    for (int i = first; i < s; ++i) {
      double rest = f[i];
      for (int j = first; j < i; ++j) rest -= m[i][j] * c[j];
      c[i] = rest / m[i][i];
    }
  }
};

namespace detail {

/// The columns `first` to `last` - 1 of a matrix times factors. A column that isn't among them is read from `instead`,
/// a vector that is read anyway, with the factor 0: so the loop has a fixed length.
template <class T>
struct IdrColumns {
  static constexpr int most = IdrScalars::most;
  const T* column[most];
  T factor[most];

  OSTINATO_FUNCTION void set(const T* matrix, std::size_t n, int first, int last, const double* factors,
                             const T* instead) {
    for (int i = 0; i < most; ++i) {
      const bool taken = i >= first && i < last;
      column[i] = taken ? matrix + static_cast<std::size_t>(i) * n : instead;
      factor[i] = taken ? static_cast<T>(factors[i]) : T{0};
    }
  }
  OSTINATO_FUNCTION T sum(std::size_t i) const {
    T total = 0;
    for (int k = 0; k < most; ++k) total += factor[k] * column[k][i];
    return total;
  }
};

/// Numbers in -1 .. 1 that depend on the seed and the place alone.
template <class T>
struct IdrRandom {
  T* p;
  std::uint64_t seed;
  std::size_t first = 0;  ///< the number of p[0] in the whole vector

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    std::uint64_t h = (static_cast<std::uint64_t>(first + i) + 1) * std::uint64_t{0x9e3779b97f4a7c15} + seed;
    h = (h ^ (h >> 30)) * std::uint64_t{0xbf58476d1ce4e5b9};
    h = (h ^ (h >> 27)) * std::uint64_t{0x94d049bb133111eb};
    h ^= h >> 31;
    p[i] = static_cast<T>(static_cast<double>(h >> 11) * (1.0 / 4503599627370496.0) - 1);
  }
};

template <class T>
struct IdrBegin {
  IdrScalars* scalars;
  const T *p, *r;
  std::size_t n;
  int s;
  IdrColumns<T> shadow = {};

  OSTINATO_FUNCTION bool prepare() {
    shadow.set(p, n, 0, s, scalars->f, r);
    return true;
  }
  OSTINATO_FUNCTION Sums<IdrScalars::most> operator()(std::size_t i) const {
    Sums<IdrScalars::most> sums;
    for (int k = 0; k < IdrScalars::most; ++k) sums.v[k] = product_of(shadow.column[k][i], r[i]);
    return sums;
  }
  OSTINATO_FUNCTION void finish(const Sums<IdrScalars::most>& sums) {
    for (int k = 0; k < s; ++k) scalars->f[k] = sums.v[k];
    scalars->solve(0, s);
  }
};

template <class T>
struct IdrUpdateV {
  const IdrScalars* scalars;
  const T *g, *r;
  T* v;
  std::size_t n;
  int k, s;
  IdrColumns<T> later = {};

  OSTINATO_FUNCTION bool prepare() {
    later.set(g, n, k, s, scalars->c, r);
    return true;
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const { v[i] = r[i] - later.sum(i); }
};

template <class T>
struct IdrUpdateU {
  const IdrScalars* scalars;
  const T* z;
  T* u;
  std::size_t n;
  int k, s;
  T omega = 0;
  IdrColumns<T> later = {};

  OSTINATO_FUNCTION bool prepare() {
    omega = static_cast<T>(scalars->omega);
    later.set(u, n, k, s, scalars->c, z);
    return true;
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    u[static_cast<std::size_t>(k) * n + i] = omega * z[i] + later.sum(i);
  }
};

/// p(i) . g(j) is 0 for i < j, so that the products with g(k) as it was give its parts along the columns before it, and
/// the products of what is left: one pass instead of one a column.
template <class T>
struct IdrProject {
  IdrScalars* scalars;
  const T *p, *g;
  std::size_t n;
  int k, s;
  ConvergenceState* state;
  IdrColumns<T> shadow = {};
  static constexpr int most = IdrScalars::most;

  OSTINATO_FUNCTION bool prepare() {
    shadow.set(p, n, 0, s, scalars->c, column());
    return state->running();
  }
  OSTINATO_FUNCTION const T* column() const { return g + static_cast<std::size_t>(k) * n; }

  OSTINATO_FUNCTION Sums<most + 1> operator()(std::size_t i) const {
    Sums<most + 1> sums;
    const double value = static_cast<double>(column()[i]);
    for (int j = 0; j < most; ++j) sums.v[j] = static_cast<double>(shadow.column[j][i]) * value;
    sums.v[most] = value * value;
    return sums;
  }

  OSTINATO_FUNCTION void finish(const Sums<most + 1>& sums) {
    IdrScalars& a = *scalars;
    double h[most];
    for (int i = 0; i < s; ++i) h[i] = sums.v[i];
    for (int j = 0; j < k; ++j) {
      a.alpha[j] = h[j] / a.m[j][j];
      for (int i = j; i < s; ++i) h[i] -= a.alpha[j] * a.m[i][j];
    }
    for (int i = k; i < s; ++i) a.m[i][k] = h[i];
    const double pivot = h[k] < 0 ? -h[k] : h[k];
    a.beta = a.f[k] / h[k];
    // A product this small is only rounding: g(k) is orthogonal to p(k).
    if (pivot <= 1e-14 * sqrt(sums.v[most])) state->state = ConvergenceState::broke_down;
    if (!(sums.v[most] - sums.v[most] == 0)) state->state = ConvergenceState::not_a_number;
  }
};

/// A value that isn't finite isn't written to x, and ends the recurrence.
template <class T>
struct IdrUpdateXR {
  IdrScalars* scalars;
  T *g, *u, *x, *r;
  std::size_t n;
  int k, s;
  ConvergenceState* state;
  T beta = 0;
  IdrColumns<T> g_before = {}, u_before = {};

  OSTINATO_FUNCTION bool prepare() {
    beta = static_cast<T>(scalars->beta);
    g_before.set(g, n, 0, k, scalars->alpha, r);
    u_before.set(u, n, 0, k, scalars->alpha, r);
    return state->running();
  }

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const std::size_t at = static_cast<std::size_t>(k) * n + i;
    const T g_now = g[at] - g_before.sum(i), u_now = u[at] - u_before.sum(i);
    g[at] = g_now;
    u[at] = u_now;
    const T next = x[i] + beta * u_now;
    const T nothing = next - next;
    if (nothing == T{0}) x[i] = next;
    const T value = r[i] - beta * g_now + nothing;
    r[i] = value;
    return {{abs2(value)}};
  }

  OSTINATO_FUNCTION void finish(const Sums<1>& rr) {
    IdrScalars& a = *scalars;
    a.rr = rr.v[0];
    for (int i = k + 1; i < s; ++i) a.f[i] -= a.beta * a.m[i][k];
    a.solve(k + 1, s);
    state->record(a.rr);
  }
};

/// The omega that makes the residual smallest, made larger where t and r are nearly orthogonal: a small omega spoils
/// the products of the next columns (Sleijpen & van der Vorst, Numer. Algorithms 10 (1995) 203).
template <class T>
struct IdrOmega {
  IdrScalars* scalars;
  const T *t, *r;
  ConvergenceState* state;

  OSTINATO_FUNCTION bool prepare() { return state->running(); }
  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const double ti = static_cast<double>(t[i]);
    return {{ti * static_cast<double>(r[i]), ti * ti}};
  }
  OSTINATO_FUNCTION void finish(const Sums<2>& sums) {
    constexpr double least_cosine = 0.7;
    const double ts = sums.v[0], tt = sums.v[1], size = sqrt(scalars->rr / tt);
    const double cosine = ts / (sqrt(tt) * sqrt(scalars->rr));
    scalars->omega = ts / tt;
    if (cosine < least_cosine && cosine > -least_cosine)
      scalars->omega = (ts < 0 ? -least_cosine : least_cosine) * size;
    if (tt == 0) state->state = ConvergenceState::broke_down;
    if (!(tt - tt == 0)) state->state = ConvergenceState::not_a_number;
  }
};

template <class T>
struct IdrMinimise {
  IdrScalars* scalars;
  const T *p, *z, *t;
  T *x, *r;
  std::size_t n;
  int s;
  ConvergenceState* state;
  T omega = 0;
  IdrColumns<T> shadow = {};
  static constexpr int most = IdrScalars::most;

  OSTINATO_FUNCTION bool prepare() {
    omega = static_cast<T>(scalars->omega);
    shadow.set(p, n, 0, s, scalars->c, t);
    return state->running();
  }
  OSTINATO_FUNCTION Sums<most + 1> operator()(std::size_t i) const {
    const T next = x[i] + omega * z[i];
    const T nothing = next - next;
    if (nothing == T{0}) x[i] = next;
    const T value = r[i] - omega * t[i] + nothing;
    Sums<most + 1> sums;
    for (int j = 0; j < most; ++j) sums.v[j] = product_of(shadow.column[j][i], value);
    sums.v[most] = abs2(value);
    r[i] = value;
    return sums;
  }
  OSTINATO_FUNCTION void finish(const Sums<most + 1>& sums) {
    for (int i = 0; i < s; ++i) scalars->f[i] = sums.v[i];
    scalars->rr = sums.v[most];
    scalars->solve(0, s);
    state->record(scalars->rr);
  }
};

}  // namespace detail

/// p(i) = a number in -1 .. 1 that depends on seed and i alone.
template <class T, class Space>
void fill_randomly(const Space& space, std::uint64_t seed, Out<T> p) {
  for_each(space, p.size(), detail::IdrRandom<T>{p.data(), seed, part_of(space, p.size()).begin});
}

/// f = P^T r;  m c = f
template <class T, class Space>
void begin_idr(const Space& space, IdrScalars* scalars, int s, In<T> p, In<T> r) {
  sum(space, r.size(), detail::IdrBegin<T>{scalars, p.data(), r.data(), r.size(), s}, nullptr);
}

/// v = r - sum over i >= k of c(i) g(i)
template <class T, class Space>
void update_v(const Space& space, const IdrScalars* scalars, int k, int s, In<T> g, In<T> r, Out<T> v) {
  for_each(space, r.size(), detail::IdrUpdateV<T>{scalars, g.data(), r.data(), v.data(), r.size(), k, s});
}

/// u(k) = omega z + sum over i >= k of c(i) u(i)
template <class T, class Space>
void update_u(const Space& space, const IdrScalars* scalars, int k, int s, In<T> z, Out<T> u) {
  for_each(space, z.size(), detail::IdrUpdateU<T>{scalars, z.data(), u.data(), z.size(), k, s});
}

/// alpha: the parts of g(k) along g(0) .. g(k - 1);  m(i, k) = p(i) . (g(k) without these parts);
/// beta = f(k) / m(k, k).  Breaks down when m(k, k) is 0.
template <class T, class Space>
void project_g(const Space& space, IdrScalars* scalars, int k, int s, In<T> p, In<T> g, ConvergenceState* state) {
  const std::size_t n = p.size() / static_cast<std::size_t>(s);
  sum(space, n, detail::IdrProject<T>{scalars, p.data(), g.data(), n, k, s, state}, nullptr);
}

/// g(k) -= sum of alpha(i) g(i);  u(k) -= sum of alpha(i) u(i);  x += beta u(k);  r -= beta g(k), its norm recorded in
/// the state;  f(i) -= beta m(i, k);  m c = f for the columns after k.
template <class T, class Space>
void update_x_r(const Space& space, IdrScalars* scalars, int k, int s, Out<T> g, Out<T> u, Out<T> x, Out<T> r,
                ConvergenceState* state) {
  sum(space, r.size(), detail::IdrUpdateXR<T>{scalars, g.data(), u.data(), x.data(), r.data(), r.size(), k, s, state},
      nullptr);
}

/// omega = t . r / t . t, or more where t and r are nearly orthogonal. Breaks down when t is 0.
template <class T, class Space>
void choose_omega(const Space& space, IdrScalars* scalars, In<T> t, In<T> r, ConvergenceState* state) {
  sum(space, r.size(), detail::IdrOmega<T>{scalars, t.data(), r.data(), state}, nullptr);
}

/// x += omega z;  r -= omega t, its norm recorded in the state;  f = P^T r;  m c = f
template <class T, class Space>
void minimise(const Space& space, IdrScalars* scalars, int s, In<T> p, In<T> z, In<T> t, Out<T> x, Out<T> r,
              ConvergenceState* state) {
  sum(space, r.size(),
      detail::IdrMinimise<T>{scalars, p.data(), z.data(), t.data(), x.data(), r.data(), r.size(), s, state}, nullptr);
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of steps.hpp as functors for for_each and sum. Included by steps.cpp (Host) and cuda/steps.cu (Cuda).

#include <cmath>

#include <ostinato/solvers/steps.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/function.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato {

namespace detail {

template <class T>
struct Scale {
  T a;
  const T* x;
  T* y;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { y[i] = a * x[i]; }
};

template <class T>
struct Residual {
  const T *b, *q;
  T* r;
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const T value = b[i] - q[i];
    r[i] = value;
    return {{static_cast<double>(value) * static_cast<double>(value)}};
  }
};

template <class T>
struct UpdateR {
  const double *rz, *pq;
  const T* q;
  T* r;
  Progress* progress;
  T alpha = 0;
  bool positive = false;

  OSTINATO_FUNCTION bool prepare() {
    positive = *pq > 0 && *rz > 0;
    if (positive) alpha = static_cast<T>(*rz / *pq);
    return progress->running();
  }
  OSTINATO_FUNCTION void skipped() { progress->lagging = 0; }

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const T value = r[i] - alpha * q[i];
    r[i] = value;
    return {{static_cast<double>(value) * static_cast<double>(value)}};
  }

  OSTINATO_FUNCTION void finish(const Sums<1>& rr) {
    if (positive) progress->record(rr.v[0]);
    if (!positive) progress->state = *pq - *pq == 0 && *rz - *rz == 0 ? Progress::broke_down : Progress::not_a_number;
    progress->lagging = positive && progress->state != Progress::not_a_number;
  }
};

template <class T>
struct UpdateXP {
  const double *rz, *pq, *rz_new;
  const T* z;
  T *x, *p;
  const Progress* progress;
  T alpha = 0, beta = 0;

  OSTINATO_FUNCTION bool prepare() {
    alpha = static_cast<T>(*rz / *pq);
    beta = static_cast<T>(*rz_new / *rz);
    return progress->lagging != 0;
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const T direction = p[i];
    x[i] += alpha * direction;
    p[i] = z[i] + beta * direction;
  }
};

template <class T>
struct UpdateP {
  const BicgstabScalars* s;
  const T *r, *v;
  T* p;
  const Progress* progress;
  T beta = 0, omega = 0;

  OSTINATO_FUNCTION bool prepare() {
    if (progress->iteration > 0) {
      beta = static_cast<T>((s->rho / s->rho_old) * (s->alpha / s->omega));
      omega = static_cast<T>(s->omega);
    }
    return progress->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    p[i] = beta == T{0} ? r[i] : r[i] + beta * (p[i] - omega * v[i]);
  }
};

/// s0v = 0 leaves r as it is: the iteration becomes a step of minimal residual, and then breaks down.
template <class T>
struct UpdateS {
  BicgstabScalars* s;
  const T* v;
  T* r;
  const Progress* progress;
  T alpha = 0;

  OSTINATO_FUNCTION bool prepare() {
    if (s->s0v != 0) alpha = static_cast<T>(s->rho / s->s0v);
    return progress->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const { r[i] -= alpha * v[i]; }
};

template <class T>
struct DotsTsTt {
  BicgstabScalars* s;
  const T *t, *r;
  const Progress* progress;

  OSTINATO_FUNCTION bool prepare() { return progress->running(); }
  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const double ti = static_cast<double>(t[i]);
    return {{ti * static_cast<double>(r[i]), ti * ti}};
  }
  OSTINATO_FUNCTION void finish(const Sums<2>& sums) {
    s->ts = sums.v[0];
    s->tt = sums.v[1];
  }
};

/// What would not be finite isn't written to x, and ends the recurrence: along a kernel of A the iterates may overflow
/// while the residual stays small.
template <class T>
struct UpdateXR {
  BicgstabScalars* s;
  const T *p_hat, *s_hat, *t, *s0;
  T *x, *r;
  Progress* progress;
  T alpha = 0, omega = 0;

  OSTINATO_FUNCTION bool prepare() {
    if (s->s0v != 0) alpha = static_cast<T>(s->rho / s->s0v);
    if (s->tt != 0) omega = static_cast<T>(s->ts / s->tt);
    return progress->running();
  }

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const T next = x[i] + (alpha * p_hat[i] + omega * s_hat[i]);
    const T nothing = next - next;
    if (nothing == T{0}) x[i] = next;
    const T value = r[i] - omega * t[i] + nothing;
    r[i] = value;
    return {{static_cast<double>(value) * static_cast<double>(value),
             static_cast<double>(s0[i]) * static_cast<double>(value)}};
  }

  OSTINATO_FUNCTION void finish(const Sums<2>& sums) {
    s->rho_old = s->rho;
    s->alpha = static_cast<double>(alpha);
    s->omega = static_cast<double>(omega);
    s->rr = sums.v[0];
    s->rho = sums.v[1];
    progress->record(s->rr);
    // A rho this small is rounding: the shadow residual no longer says anything about r.
    const double meaningless = 1e-28 * s->rr * s->s0s0;
    const bool lost = s->alpha == 0 || s->omega == 0 || s->rho * s->rho <= meaningless;
    if (progress->running() && lost) progress->state = Progress::broke_down;
  }
};

template <class T>
struct Multiply {
  const T *d, *r;
  T* z;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { z[i] = d[i] * r[i]; }
};

template <class T>
struct MultiplyDot {
  const T *d, *r;
  T* z;
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const T value = d[i] * r[i];
    z[i] = value;
    return {{static_cast<double>(value) * static_cast<double>(r[i])}};
  }
};

template <class T>
struct Accumulate {
  const T* more;
  T* h;
  OSTINATO_FUNCTION void operator()(std::size_t k) const { h[k] += more[k]; }
};

template <class T>
struct Normalise {
  const double* ww;
  T *w, *norm;
  T length = 0, factor = 0;

  OSTINATO_FUNCTION bool prepare() {
    length = static_cast<T>(sqrt(*ww));
    factor = length > T{0} ? T{1} / length : T{0};
    return true;
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    w[i] *= factor;
    if (i == 0) *norm = length;
  }
};

}  // namespace detail

template <class T, class Space>
void copy(const Space& space, In<T> x, Out<T> y) {
  space.copy(y.data(), x.data(), x.size_bytes());
}

template <class T, class Space>
void scale(const Space& space, T a, In<T> x, Out<T> y) {
  for_each(space, y.size(), detail::Scale<T>{a, x.data(), y.data()});
}

template <class T, class Space>
void dot(const Space& space, In<T> x, In<T> y, double* slot) {
  sum(space, x.size(), Dot<T>{x.data(), y.data()}, slot);
}

template <class T, class Space>
void residual(const Space& space, In<T> b, In<T> q, Out<T> r, double* rr) {
  sum(space, r.size(), detail::Residual<T>{b.data(), q.data(), r.data()}, rr);
}

template <class T, class Space>
void update_r(const Space& space, const double* rz, const double* pq, In<T> q, Out<T> r, double* rr,
              Progress* progress) {
  sum(space, r.size(), detail::UpdateR<T>{rz, pq, q.data(), r.data(), progress}, rr);
}

template <class T, class Space>
void update_x_p(const Space& space, const double* rz, const double* pq, const double* rz_new, In<T> z, Out<T> x,
                Out<T> p, const Progress* progress) {
  for_each(space, x.size(), detail::UpdateXP<T>{rz, pq, rz_new, z.data(), x.data(), p.data(), progress});
}

template <class T, class Space>
void update_p(const Space& space, BicgstabScalars* s, In<T> r, In<T> v, Out<T> p, const Progress* progress) {
  for_each(space, p.size(), detail::UpdateP<T>{s, r.data(), v.data(), p.data(), progress});
}

template <class T, class Space>
void update_s(const Space& space, BicgstabScalars* s, In<T> v, Out<T> r, Progress* progress) {
  for_each(space, r.size(), detail::UpdateS<T>{s, v.data(), r.data(), progress});
}

template <class T, class Space>
void dots_ts_tt(const Space& space, BicgstabScalars* s, In<T> t, In<T> r, const Progress* progress) {
  sum(space, t.size(), detail::DotsTsTt<T>{s, t.data(), r.data(), progress}, nullptr);
}

template <class T, class Space>
void update_x_r(const Space& space, BicgstabScalars* s, In<T> p_hat, In<T> s_hat, In<T> t, In<T> s0, Out<T> x, Out<T> r,
                Progress* progress) {
  sum(space, r.size(),
      detail::UpdateXR<T>{s, p_hat.data(), s_hat.data(), t.data(), s0.data(), x.data(), r.data(), progress}, nullptr);
}

template <class T, class Space>
void multiply(const Space& space, In<T> d, In<T> r, Out<T> z) {
  for_each(space, z.size(), detail::Multiply<T>{d.data(), r.data(), z.data()});
}

template <class T, class Space>
void multiply_dot(const Space& space, In<T> d, In<T> r, Out<T> z, double* slot) {
  sum(space, z.size(), detail::MultiplyDot<T>{d.data(), r.data(), z.data()}, slot);
}

template <class T, class Space>
void accumulate(const Space& space, int columns, const T* more, T* h) {
  for_each(space, static_cast<std::size_t>(columns), detail::Accumulate<T>{more, h});
}

template <class T, class Space>
void normalise(const Space& space, const double* ww, Out<T> w, T* norm) {
  for_each(space, w.size(), detail::Normalise<T>{ww, w.data(), norm});
}

/// Instantiates every step of this file for one space and type.
#define OSTINATO_INSTANTIATE_STEPS(Space, T)                                                                           \
  template void copy<T, Space>(const Space&, In<T>, Out<T>);                                                           \
  template void scale<T, Space>(const Space&, T, In<T>, Out<T>);                                                       \
  template void dot<T, Space>(const Space&, In<T>, In<T>, double*);                                                    \
  template void residual<T, Space>(const Space&, In<T>, In<T>, Out<T>, double*);                                       \
  template void update_r<T, Space>(const Space&, const double*, const double*, In<T>, Out<T>, double*, Progress*);     \
  template void update_x_p<T, Space>(const Space&, const double*, const double*, const double*, In<T>, Out<T>, Out<T>, \
                                     const Progress*);                                                                 \
  template void update_p<T, Space>(const Space&, BicgstabScalars*, In<T>, In<T>, Out<T>, const Progress*);             \
  template void update_s<T, Space>(const Space&, BicgstabScalars*, In<T>, Out<T>, Progress*);                          \
  template void dots_ts_tt<T, Space>(const Space&, BicgstabScalars*, In<T>, In<T>, const Progress*);                   \
  template void update_x_r<T, Space>(const Space&, BicgstabScalars*, In<T>, In<T>, In<T>, In<T>, Out<T>, Out<T>,       \
                                     Progress*);                                                                       \
  template void multiply<T, Space>(const Space&, In<T>, In<T>, Out<T>);                                                \
  template void multiply_dot<T, Space>(const Space&, In<T>, In<T>, Out<T>, double*);                                   \
  template void accumulate<T, Space>(const Space&, int, const T*, T*);                                                 \
  template void normalise<T, Space>(const Space&, const double*, Out<T>, T*);                                          \
  template void project<T, Space>(const Space&, int, const T*, In<T>, T*);                                             \
  template void subtract<T, Space>(const Space&, int, const T*, const T*, Out<T>);                                     \
  template void combine<T, Space>(const Space&, int, const T*, const T*, Out<T>)

}  // namespace ostinato

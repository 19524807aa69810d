// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include <ostinato/solvers/convergence_state.hpp>

// The vector steps of the solvers, each named by what it changes. Written once, in steps_kernels.hpp, and compiled for
// Host and Cuda. Scalars (double*) and Progress are in the memory of the space. All are enqueued and take no device
// memory. Steps that take a Progress do nothing once it isn't running.

namespace ostinato {

/// What a step reads: anything that converts to a span. T is deduced from what it writes, or given.
template <class T>
using In = std::span<const std::type_identity_t<T>>;
/// What a step writes.
template <class T>
using Out = std::span<T>;

/// y = x
template <class T, class Space>
void copy(const Space& space, In<T> x, Out<T> y);

/// y = a x
template <class T, class Space>
void scale(const Space& space, T a, In<T> x, Out<T> y);

/// *slot = x . y
template <class T, class Space>
void dot(const Space& space, In<T> x, In<T> y, double* slot);

/// r = b - q,  *rr = r . r.  r may be q.
template <class T, class Space>
void residual(const Space& space, In<T> b, In<T> q, Out<T> r, double* rr);

/// z = d * r, element by element
template <class T, class Space>
void multiply(const Space& space, In<T> d, In<T> r, Out<T> z);

/// z = d * r, element by element;  *slot = r . z
template <class T, class Space>
void multiply_dot(const Space& space, In<T> d, In<T> r, Out<T> z, double* slot);

/// CG: alpha = rz / pq;  r -= alpha q;  *rr = r . r, recorded.  Breaks down unless pq and rz are > 0.
template <class T, class Space>
void update_r(const Space& space, const double* rz, const double* pq, In<T> q, Out<T> r, double* rr,
              Progress* progress);

/// CG: x += (rz / pq) p;  p = z + (rz_new / rz) p
template <class T, class Space>
void update_x_p(const Space& space, const double* rz, const double* pq, const double* rz_new, In<T> z, Out<T> x,
                Out<T> p, const Progress* progress);

/// What BiCGSTAB carries from step to step, in the memory of the space.
struct BicgstabScalars {
  double rho = 0;      ///< s0 . r
  double rho_old = 1;  ///< of the iteration before
  double s0v = 0;      ///< s0 . v
  double ts = 0, tt = 0;
  double rr = 0;
  double alpha = 1, omega = 1;
  double s0s0 = 0;  ///< s0 . s0, the size against which rho is judged
};

/// BiCGSTAB: beta = (rho / rho_old) (alpha / omega);  p = r + beta (p - omega v); in the first iteration p = r.
template <class T, class Space>
void update_p(const Space& space, BicgstabScalars* s, In<T> r, In<T> v, Out<T> p, const Progress* progress);

/// BiCGSTAB: alpha = rho / s0v;  r -= alpha v.  Breaks down when s0v is 0.
template <class T, class Space>
void update_s(const Space& space, BicgstabScalars* s, In<T> v, Out<T> r, Progress* progress);

/// BiCGSTAB: ts = t . r;  tt = t . t
template <class T, class Space>
void dots_ts_tt(const Space& space, BicgstabScalars* s, In<T> t, In<T> r, const Progress* progress);

/// BiCGSTAB: omega = ts / tt;  x += alpha p_hat + omega s_hat;  r -= omega t;  rho = s0 . r;  r . r recorded.
template <class T, class Space>
void update_x_r(const Space& space, BicgstabScalars* s, In<T> p_hat, In<T> s_hat, In<T> t, In<T> s0, Out<T> x, Out<T> r,
                Progress* progress);

/// GMRES: h(k) = V(:, k) . w for k < columns, with V stored column by column, n = w.size() apart.
template <class T, class Space>
void project(const Space& space, int columns, const T* v, In<T> w, T* h);

/// GMRES: w -= sum over k < columns of V(:, k) h(k)
template <class T, class Space>
void subtract(const Space& space, int columns, const T* v, const T* h, Out<T> w);

/// x += sum over k < columns of V(:, k) y(k)
template <class T, class Space>
void combine(const Space& space, int columns, const T* v, const T* y, Out<T> x);

/// GMRES: h(k) += more(k)
template <class T, class Space>
void accumulate(const Space& space, int columns, const T* more, T* h);

/// GMRES: *norm = sqrt(ww);  w = w / *norm, or 0 when *norm is 0
template <class T, class Space>
void normalise(const Space& space, const double* ww, Out<T> w, T* norm);

}  // namespace ostinato

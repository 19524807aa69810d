// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/solvers/convergence_state.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

// The vector steps of CG, for both spaces. A step is named after what it changes. Scalars and the state are in the
// memory of the space. A step does nothing once the recurrence has stopped.

namespace ostinato {

/// What breaks CG down.
struct Curvature {
  enum Cause { of_a = 1, of_m };  ///< p . A p, r . M^-1 r
};

namespace detail {

/// Four elements beside each other, which move in pieces of 16 bytes.
template <class T>
struct alignas(16) Four {
  T v[4];

  OSTINATO_FUNCTION static Four at(const T* p) { return *reinterpret_cast<const Four*>(p); }
  OSTINATO_FUNCTION void to(T* p) const { *reinterpret_cast<Four*>(p) = *this; }
  OSTINATO_FUNCTION static bool fits(const T* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }
};

template <class T>
struct UpdateR {
  const double *rz, *pq;
  const T* q;
  T* r;
  ConvergenceState* state;
  double sign_a, sign_m;
  double* rz_kept;
  T alpha = 0;
  bool definite = false;

  OSTINATO_FUNCTION bool prepare() {
    definite = sign_a * *pq > 0 && sign_m * *rz > 0;
    if (definite) alpha = static_cast<T>(*rz / *pq);
    return state->running();
  }
  OSTINATO_FUNCTION void skipped() { state->x_is_behind = 0; }

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const T value = r[i] - alpha * q[i];
    r[i] = value;
    return {{abs2(value)}};
  }
  /// With an element at a time, vectors in float leave the memory of a GPU partly idle (H200, 2026-11: 256^3 take 61 us
  /// instead of 53).
  OSTINATO_FUNCTION bool moves_fours() const { return Four<T>::fits(q) && Four<T>::fits(r); }
  OSTINATO_FUNCTION Sums<1> fours(std::size_t i) const requires std::same_as<T, float> {
    const Four<T> of_q = Four<T>::at(q + i);
    Four<T> value = Four<T>::at(r + i);
    Sums<1> rr{};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      value.v[k] -= alpha * of_q.v[k];
      rr.v[0] += abs2(value.v[k]);
    }
    value.to(r + i);
    return rr;
  }

  OSTINATO_FUNCTION void finish(const Sums<1>& rr) {
    if (definite) {
      const int at = state->iteration % ConvergenceState::ring;
      state->alphas[at] = *rz / *pq;
      state->rzs[at] = *rz;
      state->record(rr.v[0]);
    } else if (!(*pq - *pq == 0 && *rz - *rz == 0)) {
      state->state = ConvergenceState::not_a_number;
    } else if (sign_m * *rz > 0) {
      state->break_down(Curvature::of_a, *pq);
    } else {
      state->break_down(Curvature::of_m, *rz);
    }
    state->x_is_behind = definite && state->state != ConvergenceState::not_a_number;
    if (rz_kept != nullptr) *rz_kept = *rz;
  }
};

template <class T, class V>
struct UpdateXP {
  const double *rz, *pq, *rz_new, *zq;
  const V* z;
  T* x;
  V* p;
  const ConvergenceState* state;
  T alpha = 0;
  V beta = 0;
  bool first = false;

  OSTINATO_FUNCTION bool prepare() {
    first = state->x_is_behind == 0;
    alpha = static_cast<T>(*rz / *pq);
    beta = static_cast<V>(zq == nullptr ? *rz_new / *rz : -*zq / *pq);
    return !first || state->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (first) {
      p[i] = z[i];
    } else {
      const V direction = p[i];
      x[i] += alpha * static_cast<T>(direction);
      p[i] = z[i] + beta * direction;
    }
  }
};

template <class T, class V>
struct UpdateX {
  const double *rz, *pq;
  const V* p;
  T* x;
  const ConvergenceState* state;
  T alpha = 0;

  OSTINATO_FUNCTION bool prepare() {
    alpha = static_cast<T>(*rz / *pq);
    return state->x_is_behind != 0;
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const { x[i] += alpha * static_cast<T>(p[i]); }
};

struct RoundToFloat {
  const double* from;
  float* to;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { to[i] = static_cast<float>(from[i]); }
};

}  // namespace detail

/// alpha = rz / pq;  r -= alpha q;  *rr = r . r, recorded in the state as alpha and rz are.  Breaks down unless pq has
/// the sign of A, and rz that of M: 1 for a positive definite matrix, -1 for a negative definite one. *rz_kept = rz,
/// unless rz_kept is null.
template <class T, class Space>
void update_r(const Space& space, const double* rz, const double* pq, In<T> q, Out<T> r, double* rr,
              ConvergenceState* state, double sign_a = 1, double sign_m = 1, double* rz_kept = nullptr) {
  sum(space, r.size(), detail::UpdateR<T>{rz, pq, q.data(), r.data(), state, sign_a, sign_m, rz_kept}, rr);
}

/// x += (rz / pq) p, which the step before has left to do;  p = z + beta p, where beta = rz_new / rz, or -zq / pq where
/// zq isn't null. In the first iteration, in which x isn't behind, only p = z.
template <class T, class V = T, class Space>
void update_x_p(const Space& space, const double* rz, const double* pq, const double* rz_new, const double* zq, In<V> z,
                Out<std::type_identity_t<T>> x, Out<std::type_identity_t<V>> p, const ConvergenceState* state) {
  for_each(space, x.size(), detail::UpdateXP<T, V>{rz, pq, rz_new, zq, z.data(), x.data(), p.data(), state});
}

/// x += (rz / pq) p, unless that is done already
template <class T, class V = T, class Space>
void update_x(const Space& space, const double* rz, const double* pq, In<V> p, Out<std::type_identity_t<T>> x,
              const ConvergenceState* state) {
  for_each(space, x.size(), detail::UpdateX<T, V>{rz, pq, p.data(), x.data(), state});
}

/// to = from, rounded
template <class Space>
void round_to_float(const Space& space, In<double> from, Out<float> to) {
  for_each(space, to.size(), detail::RoundToFloat{from.data(), to.data()});
}

}  // namespace ostinato

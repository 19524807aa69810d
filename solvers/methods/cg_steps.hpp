// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/solvers/recurrence/convergence_state.hpp>
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
  const sum_t<T>*rz, *pq;
  const T* q;
  T* r;
  ConvergenceState* state;
  double sign_a, sign_m;
  Slot<T> rz_kept;
  T alpha = 0;
  bool definite = false;

  OSTINATO_FUNCTION bool prepare() {
    definite = sign_a * real_part(*pq) > 0 && sign_m * real_part(*rz) > 0;
    if (definite) alpha = static_cast<T>(real_part(*rz) / real_part(*pq));
    return state->running();
  }
  OSTINATO_FUNCTION void skipped() { state->x_is_behind = 0; }

  OSTINATO_FUNCTION Sums<1, sum_t<T>> operator()(std::size_t i) const {
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

  OSTINATO_FUNCTION void finish(const Sums<1, sum_t<T>>& rr) {
    const double of_m = real_part(*rz), of_a = real_part(*pq);
    if (definite) {
      const int at = state->iteration % ConvergenceState::ring;
      state->alphas[at] = of_m / of_a;
      state->rzs[at] = of_m;
      state->record(real_part(rr.v[0]));
    } else if (!(of_a - of_a == 0 && of_m - of_m == 0)) {
      state->state = ConvergenceState::not_a_number;
    } else if (sign_m * of_m > 0) {
      state->break_down(Curvature::of_a, of_a);
    } else {
      state->break_down(Curvature::of_m, of_m);
    }
    state->x_is_behind = definite && state->state != ConvergenceState::not_a_number;
    if (rz_kept != nullptr) *rz_kept = *rz;
  }
};

/// The same where M^-1 is diagonal:  rz = r . z goes with rr, of a z that isn't stored.
template <class T>
struct UpdateRAndRz : UpdateR<T> {
  const T* inverse;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const T value = this->r[i] - this->alpha * this->q[i];
    this->r[i] = value;
    return both(value, inverse[i]);
  }
  OSTINATO_FUNCTION bool moves_fours() const { return UpdateR<T>::moves_fours() && Four<T>::fits(inverse); }
  OSTINATO_FUNCTION Sums<2> fours(std::size_t i) const requires std::same_as<T, float> {
    const Four<T> of_q = Four<T>::at(this->q + i), of_inverse = Four<T>::at(inverse + i);
    Four<T> value = Four<T>::at(this->r + i);
    Sums<2> sums{};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      value.v[k] -= this->alpha * of_q.v[k];
      sums += both(value.v[k], of_inverse.v[k]);
    }
    value.to(this->r + i);
    return sums;
  }
  OSTINATO_FUNCTION void finish(const Sums<2>& sums) { UpdateR<T>::finish({{sums.v[0]}}); }

  OSTINATO_FUNCTION static Sums<2> both(T r, T inverse) { return {{abs2(r), product_of(r, inverse * r)}}; }
};

/// r . M^-1 r
template <class T>
struct ScaledSquare {
  const T *inverse, *r;
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const { return {{product_of(r[i], inverse[i] * r[i])}}; }
};

template <class T, class V>
struct UpdateXP {
  const sum_t<V>*rz, *pq, *rz_new, *zq;
  const V* z;
  const V* inverse;  ///< null, or z is inverse[i] times this z
  T* x;
  V* p;
  const ConvergenceState* state;
  T alpha = 0;
  V beta = 0;
  bool first = false;

  OSTINATO_FUNCTION bool prepare() {
    first = state->x_is_behind == 0;
    alpha = static_cast<T>(real_part(*rz) / real_part(*pq));
    beta = static_cast<V>(zq == nullptr ? *rz_new / real_part(*rz) : -conj(*zq) / real_part(*pq));
    return !first || state->running();
  }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const V of_m = inverse == nullptr ? z[i] : inverse[i] * z[i];
    if (first) {
      p[i] = of_m;
    } else {
      const V direction = p[i];
      x[i] += alpha * static_cast<T>(direction);
      p[i] = of_m + beta * direction;
    }
  }
};

template <class T, class V>
struct UpdateX {
  const sum_t<V>*rz, *pq;
  const V* p;
  T* x;
  const ConvergenceState* state;
  T alpha = 0;

  OSTINATO_FUNCTION bool prepare() {
    alpha = static_cast<T>(real_part(*rz) / real_part(*pq));
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
void update_r(const Space& space, const sum_t<T>* rz, const sum_t<T>* pq, In<T> q, Out<T> r, Slot<T> rr,
              ConvergenceState* state, double sign_a = 1, double sign_m = 1, Slot<T> rz_kept = nullptr) {
  sum(space, r.size(), detail::UpdateR<T>{rz, pq, q.data(), r.data(), state, sign_a, sign_m, rz_kept}, rr);
}

/// The same with M^-1 = diag(inverse):  sums[0] = r . r, sums[1] = r . M^-1 r
template <class T, class Space>
void update_r_and_rz(const Space& space, const sum_t<T>* rz, const sum_t<T>* pq, In<T> q, const T* inverse, Out<T> r,
                     Slot<T> sums, ConvergenceState* state, double sign_a = 1, double sign_m = 1) {
  const detail::UpdateR<T> update{rz, pq, q.data(), r.data(), state, sign_a, sign_m, nullptr};
  sum(space, r.size(), detail::UpdateRAndRz<T>{update, inverse}, sums);
}

/// *slot = r . diag(inverse) r
template <class T, class Space>
void scaled_square(const Space& space, const T* inverse, In<T> r, Slot<T> slot) {
  sum(space, r.size(), detail::ScaledSquare<T>{inverse, r.data()}, slot);
}

/// x += (rz / pq) p, which the step before has left to do;  p = z + beta p, where beta = rz_new / rz, or -zq / pq where
/// zq isn't null. In the first iteration, in which x isn't behind, only p = z. Where `inverse` isn't null, z is
/// diag(inverse) times the given one.
template <class T, class V = T, class Space>
void update_x_p(const Space& space, const sum_t<V>* rz, const sum_t<V>* pq, const sum_t<V>* rz_new, const sum_t<V>* zq,
                In<V> z, Out<std::type_identity_t<T>> x, Out<std::type_identity_t<V>> p, const ConvergenceState* state,
                const V* inverse = nullptr) {
  for_each(space, x.size(), detail::UpdateXP<T, V>{rz, pq, rz_new, zq, z.data(), inverse, x.data(), p.data(), state});
}

/// x += (rz / pq) p, unless that is done already
template <class T, class V = T, class Space>
void update_x(const Space& space, const sum_t<V>* rz, const sum_t<V>* pq, In<V> p, Out<std::type_identity_t<T>> x,
              const ConvergenceState* state) {
  for_each(space, x.size(), detail::UpdateX<T, V>{rz, pq, p.data(), x.data(), state});
}

/// to = from, rounded
template <class Space>
void round_to_float(const Space& space, In<double> from, Out<float> to) {
  for_each(space, to.size(), detail::RoundToFloat{from.data(), to.data()});
}

}  // namespace ostinato

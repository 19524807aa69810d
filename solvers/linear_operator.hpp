// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <span>

#include <ostinato/solvers/steps.hpp>

namespace ostinato {

/// What the solvers ask of a matrix: Operator, or any class of yours (a stencil that is never stored, say).
///
///   using value_type = double;                  or float
///   rows(), cols()
///   apply(alpha, x, beta, y) const              y = alpha A x + beta y; beta = 0 overwrites y, even NaN.
///                                               On Cuda x and y are device memory and the work goes on the stream.
/// Optional:
///   apply_dot(x, y, w, slot) const              y = A x, *slot = w . y; the slot is in the memory of the space
///   bool residual(x, b, r, slot) const          r = b - A x, *slot = r . r; false when it did nothing
///   revision() const                            changes when apply begins to do its work in another way, so that a
///   recording
///                                               of it is out of date
///   bytes() const                               stored for the matrix
template <class A>
concept LinearOperator = requires(const A& a, typename A::value_type s, std::span<const typename A::value_type> x,
                                  std::span<typename A::value_type> y) {
  { a.rows() } -> std::convertible_to<std::size_t>;
  { a.cols() } -> std::convertible_to<std::size_t>;
  a.apply(s, x, s, y);
};

/// True for a preconditioner that changes nothing: solvers then use r in the place of z.
template <class M>
inline constexpr bool is_identity = requires {
  typename M::is_identity;
};

/// What the solvers ask of a preconditioner: apply(r, z) sets z = M^-1 r, enqueued. r and z don't overlap.
template <class M, class T>
concept Preconditioner = is_identity<M> || requires(const M& m, std::span<const T> r, std::span<T> z) {
  m.apply(r, z);
};

/// y = A x;  *slot = w . y
template <class Space, LinearOperator A>
void apply_dot(const Space& space, const A& a, In<typename A::value_type> x, Out<typename A::value_type> y,
               In<typename A::value_type> w, double* slot) {
  if constexpr (requires { a.apply_dot(x, y, w, slot); }) {
    a.apply_dot(x, y, w, slot);
  } else {
    a.apply(1, x, 0, y);
    dot<typename A::value_type>(space, w, y, slot);
  }
}

/// r = b - A x;  *slot = r . r
template <class Space, LinearOperator A>
void residual(const Space& space, const A& a, In<typename A::value_type> x, In<typename A::value_type> b,
              Out<typename A::value_type> r, double* slot) {
  if constexpr (requires { a.residual(x, b, r, slot); }) {
    if (a.residual(x, b, r, slot)) return;
  }
  a.apply(1, x, 0, r);
  residual<typename A::value_type>(space, b, r, r, slot);
}

/// What says whether a recording of the operator is up to date.
template <class A>
int revision(const A& a) {
  if constexpr (requires { a.revision(); }) {
    return a.revision();
  } else {
    return 0;
  }
}

/// z = M^-1 r;  *slot = r . z
template <class T, class Space, class M>
void precondition_dot(const Space& space, const M& m, In<T> r, Out<T> z, double* slot) {
  if constexpr (is_identity<M>) {
    dot<T>(space, r, r, slot);
  } else if constexpr (requires { m.apply_dot(r, z, slot); }) {
    m.apply_dot(r, z, slot);
  } else {
    m.apply(r, z);
    dot<T>(space, r, z, slot);
  }
}

}  // namespace ostinato

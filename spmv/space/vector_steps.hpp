// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

// Steps on vectors that solvers, preconditioners and operators share, each named by what it changes. Scalars (double*)
// are in the memory of the space. All steps are enqueued and take no device memory.

namespace ostinato {

/// What a step reads: anything that converts to a span. T is deduced from what it writes, or given.
template <class T>
using In = std::span<const std::type_identity_t<T>>;
/// What a step writes.
template <class T>
using Out = std::span<T>;

/// y = x
template <class T, class Space>
void copy(const Space& space, In<T> x, Out<T> y) {
  space.copy(y.data(), x.data(), x.size_bytes());
}

/// y = a x
template <class T, class Space>
void scale(const Space& space, T a, In<T> x, Out<T> y);

/// *slot = x . y
template <class T, class Space>
void dot(const Space& space, In<T> x, In<T> y, double* slot);

/// r = b - q,  *rr = r . r.  r may be q.
template <class T, class Space>
void subtract_from(const Space& space, In<T> b, In<T> q, Out<T> r, double* rr);

/// z = d * r, element by element
template <class T, class Space>
void multiply(const Space& space, In<T> d, In<T> r, Out<T> z);

/// z = d * r, element by element;  *slot = r . z
template <class T, class Space>
void multiply_dot(const Space& space, In<T> d, In<T> r, Out<T> z, double* slot);

}  // namespace ostinato

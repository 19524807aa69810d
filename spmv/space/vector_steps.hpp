// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include <ostinato/spmv/base/lengths.hpp>
#include <ostinato/spmv/base/scalar.hpp>

// Vector operations that solvers, preconditioners and operators share. Scalars (Slot<T>) are in the memory of the
// space. x . y is the sum of conj(x(i)) y(i). On Cuda all operations are enqueued. No operation allocates device
// memory. A vector that is too short is a DimensionError.

namespace ostinato {

/// An input: any argument that converts to a span. T is deduced from an output, or given explicitly.
template <class T>
using In = std::span<const std::type_identity_t<T>>;
/// An output.
template <class T>
using Out = std::span<T>;

/// y = x
template <class T, class Space>
void copy(const Space& space, In<T> x, Out<T> y) {
  detail::require_length("copy", x.size(), y.size());
  space.copy(y.data(), x.data(), x.size_bytes());
}

/// y = a x
template <class T, class Space>
void scale(const Space& space, T a, In<T> x, Out<T> y);

/// *slot = x . y
template <class T, class Space>
void dot(const Space& space, In<T> x, In<T> y, Slot<T> slot);

/// r = b - q,  *rr = r . r.  r and q may be the same vector.
template <class T, class Space>
void subtract_from(const Space& space, In<T> b, In<T> q, Out<T> r, Slot<T> rr);

/// z = d * r, element by element
template <class T, class Space>
void multiply(const Space& space, In<T> d, In<T> r, Out<T> z);

/// z = d * r, element by element;  *slot = r . z
template <class T, class Space>
void multiply_dot(const Space& space, In<T> d, In<T> r, Out<T> z, Slot<T> slot);

}  // namespace ostinato

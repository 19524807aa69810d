// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/vector_steps.hpp>

#include <algorithm>

#include <ostinato/spmv/space/vector_steps_view.hpp>

namespace ostinato {

template <class T, class Space>
void scale(const Space& space, T a, In<T> x, Out<T> y) {
  detail::require_length("scale", y.size(), x.size());
  for_each(space, y.size(), detail::Scale<T>{a, x.data(), y.data()});
}

template <class T, class Space>
void dot(const Space& space, In<T> x, In<T> y, Slot<T> slot) {
  detail::require_length("dot", x.size(), y.size());
  sum(space, x.size(), Dot<T>{x.data(), y.data()}, slot);
}

template <class T, class Space>
void subtract_from(const Space& space, In<T> b, In<T> q, Out<T> r, Slot<T> rr) {
  detail::require_length("subtract_from", r.size(), std::min(b.size(), q.size()));
  sum(space, r.size(), detail::SubtractFrom<T>{b.data(), q.data(), r.data()}, rr);
}

template <class T, class Space>
void multiply(const Space& space, In<T> d, In<T> r, Out<T> z) {
  detail::require_length("multiply", z.size(), std::min(d.size(), r.size()));
  for_each(space, z.size(), detail::Multiply<T>{d.data(), r.data(), z.data()});
}

template <class T, class Space>
void multiply_dot(const Space& space, In<T> d, In<T> r, Out<T> z, Slot<T> slot) {
  detail::require_length("multiply_dot", z.size(), std::min(d.size(), r.size()));
  sum(space, z.size(), detail::MultiplyDot<T>{d.data(), r.data(), z.data()}, slot);
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace detail {

template <class T>
struct Pick {
  const Index* at;
  const T* from;
  T* to;
  OSTINATO_FUNCTION void operator()(std::size_t k) const { to[k] = from[at[k]]; }
};

template <class T>
struct Put {
  const Index* at;
  const T* from;
  T* to;
  OSTINATO_FUNCTION void operator()(std::size_t k) const { to[at[k]] = from[k]; }
};

}  // namespace detail

/// to[k] = from[at[k]]
template <class Local, class T>
void pick(const Local& space, const Vector<Local, Index>& at, const T* from, T* to) {
  if (at.size() > 0) for_each(space, at.size(), detail::Pick<T>{at.data(), from, to});
}

/// to[at[k]] = from[k]
template <class Local, class T>
void put(const Local& space, const Vector<Local, Index>& at, const T* from, T* to) {
  if (at.size() > 0) for_each(space, at.size(), detail::Put<T>{at.data(), from, to});
}

}  // namespace ostinato

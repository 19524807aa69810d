// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of renumber.hpp, for both spaces.

#include <cstddef>

#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/function.hpp>
#include <ostinato/spmv/space/index.hpp>

namespace ostinato::detail {

/// to[i] := from[order[i]].
template <class T>
struct TakeElements {
  const T* from;
  const Index* order;
  T* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { to[i] = from[order[i]]; }
};

/// to[order[i]] := from[i].
template <class T>
struct PutElements {
  const T* from;
  const Index* order;
  T* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { to[order[i]] = from[i]; }
};

}  // namespace ostinato::detail

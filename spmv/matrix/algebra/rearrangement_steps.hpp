// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of rearrangement.hpp, for both spaces.

#include <cstddef>

#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/function.hpp>
#include <ostinato/spmv/space/index.hpp>

namespace ostinato::detail {

/// to[k] := values[from[k]].
template <class T>
struct Gather {
  const T* values;
  const Offset* from;
  T* to;

  OSTINATO_FUNCTION void operator()(std::size_t k) const { to[k] = values[from[k]]; }
};

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of renumber.hpp, for both spaces, which other code takes, too.

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::detail {

/// to[i] := from[at[i]].
template <class T, class At = Index>
struct GatherElements {
  const T* from;
  const At* at;
  T* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { to[i] = from[at[i]]; }
};

/// to[at[i]] := value[i]; null stands for i.
template <class T>
struct ScatterElements {
  const Index* at;
  const T* value;
  T* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    to[at[i]] = value != nullptr ? value[i] : static_cast<T>(i);
  }
};

}  // namespace ostinato::detail

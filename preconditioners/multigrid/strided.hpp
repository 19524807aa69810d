// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/index.hpp>

namespace ostinato::multigrid {

/// The elements of a vector that belong to one unknown of each point.
template <class T>
struct Strided {
  T* first;
  Index step = 1;  ///< 1, or the number of unknowns that stand one behind the other at each point

  OSTINATO_FUNCTION T& operator[](std::size_t i) const { return first[i * static_cast<std::size_t>(step)]; }
};

}  // namespace ostinato::multigrid

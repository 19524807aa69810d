// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <ostinato/spmv/base/index.hpp>

// Lists of rows or columns by their numbers, ascending.

namespace ostinato::detail {

/// Sorts the numbers, and keeps each once.
inline void unite(std::vector<Index>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// How many of the numbers are less: the place of one that is there.
inline Index place_in(const std::vector<Index>& numbers, Index number) {
  return static_cast<Index>(std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin());
}

}  // namespace ostinato::detail

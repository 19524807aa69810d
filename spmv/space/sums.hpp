// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/function.hpp>

namespace ostinato {

/// Consecutive elements, or rows, that are summed up apart from the others, in one order: in every space, and on ranks,
/// which have whole blocks of them. So the bits of a sum depend on neither threads nor ranks.
inline constexpr int sum_block = 2048;

/// Rows that a warp of a GPU sums up.
inline constexpr int warp_rows = 32;

/// K sums that are accumulated together, in double precision or, with S = sum_t of a complex type, in complex<double>.
template <int K, class S = double>
struct Sums {
  using value_type = S;
  static constexpr int count = K;
  S v[K] = {};

  OSTINATO_FUNCTION Sums& operator+=(const Sums& other) {
    for (int k = 0; k < K; ++k) v[k] += other.v[k];
    return *this;
  }
};

}  // namespace ostinato

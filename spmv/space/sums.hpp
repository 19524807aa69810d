// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/function.hpp>

namespace ostinato {

/// K sums in double precision that are accumulated together.
template <int K>
struct Sums {
  static constexpr int count = K;
  double v[K] = {};

  OSTINATO_FUNCTION Sums& operator+=(const Sums& other) {
    for (int k = 0; k < K; ++k) v[k] += other.v[k];
    return *this;
  }
};

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

#include "support/matrices.hpp"

namespace ostinato::test {

/// A random matrix with a tiny diagonal whose largest entries are scattered: hard without matching and factors.
template <class T>
Csr<T> hard_matrix(Index n, double diagonal = 1e-3) {
  Random random(5);
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, (7 * i + 3) % n, static_cast<T>(10 + 5 * signed_unit(random))});
    for (int k = 0; k < 3; ++k) {
      const Index j = below(random, n);
      if (i != j) t.push_back({i, j, static_cast<T>(3 * signed_unit(random))});
    }
    if (diagonal > 0) t.push_back({i, i, static_cast<T>(diagonal * (i % 2 == 0 ? 1 : -1))});
  }
  Csr<T> a = from_triplets<T>(n, n, t);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const T size = static_cast<T>(std::pow(10.0, static_cast<double>(i % 5) - 2));
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      a.val[k] *= size;
  }
  return a;
}

}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>

#include "support/matrices.hpp"

// Matrices without a grid that an analysis would find.

namespace ostinato::test {

/// The same matrix with rows and columns in a random order, the same one for both.
template <class T>
Csr<T> renumbered(const Csr<T>& a, std::uint64_t seed = 1) {
  std::vector<Index> place(static_cast<std::size_t>(a.rows));
  std::iota(place.begin(), place.end(), Index{0});
  Random random(seed);
  for (Index i = a.rows - 1; i > 0; --i)
    std::swap(place[static_cast<std::size_t>(i)], place[static_cast<std::size_t>(below(random, i + 1))]);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      triplets.push_back({place[static_cast<std::size_t>(i)],
                          place[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])],
                          a.val[static_cast<std::size_t>(k)]});
  }
  return from_triplets<T>(a.rows, a.cols, triplets);
}

/// The Laplacian of a ring with random chords and weights of e^-size .. e^size, and `extra` on the diagonal; symmetric.
/// Some entries may be positive: about one in `positive`.
template <class T>
Csr<T> graph_laplacian(Index n, int edges, double size, double extra, std::uint64_t seed, int positive = 0) {
  Random random(seed);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) triplets.push_back({i, i, static_cast<T>(extra)});
  for (Index e = 0; n > 1 && e < n * edges; ++e) {
    const Index i = e < n ? e : below(random, n), j = e < n ? (e + 1) % n : below(random, n);
    if (i == j) continue;
    const T w = static_cast<T>(std::exp(size * signed_unit(random)));
    const T sign = positive > 0 && below(random, positive) == 0 ? T{1} : T{-1};
    triplets.insert(triplets.end(), {{i, j, sign * w}, {j, i, sign * w}, {i, i, w}, {j, j, w}});
  }
  return from_triplets<T>(n, n, triplets);
}

template <class T>
Csr<T> times(Csr<T> a, double factor) {
  for (T& v : a.val) v = static_cast<T>(static_cast<double>(v) * factor);
  return a;
}

}  // namespace ostinato::test

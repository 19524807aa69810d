// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

#include "support/matrices.hpp"

namespace ostinato::test {

/// The coupling of a point with the point at steps (dx, dy, dz) from it. A coefficient of 0 leaves the entry out.
using Coupling = std::function<double(Index x, Index y, Index z, int dx, int dy, int dz)>;

/// The coordinate of a point at most one step outside of an axis, if the axes in `around` (1 for x, 2 for y, 4 for z)
/// are periodic.
inline Index come_around(Index at, Index extent, int around, int axis) {
  return (around >> axis & 1) != 0 ? (at + extent) % extent : at;
}

/// The matrix whose off-diagonal entries are -coupling. `extra` is added to the sum of a row's couplings, those that
/// lead out of the grid (Dirichlet) included, to give the diagonal. The axes in `around` are periodic.
template <class T>
Csr<T> grid_matrix(const Extents& e, const Coupling& coupling, double extra = 0, int around = 0) {
  std::vector<Triplet<T>> triplets;
  for (Index z = 0; z < e.z; ++z) {
    for (Index y = 0; y < e.y; ++y) {
      for (Index x = 0; x < e.x; ++x) {
        const auto row = static_cast<Index>(e.number(x, y, z));
        double diagonal = extra;
        for (int k = 0; k < 27; ++k) {
          const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
          const double c = k == 13 ? 0 : coupling(x, y, z, dx, dy, dz);
          if (c == 0) continue;
          diagonal += c;
          const Index nx = come_around(x + dx, e.x, around, 0), ny = come_around(y + dy, e.y, around, 1),
                      nz = come_around(z + dz, e.z, around, 2);
          if (!e.contains(nx, ny, nz)) continue;
          triplets.push_back({row, static_cast<Index>(e.number(nx, ny, nz)), static_cast<T>(-c)});
        }
        triplets.push_back({row, row, static_cast<T>(diagonal)});
      }
    }
  }
  return from_triplets<T>(static_cast<Index>(e.points()), static_cast<Index>(e.points()), triplets);
}

/// Whether a grid has the axes of a step.
inline bool has_axes(const Extents& e, int dx, int dy, int dz) {
  return (dx == 0 || e.x > 1) && (dy == 0 || e.y > 1) && (dz == 0 || e.z > 1);
}

/// Couplings of 1: with the 2, 4 or 6 neighbours along the axes, or with all.
inline Coupling laplacian(const Extents& e, bool star) {
  return [=](Index, Index, Index, int dx, int dy, int dz) {
    return has_axes(e, dx, dy, dz) && (!star || std::abs(dx) + std::abs(dy) + std::abs(dz) == 1) ? 1.0 : 0.0;
  };
}

/// The same with couplings between e^-size and e^size that differ from point to point; symmetric.
inline Coupling varied(const Extents& e, bool star, double size) {
  return [=, plain = laplacian(e, star)](Index x, Index y, Index z, int dx, int dy, int dz) {
    const double c = plain(x, y, z, dx, dy, dz);
    if (c == 0) return 0.0;
    // The number of the edge: twice the sum of its points, in each coordinate.
    const auto n = static_cast<std::uint64_t>((2 * x + dx + 3) + 1000 * (2 * y + dy + 3) + 1000000 * (2 * z + dz + 3));
    const int axes = std::abs(dx) + 3 * std::abs(dy) + 9 * std::abs(dz);
    std::uint64_t hash = (n * 27 + static_cast<std::uint64_t>(axes)) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 31)) * 0xbf58476d1ce4e5b9u;
    return std::exp(size * (static_cast<double>(hash >> 11) * 0x1p-52 - 1));
  };
}

/// Couplings that are the same from both points where a step leads around an axis.
inline Coupling symmetric_around(const Extents& e, int around, const Coupling& coupling) {
  return [=](Index x, Index y, Index z, int dx, int dy, int dz) {
    const Index nx = come_around(x + dx, e.x, around, 0), ny = come_around(y + dy, e.y, around, 1),
                nz = come_around(z + dz, e.z, around, 2);
    if (dx + 3 * dy + 9 * dz < 0 || !e.contains(nx, ny, nz)) return coupling(x, y, z, dx, dy, dz);
    return coupling(nx, ny, nz, -dx, -dy, -dz);
  };
}

}  // namespace ostinato::test

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdlib>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/stencil.hpp>

// Stencils, and their matrices entry by entry.

namespace ostinato::test {

/// The matrix of a stencil. Terms of coefficient 0 are left out.
template <class T>
Csr<T> stencil_matrix(const Stencil& s) {
  const Extents& e = s.extents;
  const auto around = [](const Boundaries& b, Index at, Index extent) {
    return b.begin == Boundary::periodic ? (at + extent) % extent : at;
  };
  const auto stays = [](const Boundaries& b, Index at, Index extent) {
    if (at >= 0 && at < extent) return true;
    return (at < 0 ? b.begin : b.end) == Boundary::neumann;
  };
  std::vector<Triplet<T>> triplets;
  for (Index z = 0; z < e.z; ++z) {
    for (Index y = 0; y < e.y; ++y) {
      for (Index x = 0; x < e.x; ++x) {
        const auto row = static_cast<Index>(e.number(x, y, z));
        double diagonal = 0;
        for (const StencilTerm& t : s.terms) {
          const Index nx = around(s.x, x + t.dx, e.x), ny = around(s.y, y + t.dy, e.y), nz = around(s.z, z + t.dz, e.z);
          if (!stays(s.x, nx, e.x) || !stays(s.y, ny, e.y) || !stays(s.z, nz, e.z)) continue;
          const double c = s.coefficient ? s.coefficient(x, y, z, t.dx, t.dy, t.dz) : t.coefficient;
          const bool own = (nx == x && ny == y && nz == z) || !e.contains(nx, ny, nz);
          if (own) diagonal += c;
          if (!own && c != 0) triplets.push_back({row, static_cast<Index>(e.number(nx, ny, nz)), static_cast<T>(c)});
        }
        if (diagonal != 0) triplets.push_back({row, row, static_cast<T>(diagonal)});
      }
    }
  }
  return from_triplets<T>(static_cast<Index>(e.points()), static_cast<Index>(e.points()), triplets);
}

/// All steps of a grid's axes, along one axis at most in a star, each with a coefficient that `of(k)` gives.
template <class F>
Stencil stencil_of(const Extents& e, bool star, F of) {
  Stencil stencil{.extents = e};
  for (int k = 0; k < 27; ++k) {
    const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
    const bool has = (dz == 0 || e.z > 1) && (dy == 0 || e.y > 1 || e.z > 1);
    if (has && (!star || std::abs(dx) + std::abs(dy) + std::abs(dz) <= 1)) stencil.terms.push_back({dx, dy, dz, of(k)});
  }
  return stencil;
}

/// -1 for each neighbour, and their number on the diagonal.
inline Stencil laplacian_stencil(const Extents& e, bool star) {
  Stencil stencil = stencil_of(e, star, [](int) { return -1.0; });
  for (StencilTerm& t : stencil.terms) {
    if (t.dx == 0 && t.dy == 0 && t.dz == 0) t.coefficient = static_cast<double>(stencil.terms.size()) - 1;
  }
  return stencil;
}

/// A different coefficient for each neighbour.
inline Stencil unsymmetric_stencil(const Extents& e, bool star) {
  return stencil_of(e, star, [](int k) { return k == 13 ? 9.0 : 0.1 * k - 1.45; });
}

/// Makes the sides whose bits are set Neumann: the begin and the end of x, y and z.
inline Stencil with_neumann(Stencil stencil, int sides) {
  Boundary* const all[] = {&stencil.x.begin, &stencil.x.end,   &stencil.y.begin,
                           &stencil.y.end,   &stencil.z.begin, &stencil.z.end};
  for (int k = 0; k < 6; ++k) {
    if (sides >> k & 1) *all[k] = Boundary::neumann;
  }
  return stencil;
}

/// Makes axes periodic: 1 for x, 2 for y, 4 for z.
inline Stencil with_periodic(Stencil stencil, int axes) {
  Boundaries* const all[] = {&stencil.x, &stencil.y, &stencil.z};
  for (int k = 0; k < 3; ++k) {
    if (axes >> k & 1) *all[k] = {Boundary::periodic, Boundary::periodic};
  }
  return stencil;
}

/// A coefficient that differs from point to point; unsymmetric.
inline double varying(Index x, Index y, Index z, int dx, int dy, int dz) {
  return std::sin(1.0 + 0.7 * x + 1.3 * y + 2.9 * z + dx + 3 * dy + 9 * dz);
}

}  // namespace ostinato::test

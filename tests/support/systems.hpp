// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

#include "support/matrices.hpp"

// Matrices with several unknowns at each point of a grid, and on periodic grids.

namespace ostinato::test {

/// The row of an unknown: numbered by point, or by field.
struct Numbering {
  Extents grid;
  int unknowns;
  bool by_field;

  Index operator()(std::size_t point, int unknown) const {
    const auto u = static_cast<std::size_t>(unknown), k = static_cast<std::size_t>(unknowns);
    return static_cast<Index>(by_field ? u * grid.points() + point : point * k + u);
  }
  Index rows() const { return static_cast<Index>(grid.points()) * unknowns; }
};

/// Several unknowns at each row of a matrix, which couple with themselves as the row does, and with the others `share`
/// times as strongly.
template <class T>
Csr<T> with_unknowns(const Csr<T>& a, int unknowns, bool by_field, double share) {
  const Numbering number{{a.rows}, unknowns, by_field};
  std::vector<Triplet<T>> triplets;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      const auto j = static_cast<std::size_t>(a.col[k]);
      for (int u = 0; u < unknowns; ++u) {
        for (int v = 0; v < unknowns; ++v)
          triplets.push_back({number(i, u), number(j, v), u == v ? a.val[k] : static_cast<T>(share) * a.val[k]});
      }
    }
  }
  return from_triplets<T>(number.rows(), number.rows(), triplets);
}

/// Makes the rows for which is_held(row) is true those of the identity; their columns stay, unless `columns`.
template <class T, class F>
Csr<T> hold(const Csr<T>& a, bool columns, F is_held) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < a.rows; ++i) {
    if (is_held(i)) triplets.push_back({i, i, T{1}});
    for (Offset k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const Index j = a.col[static_cast<std::size_t>(k)];
      if (!is_held(i) && !(columns && is_held(j))) triplets.push_back({i, j, a.val[static_cast<std::size_t>(k)]});
    }
  }
  return from_triplets<T>(a.rows, a.cols, triplets);
}

/// The stiffness of an element, a square or cube of side 1 with linear shape functions: entry (n, u), (m, v) is at
/// ((n d + u) corners + m) d + v. Young's modulus 1; plane strain in two dimensions.
inline std::vector<double> elastic_element(int d, double poisson) {
  const int corners = 1 << d;
  const double lambda = poisson / (1 + poisson) / (1 - 2 * poisson), mu = 0.5 / (1 + poisson);
  std::vector<double> element(static_cast<std::size_t>(corners * d * corners * d));
  for (int q = 0; q < corners; ++q) {  // two points of Gauss an axis
    std::vector<double> slope(static_cast<std::size_t>(corners * d));
    for (int n = 0; n < corners; ++n) {
      for (int axis = 0; axis < d; ++axis) {
        double product = 1;
        for (int k = 0; k < d; ++k) {
          const double at = 0.5 + ((q >> k & 1) - 0.5) / std::sqrt(3.0);
          const bool far = n >> k & 1;
          product *= k == axis ? (far ? 1 : -1) : far ? at : 1 - at;
        }
        slope[static_cast<std::size_t>(n * d + axis)] = product;
      }
    }
    for (int nu = 0; nu < corners * d; ++nu) {
      for (int mv = 0; mv < corners * d; ++mv) {
        const int n = nu / d, u = nu % d, m = mv / d, v = mv % d;
        const auto s = [&](int corner, int axis) { return slope[static_cast<std::size_t>(corner * d + axis)]; };
        double value = lambda * s(n, u) * s(m, v) + mu * s(n, v) * s(m, u);
        for (int k = 0; u == v && k < d; ++k) value += mu * s(n, k) * s(m, k);
        element[static_cast<std::size_t>(nu * corners * d + mv)] += value / corners;
      }
    }
  }
  return element;
}

/// Elasticity with a displacement at each point; the points at x = -1, which the matrix doesn't have, are held.
template <class T>
Csr<T> elasticity(const Extents& e, bool by_field, double poisson = 0.3) {
  const int d = e.z > 1 ? 3 : 2, corners = 1 << d;
  const std::vector<double> element = elastic_element(d, poisson);
  const Numbering number{e, d, by_field};
  std::vector<Triplet<T>> triplets;
  for (Index z = 0; z < (d == 3 ? e.z - 1 : 1); ++z) {
    for (Index y = 0; y < e.y - 1; ++y) {
      for (Index x = -1; x < e.x - 1; ++x) {
        const auto point = [&](int corner) {
          return e.number(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2));
        };
        const auto is_held = [&](int corner) { return x + (corner & 1) < 0; };
        for (int n = 0; n < corners; ++n) {
          for (int m = 0; m < corners; ++m) {
            if (is_held(n) || is_held(m)) continue;
            for (int u = 0; u < d; ++u) {
              for (int v = 0; v < d; ++v)
                triplets.push_back(
                    {number(point(n), u), number(point(m), v),
                     static_cast<T>(element[static_cast<std::size_t>(((n * d + u) * corners + m) * d + v)])});
            }
          }
        }
      }
    }
  }
  return from_triplets<T>(number.rows(), number.rows(), triplets);
}

/// Unknown u diffuses with coefficient 1 + u and turns into the others at a rate: of the order of the diffusion over
/// the whole grid, times `strength`. Symmetric.
template <class T>
Csr<T> reaction_diffusion(const Extents& e, int unknowns, bool by_field, double strength = 1) {
  const Numbering number{e, unknowns, by_field};
  const double rate = strength * 30 / (static_cast<double>(e.x) * static_cast<double>(e.x));
  std::vector<Triplet<T>> triplets;
  for (std::size_t i = 0; i < e.points(); ++i) {
    const auto p = static_cast<Index>(i);
    const Index x = p % e.x, y = p / e.x % e.y, z = p / e.x / e.y;
    for (int u = 0; u < unknowns; ++u) {
      double own = rate * (unknowns - 1);
      for (int k = 0; k < 6; ++k) {
        const int axis = k / 2, d = k % 2 * 2 - 1;
        if ((axis == 1 && e.y == 1) || (axis == 2 && e.z == 1)) continue;
        own += 1 + u;
        const Index nx = x + (axis == 0 ? d : 0), ny = y + (axis == 1 ? d : 0), nz = z + (axis == 2 ? d : 0);
        if (e.contains(nx, ny, nz))
          triplets.push_back({number(i, u), number(e.number(nx, ny, nz), u), static_cast<T>(-1 - u)});
      }
      triplets.push_back({number(i, u), number(i, u), static_cast<T>(own)});
      for (int v = 0; v < unknowns; ++v) {
        if (v != u) triplets.push_back({number(i, u), number(i, v), static_cast<T>(-rate)});
      }
    }
  }
  return from_triplets<T>(number.rows(), number.rows(), triplets);
}

/// -laplace(u) + extra u, with ends of the axes in `around` (1 for x, 2 for y, 4 for z) beside each other. Axes that
/// don't go around end at points where u = 0.
template <class T>
Csr<T> periodic_laplacian(const Extents& e, int around, bool star, double extra = 0) {
  std::vector<Triplet<T>> triplets;
  const Index n[3] = {e.x, e.y, e.z};
  for (std::size_t i = 0; i < e.points(); ++i) {
    const auto p = static_cast<Index>(i);
    double own = extra;
    for (int k = 0; k < 27; ++k) {
      const int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      const int axes = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
      Index at[3] = {p % e.x, p / e.x % e.y, p / e.x / e.y};
      bool has = axes > 0 && (!star || axes == 1);
      for (int axis = 0; axis < 3; ++axis) {
        has = has && (d[axis] == 0 || n[axis] > 1);
        at[axis] += d[axis];
        if (around >> axis & 1) at[axis] = (at[axis] + n[axis]) % n[axis];
      }
      if (!has) continue;
      own += 1;
      if (e.contains(at[0], at[1], at[2]))
        triplets.push_back({p, static_cast<Index>(e.number(at[0], at[1], at[2])), T{-1}});
    }
    triplets.push_back({p, p, static_cast<T>(own)});
  }
  return from_triplets<T>(static_cast<Index>(e.points()), static_cast<Index>(e.points()), triplets);
}

}  // namespace ostinato::test

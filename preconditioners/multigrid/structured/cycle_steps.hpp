// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps of a cycle of structured multigrid, as functors for both spaces. The operators are scaled, so that their
// centre is 1 and isn't read, and a step of damped Jacobi adds omega times the residual. Vectors have room before and
// behind, where they are 0, so that a neighbour outside the grid may be read; the coefficient there is 0.

#include <cstdint>

#include <ostinato/preconditioners/multigrid/structured/hierarchy_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/stencil.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::multigrid {

/// (A x)(i)
template <class Shape>
OSTINATO_FUNCTION float product(const Coefficients& a, const float* x, Index px, Index py, Index pz, std::size_t i) {
  const float* own = x + i;
  float total = own[0];
  if (a.is_middle(px, py, pz)) {
    for_coefficients<Shape>([&](int c, auto k) {
      constexpr Step d = Step::of(decltype(k)::value);
      total += a.middle[c] * own[d.distance(a.grid)];
    });
    return total;
  }
  const float* coefficient = a.a + a.at(px, py, pz, i);
  const std::size_t stride = a.stride();
  for_coefficients<Shape>([&](int c, auto k) {
    constexpr Step d = Step::of(decltype(k)::value);
    total += coefficient[static_cast<std::size_t>(c) * stride] * own[d.distance(a.grid)];
  });
  return total;
}

/// The same for the points of a column, with all loads before the results are used: out[k] = (A x)(i + k-th step).
template <class Shape>
OSTINATO_FUNCTION void products(const Coefficients& a, const float* x, Index px, Index py, Index pz, std::size_t i,
                                float (&out)[column_points]) {
  constexpr Step end = Shape::along(column_points - 1);
  if (!a.is_middle(px, py, pz) || !a.is_middle(px + end.x, py + end.y, pz + end.z)) {
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      const Step s = Shape::along(k);
      out[k] = product<Shape>(a, x, px + s.x, py + s.y, pz + s.z,
                              i + static_cast<std::size_t>(s.distance(a.grid)));
    }
    return;
  }
  const float* own = x + i;
#pragma unroll
  for (int k = 0; k < column_points; ++k) {
    out[k] = own[Shape::along(k).distance(a.grid)];
    for_coefficients<Shape>([&](int c, auto n) {
      constexpr Step d = Step::of(decltype(n)::value);
      out[k] += a.middle[c] * own[(d + Shape::along(k)).distance(a.grid)];
    });
  }
}

/// b = r / root
template <class T>
struct Enter {
  Coefficients grid;  ///< a: 1 / root
  const T* r;
  float* b;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const std::size_t i = grid.grid.number(x, y, z);
    b[i] = static_cast<float>(static_cast<T>(grid.a[grid.at(x, y, z, i)]) * r[i]);
  }
  OSTINATO_FUNCTION void column(Index x, Index y, Index z) const {
    const bool deep = grid.grid.z > 1;
    const std::size_t i = grid.grid.number(x, y, z);
    const Step along{0, deep ? 0 : 1, deep ? 1 : 0};
    const auto step = static_cast<std::size_t>(along.distance(grid.grid));
    float value[column_points];
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      const std::size_t n = i + static_cast<std::size_t>(k) * step;
      value[k] = static_cast<float>(static_cast<T>(grid.a[grid.at(x, y + k * along.y, z + k * along.z, n)]) * r[n]);
    }
#pragma unroll
    for (int k = 0; k < column_points; ++k) b[i + static_cast<std::size_t>(k) * step] = value[k];
  }
};

/// out = b - c A x
template <class Shape>
struct Residual {
  Coefficients a;
  const float *b, *x;
  float c;
  float* out;

  OSTINATO_FUNCTION void operator()(Index px, Index py, Index pz) const {
    const std::size_t i = a.grid.number(px, py, pz);
    out[i] = b[i] - c * product<Shape>(a, x, px, py, pz, i);
  }
  OSTINATO_FUNCTION void column(Index px, Index py, Index pz) const {
    const std::size_t i = a.grid.number(px, py, pz);
    float value[column_points];
    products<Shape>(a, x, px, py, pz, i, value);
#pragma unroll
    for (int k = 0; k < column_points; ++k)
      value[k] = b[i + static_cast<std::size_t>(Shape::along(k).distance(a.grid))] - c * value[k];
#pragma unroll
    for (int k = 0; k < column_points; ++k) out[i + static_cast<std::size_t>(Shape::along(k).distance(a.grid))] = value[k];
  }
};

/// out = c x + omega (b - c A x)
template <class Shape>
struct Smooth {
  Coefficients a;
  const float *b, *x;
  float c, omega;
  float* out;

  OSTINATO_FUNCTION float value(Index px, Index py, Index pz, std::size_t i) const {
    return c * x[i] + omega * (b[i] - c * product<Shape>(a, x, px, py, pz, i));
  }
  OSTINATO_FUNCTION void operator()(Index px, Index py, Index pz) const {
    const std::size_t i = a.grid.number(px, py, pz);
    out[i] = value(px, py, pz, i);
  }
  OSTINATO_FUNCTION void values(Index px, Index py, Index pz, std::size_t i, float (&v)[column_points]) const {
    products<Shape>(a, x, px, py, pz, i, v);
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      const std::size_t n = i + static_cast<std::size_t>(Shape::along(k).distance(a.grid));
      v[k] = c * x[n] + omega * (b[n] - c * v[k]);
    }
  }
  OSTINATO_FUNCTION void column(Index px, Index py, Index pz) const {
    const std::size_t i = a.grid.number(px, py, pz);
    float v[column_points];
    values(px, py, pz, i, v);
#pragma unroll
    for (int k = 0; k < column_points; ++k) out[i + static_cast<std::size_t>(Shape::along(k).distance(a.grid))] = v[k];
  }
};

/// z = power * (the smoothed x) / root;  the sum is r . z
template <class Shape, class T>
struct Leave {
  Smooth<Shape> smooth;
  Coefficients grid;  ///< a: 1 / root
  T power;
  const T* r;
  T* z;

  OSTINATO_FUNCTION Sums<1> operator()(Index px, Index py, Index pz) const {
    const std::size_t i = grid.grid.number(px, py, pz);
    const T value =
        power * static_cast<T>(grid.a[grid.at(px, py, pz, i)]) * static_cast<T>(smooth.value(px, py, pz, i));
    z[i] = value;
    return {{static_cast<double>(value) * static_cast<double>(r[i])}};
  }
  OSTINATO_FUNCTION Sums<1> column(Index px, Index py, Index pz) const {
    const std::size_t i = grid.grid.number(px, py, pz);
    float v[column_points];
    smooth.values(px, py, pz, i, v);
    T of_r[column_points], value[column_points];
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      const Step s = Shape::along(k);
      const std::size_t n = i + static_cast<std::size_t>(s.distance(grid.grid));
      of_r[k] = r[n];
      value[k] = power * static_cast<T>(grid.a[grid.at(px + s.x, py + s.y, pz + s.z, n)]) * static_cast<T>(v[k]);
    }
    Sums<1> dot{};
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      z[i + static_cast<std::size_t>(Shape::along(k).distance(grid.grid))] = value[k];
      dot.v[0] += static_cast<double>(value[k]) * static_cast<double>(of_r[k]);
    }
    return dot;
  }
};

/// The steps from a coarse point to the fine points that it has weights for. Axes: 1 for x, 2 for y, 4 for z.
template <int Axes>
struct Halved {
  static constexpr bool x = (Axes & 1) != 0, y = (Axes & 2) != 0, z = (Axes & 4) != 0;

  OSTINATO_FUNCTION static constexpr bool has(int k) {
    const Step d = Step::of(k);
    return (d.x == 0 || x) && (d.y == 0 || y) && (d.z == 0 || z);
  }
  OSTINATO_FUNCTION static constexpr int count() {
    int n = 0;
    for (int k = 0; k < neighbours; ++k) n += has(k) ? 1 : 0;
    return n;
  }
  OSTINATO_FUNCTION static constexpr int neighbour(int c) {
    int k = 0;
    for (; k < neighbours; ++k) {
      if (has(k) && c-- == 0) break;
    }
    return k;
  }
  OSTINATO_FUNCTION static constexpr int coefficient(int neighbour) {
    int c = 0;
    for (int k = 0; k < neighbour; ++k) c += has(k) ? 1 : 0;
    return c;
  }
};

/// out = P^T t
template <int Axes>
struct Restrict {
  Coefficients p;  ///< by coarse point
  Extents fine;
  const float* t;
  float* out;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    using H = Halved<Axes>;
    const std::size_t j = p.grid.number(x, y, z), stride = p.stride();
    const float* from = t + fine.number(Halving::fine(H::x, x), Halving::fine(H::y, y), Halving::fine(H::z, z));
    float total = 0;
    if (p.is_middle(x, y, z)) {
      for_coefficients<H>([&](int c, auto k) {
        constexpr Step d = Step::of(decltype(k)::value);
        total += p.middle[c] * from[d.distance(fine)];
      });
      out[j] = total;
      return;
    }
    const float* w = p.a + p.at(x, y, z, j);
    for_coefficients<H>([&](int c, auto k) {
      constexpr Step d = Step::of(decltype(k)::value);
      total += w[static_cast<std::size_t>(c) * stride] * from[d.distance(fine)];
    });
    out[j] = total;
  }
};

/// out = c x + P coarse. A call writes the fine points of a cell: that of coarse point j and those before it.
template <int Axes>
struct Interpolate {
  using H = Halved<Axes>;

  Coefficients p;
  Extents fine;
  const float* x;
  float c;
  const float* coarse;
  float* out;

  /// The grid of the cells.
  OSTINATO_FUNCTION Extents cells() const {
    return {H::x ? (fine.x + 1) / 2 : fine.x, H::y ? (fine.y + 1) / 2 : fine.y, H::z ? (fine.z + 1) / 2 : fine.z};
  }

  OSTINATO_FUNCTION void operator()(Index cx, Index cy, Index cz) const {
    // The coarse points that the fine points of the cell have weights for: that of the cell (0), and those of the cells
    // before along x (1), y (2) and z (4).
    float value[8];
    const float* w[8];
    for_coefficients<H>([&](int, auto k) {
      constexpr Step d = Step::of(decltype(k)::value);
      if constexpr (d.x >= 0 && d.y >= 0 && d.z >= 0) {
        const Index x1 = cx - d.x, y1 = cy - d.y, z1 = cz - d.z;
        const bool inside = x1 >= 0 && y1 >= 0 && z1 >= 0 && x1 < p.grid.x && y1 < p.grid.y && z1 < p.grid.z;
        const std::size_t j = inside ? p.grid.number(x1, y1, z1) : 0;
        value[place_in_cell(d)] = inside ? coarse[j] : 0.0f;
        w[place_in_cell(d)] = p.a + (inside ? p.at(x1, y1, z1, j) : 0);
      }
    });
    float sum[8] = {};
    const std::size_t stride = p.stride();
    // All coarse points that the cell reads are in the middle when its own and the one before along each axis are.
    const bool middle =
        p.is_middle(cx, cy, cz) && p.is_middle(H::x ? cx - 1 : cx, H::y ? cy - 1 : cy, H::z ? cz - 1 : cz);
    for_coefficients<H>([&](int coefficient, auto k) {
      constexpr Step d = Step::of(decltype(k)::value);
      constexpr int from = place_in_cell({d.x > 0, d.y > 0, d.z > 0}),
                    to = place_in_cell({d.x != 0, d.y != 0, d.z != 0});
      const float weight = middle ? p.middle[coefficient] : w[from][static_cast<std::size_t>(coefficient) * stride];
      sum[to] += weight * value[from];
    });
    for_coefficients<H>([&](int, auto k) {
      constexpr Step d = Step::of(decltype(k)::value);
      if constexpr (d.x >= 0 && d.y >= 0 && d.z >= 0) {
        const Index fx = Halving::fine(H::x, cx) - d.x, fy = Halving::fine(H::y, cy) - d.y,
                    fz = Halving::fine(H::z, cz) - d.z;
        if (fx < fine.x && fy < fine.y && fz < fine.z) {
          const std::size_t i = fine.number(fx, fy, fz);
          out[i] = c * x[i] + sum[place_in_cell(d)];
        }
      }
    });
  }

 private:
  OSTINATO_FUNCTION static constexpr int place_in_cell(const Step& d) { return d.x + 2 * d.y + 4 * d.z; }
};

/// e[i] := a number between -1 and 1 that depends on i alone.
struct RandomError {
  float* e;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    std::uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
    e[i] = static_cast<float>(static_cast<double>(h >> 11) * 0x1p-52 - 1);
  }
};

/// e += correction;  the sum is e . e
struct Correct {
  const float* correction;
  float* e;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const float v = e[i] += correction[i];
    return {{static_cast<double>(v) * static_cast<double>(v)}};
  }
};

/// out = M b with a dense matrix, of n rows of n, for the coarsest grid.
struct DenseProduct {
  std::size_t n;
  const float* m;
  const float* b;
  float* out;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    float total = 0;
    for (std::size_t k = 0; k < n; ++k) total += m[k * n + i] * b[k];
    out[i] = total;
  }
};

}  // namespace ostinato::multigrid

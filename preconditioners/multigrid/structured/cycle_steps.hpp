// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps of a cycle of structured multigrid, as functors for both spaces. The operators are scaled, so that their
// centre is 1 and isn't read, and a step of damped Jacobi adds omega times the residual. Vectors have room before and
// behind, where they are 0, so that a neighbour outside the grid may be read; the coefficient there is 0. Of grids with
// periodic axes the shape is Wrapped, and the steps between two of them are RestrictAround and InterpolateAround.
// All arithmetic is in float.

#include <algorithm>
#include <type_traits>

#include <ostinato/preconditioners/multigrid/rate_steps.hpp>
#include <ostinato/preconditioners/multigrid/strided.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/stencil.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::multigrid {

/// (A x)(i)
template <class Shape>
OSTINATO_FUNCTION float product(const Coefficients& a, const float* x, Index px, Index py, Index pz, std::size_t i) {
  const float* coefficient = a.a + a.at(px, py, pz, i);
  const float* own = x + i;
  const std::size_t stride = a.stride();
  float total = own[0];
  if constexpr (Shape::wraps) {
    a.around.for_neighbours(a.grid, px, py, pz, [&](int c, std::size_t j) {
      total += coefficient[static_cast<std::size_t>(c) * stride] * x[j];
    });
  } else {
    for_coefficients<Shape>([&](int c, auto k) {
      constexpr Step d = Step::of(decltype(k)::value);
      total += coefficient[static_cast<std::size_t>(c) * stride] * own[d.distance(a.grid)];
    });
  }
  return total;
}

/// The same for the points of a column: out[k] = (A x)(i + k-th step). Coefficients and elements of x that points share
/// are read once.
template <class Shape>
OSTINATO_FUNCTION void products(const Coefficients& a, const float* x, Index px, Index py, Index pz, std::size_t i,
                                float (&out)[column_points]) {
  const auto one_by_one = [&] {
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      const Step s = Shape::along(k);
      out[k] = product<Shape>(a, x, px + s.x, py + s.y, pz + s.z, i + static_cast<std::size_t>(s.distance(a.grid)));
    }
  };
  if constexpr (Shape::wraps) {
    one_by_one();
  } else {
    if (!a.is_even(py, pz)) return one_by_one();
    const float* coefficient = a.a + a.at(px, py, pz, i);
    const float* own = x + i;
#pragma unroll
    for (int k = 0; k < column_points; ++k) out[k] = own[Shape::along(k).distance(a.grid)];
    for_coefficients<Shape>([&](int c, auto n) {
      constexpr Step d = Step::of(decltype(n)::value);
      const float value = coefficient[c * scaled_classes];
#pragma unroll
      for (int k = 0; k < column_points; ++k) out[k] += value * own[(d + Shape::along(k)).distance(a.grid)];
    });
  }
}

/// The same for `count` points of a line: out[k] = (A x)(i + k).
template <class Shape>
void products_of_segment(const Coefficients& a, const float* x, Index px, Index count, Index py, Index pz,
                         std::size_t i, float* out) {
  const float* coefficient = a.a + a.at(px, py, pz, i);
  const float* own = x + i;
  const std::size_t stride = a.stride();
  for (Index k = 0; k < count; ++k) out[k] = own[k];
  if constexpr (Shape::wraps) {
    a.around.for_neighbours(a.grid, px, py, pz, [&](int c, std::size_t j) {
      const float* from = x + j;
      const float* value = coefficient + static_cast<std::size_t>(c) * stride;
      for (Index k = 0; k < count; ++k) out[k] += value[k] * from[k];
    });
  } else {
    for_coefficients<Shape>([&](int c, auto n) {
      constexpr Step d = Step::of(decltype(n)::value);
      const float* from = own + d.distance(a.grid);
      const float* value = coefficient + static_cast<std::size_t>(c) * stride;
      if (a.by_class) {
        const float v = value[0];
        for (Index k = 0; k < count; ++k) out[k] += v * from[k];
      } else {
        for (Index k = 0; k < count; ++k) out[k] += value[k] * from[k];
      }
    });
  }
}

struct EvenPart;

/// What a cycle reads: b is r times the coefficients of `root`.
template <class T>
struct Source {
  Coefficients root;
  const EvenPart* even_root;  ///< of `root`; on the host
  Strided<const T> r;
};

/// What a cycle writes: z is x times power and the coefficients of the source's root; *slot = r . z. An inner level has
/// no slot.
template <class T>
struct Target {
  T power;
  Strided<T> z;
  double* slot;
};

/// b = r / root
template <class T>
struct Enter {
  Coefficients grid;  ///< a: 1 / root
  Strided<const T> r;
  float* b;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const std::size_t i = grid.grid.number(x, y, z);
    b[i] = static_cast<float>(static_cast<T>(grid.a[grid.at(x, y, z, i)]) * r[i]);
  }
  Range even(int n) const { return grid.even_part(n); }
  void segment(Index x, Index count, Index y, Index z) const {
    const std::size_t i = grid.grid.number(x, y, z);
    const float* root = grid.a + grid.at(x, y, z, i);
    const std::size_t step = grid.by_class ? 0 : 1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      b[i + k] = static_cast<float>(static_cast<T>(root[k * step]) * r[i + k]);
  }
  OSTINATO_FUNCTION int column_axis() const { return grid.grid.z > 1 ? 2 : 1; }
  OSTINATO_FUNCTION void column(Index x, Index y, Index z) const {
    const bool deep = grid.grid.z > 1;
    const std::size_t i = grid.grid.number(x, y, z);
    const Step along{0, deep ? 0 : 1, deep ? 1 : 0};
    const auto step = static_cast<std::size_t>(along.distance(grid.grid));
    const bool even = grid.is_even(y, z);
    const float first = grid.a[grid.at(x, y, z, i)];
    float value[column_points];
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      const std::size_t n = i + static_cast<std::size_t>(k) * step;
      const float root = even ? first : grid.a[grid.at(x, y + k * along.y, z + k * along.z, n)];
      value[k] = static_cast<float>(static_cast<T>(root) * r[n]);
    }
#pragma unroll
    for (int k = 0; k < column_points; ++k) b[i + static_cast<std::size_t>(k) * step] = value[k];
  }
};

/// out = b - c A x. Out: a pointer, or what takes out[i] = value in its place.
template <class Shape, class Out = float*>
struct Residual {
  Coefficients a;
  const float *b, *x;
  float c;
  Out out;

  OSTINATO_FUNCTION void operator()(Index px, Index py, Index pz) const {
    const std::size_t i = a.grid.number(px, py, pz);
    out[i] = b[i] - c * product<Shape>(a, x, px, py, pz, i);
  }
  Range even(int n) const { return a.even_part(n); }
  void segment(Index px, Index count, Index py, Index pz) const {
    const std::size_t i = a.grid.number(px, py, pz);
    float value[segment_points];
    products_of_segment<Shape>(a, x, px, count, py, pz, i, value);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) out[i + k] = b[i + k] - c * value[k];
  }
  OSTINATO_FUNCTION int column_axis() const { return Shape::column_axis; }
  OSTINATO_FUNCTION void column(Index px, Index py, Index pz) const {
    const std::size_t i = a.grid.number(px, py, pz);
    float value[column_points];
    products<Shape>(a, x, px, py, pz, i, value);
#pragma unroll
    for (int k = 0; k < column_points; ++k)
      value[k] = b[i + static_cast<std::size_t>(Shape::along(k).distance(a.grid))] - c * value[k];
#pragma unroll
    for (int k = 0; k < column_points; ++k)
      out[i + static_cast<std::size_t>(Shape::along(k).distance(a.grid))] = value[k];
  }
};

/// out = c x + omega (b - c A x)
template <class Shape, class Out = float*>
struct Smooth {
  Coefficients a;
  const float *b, *x;
  float c, omega;
  Out out;

  OSTINATO_FUNCTION float value(Index px, Index py, Index pz, std::size_t i) const {
    return c * x[i] + omega * (b[i] - c * product<Shape>(a, x, px, py, pz, i));
  }
  OSTINATO_FUNCTION void operator()(Index px, Index py, Index pz) const {
    const std::size_t i = a.grid.number(px, py, pz);
    out[i] = value(px, py, pz, i);
  }
  Range even(int n) const { return a.even_part(n); }
  void values_of_segment(Index px, Index count, Index py, Index pz, std::size_t i, float* v) const {
    products_of_segment<Shape>(a, x, px, count, py, pz, i, v);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      v[k] = c * x[i + k] + omega * (b[i + k] - c * v[k]);
  }
  void segment(Index px, Index count, Index py, Index pz) const {
    const std::size_t i = a.grid.number(px, py, pz);
    float v[segment_points];
    values_of_segment(px, count, py, pz, i, v);
    std::copy(v, v + count, out + i);
  }
  OSTINATO_FUNCTION void values(Index px, Index py, Index pz, std::size_t i, float (&v)[column_points]) const {
    products<Shape>(a, x, px, py, pz, i, v);
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      const std::size_t n = i + static_cast<std::size_t>(Shape::along(k).distance(a.grid));
      v[k] = c * x[n] + omega * (b[n] - c * v[k]);
    }
  }
  OSTINATO_FUNCTION int column_axis() const { return Shape::column_axis; }
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
  Strided<const T> r;
  Strided<T> z;

  OSTINATO_FUNCTION Sums<1> operator()(Index px, Index py, Index pz) const {
    const std::size_t i = grid.grid.number(px, py, pz);
    const T value =
        power * static_cast<T>(grid.a[grid.at(px, py, pz, i)]) * static_cast<T>(smooth.value(px, py, pz, i));
    z[i] = value;
    return {{product_of(value, r[i])}};
  }
  Range even(int n) const {
    const Range of_root = grid.even_part(n), of_rows = smooth.even(n);
    return {std::max(of_root.begin, of_rows.begin), std::min(of_root.end, of_rows.end)};
  }
  Sums<1> segment(Index px, Index count, Index py, Index pz) const {
    const std::size_t i = grid.grid.number(px, py, pz);
    float v[segment_points];
    smooth.values_of_segment(px, count, py, pz, i, v);
    const float* root = grid.a + grid.at(px, py, pz, i);
    const std::size_t step = grid.by_class ? 0 : 1;
    Sums<1> dot{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      z[i + k] = power * static_cast<T>(root[k * step]) * static_cast<T>(v[k]);
      dot.v[0] += product_of(z[i + k], r[i + k]);
    }
    return dot;
  }
  OSTINATO_FUNCTION int column_axis() const { return Shape::column_axis; }
  OSTINATO_FUNCTION Sums<1> column(Index px, Index py, Index pz) const {
    const std::size_t i = grid.grid.number(px, py, pz);
    float v[column_points];
    smooth.values(px, py, pz, i, v);
    const bool even = grid.is_even(py, pz);
    const float first = grid.a[grid.at(px, py, pz, i)];
    T of_r[column_points], value[column_points];
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      const Step s = Shape::along(k);
      const std::size_t n = i + static_cast<std::size_t>(s.distance(grid.grid));
      const float root = even ? first : grid.a[grid.at(px + s.x, py + s.y, pz + s.z, n)];
      of_r[k] = r[n];
      value[k] = power * static_cast<T>(root) * static_cast<T>(v[k]);
    }
    Sums<1> dot{};
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      z[i + static_cast<std::size_t>(Shape::along(k).distance(grid.grid))] = value[k];
      dot.v[0] += product_of(value[k], of_r[k]);
    }
    return dot;
  }
};

/// out = P^T t
template <int Axes, class Out = float*>
struct Restrict {
  using H = Halved<Axes>;

  Coefficients p;  ///< by coarse point
  Extents fine;
  const float* t;
  Out out;

  OSTINATO_FUNCTION const float* from(Index x, Index y, Index z) const {
    return t + fine.number(Halving::fine(H::x, x), Halving::fine(H::y, y), Halving::fine(H::z, z));
  }

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const std::size_t j = p.grid.number(x, y, z), stride = p.stride();
    const float* w = p.a + p.at(x, y, z, j);
    const float* own = from(x, y, z);
    float total = 0;
    for_coefficients<H>([&](int c, auto k) {
      constexpr Step d = Step::of(decltype(k)::value);
      total += w[static_cast<std::size_t>(c) * stride] * own[d.distance(fine)];
    });
    out[j] = total;
  }
  Range even(int n) const { return p.even_part(n); }
  void segment(Index x, Index count, Index y, Index z) const {
    const std::size_t j = p.grid.number(x, y, z), stride = p.stride(), step = p.by_class ? 0 : 1;
    const float* w = p.a + p.at(x, y, z, j);
    const float* own = from(x, y, z);
    constexpr std::size_t apart = H::x ? 2 : 1;
    float total[segment_points] = {};
    for_coefficients<H>([&](int c, auto n) {
      constexpr Step d = Step::of(decltype(n)::value);
      const float* weight = w + static_cast<std::size_t>(c) * stride;
      const float* t_at = own + d.distance(fine);
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) total[k] += weight[k * step] * t_at[k * apart];
    });
    std::copy(total, total + count, out + j);
  }
};

/// out = c x + P coarse. A call writes the fine points of a cell: where x is halved, two points along x, that of a
/// coarse point and the one before; else one point. Along y and z, cells are fine points, so that all threads of a warp
/// have the same number of coarse points to read.
template <int Axes, class Out = float*>
struct Interpolate {
  using H = Halved<Axes>;

  Coefficients p;
  Extents fine;
  const float* x;
  float c;
  const float* coarse;
  Out out;

  /// The grid of the cells.
  OSTINATO_FUNCTION Extents cells() const { return {H::x ? (fine.x + 1) / 2 : fine.x, fine.y, fine.z}; }

  OSTINATO_FUNCTION void operator()(Index cx, Index y, Index z) const {
    float own, before;
    cell(cx, y, z, own, before);
    const Index at = Halving::fine(H::x, cx);
    const std::size_t i = fine.number(at, y, z);
    if (at < fine.x) out[i] = c * x[i] + own;
    if (H::x) out[i - 1] = c * x[i - 1] + before;
  }

  /// P coarse for the coarse point's own fine point, and for the one before along x. Points outside the grid give 0.
  /// Lines of coarse points that don't count are read, too, at another place: all threads of a warp do the same, and
  /// all loads wait together.
  OSTINATO_FUNCTION void cell(Index cx, Index y, Index z, float& own, float& before) const {
    const bool between_y = H::y && y % 2 == 0, between_z = H::z && z % 2 == 0;
    const Parents parents(p, cx, H::y ? y / 2 : y, H::z ? z / 2 : z);
    own = before = 0;
    each<0, H::z ? 2 : 1>([&](auto before_z) {
      each<0, H::y ? 2 : 1>([&](auto before_y) {
        const bool counts = (before_y == 0 || between_y) && (before_z == 0 || between_z);
        add<before_y, before_z>(parents, between_y, between_z, counts, own, before);
      });
    });
  }

  /// Cells whose own coarse point and the one before have even coefficients.
  Range even(int) const { return p.by_class ? Range{3, p.grid.x - 2} : Range{1, p.grid.x}; }
  void segment(Index cx, Index count, Index y, Index z) const {
    float own[segment_points] = {}, before[segment_points] = {};
    for_each_line(y, z, [&](auto dy, auto dz, Index cy, Index cz) {
      if constexpr ((dy == 0 || H::y) && (dz == 0 || H::z)) {
        if (cy < 0 || cz < 0 || cy >= p.grid.y || cz >= p.grid.z) return;
        constexpr std::size_t coefficient = H::coefficient(Step{0, dy, dz}.number());
        const std::size_t j = p.grid.number(cx, cy, cz), stride = p.stride(), step = p.by_class ? 0 : 1;
        const float* w = p.a + p.at(cx, cy, cz, j) + coefficient * stride;
        for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) own[k] += w[k * step] * coarse[j + k];
        if constexpr (H::x) {
          const float* w_before = w - stride;
          const float* w_after = w + stride - (p.by_class ? 0 : 1);
          for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
            before[k] += w_before[k * step] * coarse[j + k] + w_after[k * step] * coarse[j + k - 1];
        }
      }
    });
    const std::size_t i = fine.number(Halving::fine(H::x, cx), y, z);
    constexpr std::size_t apart = H::x ? 2 : 1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      out[i + apart * k] = c * x[i + apart * k] + own[k];
      if (H::x) out[i + apart * k - 1] = c * x[i + apart * k - 1] + before[k];
    }
  }

 private:
  /// Calls f(dy, dz, cy, cz) for the lines of coarse points that a line of fine points is interpolated from.
  template <class F>
  void for_each_line(Index y, Index z, F f) const {
    const Index cy = H::y ? y / 2 : y, cz = H::z ? z / 2 : z;
    const auto along_y = [&](auto dz, Index at_z) {
      if (!H::y || y % 2 == 1) return f(std::integral_constant<int, 0>{}, dz, cy, at_z);
      f(std::integral_constant<int, -1>{}, dz, cy, at_z);
      f(std::integral_constant<int, 1>{}, dz, cy - 1, at_z);
    };
    if (!H::z || z % 2 == 1) return along_y(std::integral_constant<int, 0>{}, cz);
    along_y(std::integral_constant<int, -1>{}, cz);
    along_y(std::integral_constant<int, 1>{}, cz - 1);
  }

  /// A coarse point, and where the weights of it and of the points before it along each axis are.
  struct Parents {
    Index x, y, z, point;
    int place_x[2], place_y[2], place_z[2];  ///< by class: of the point itself and of the one before

    OSTINATO_FUNCTION Parents(const Coefficients& p, Index cx, Index cy, Index cz)
        : x(cx), y(cy), z(cz), point((cz * p.grid.y + cy) * p.grid.x + cx) {
      for (int k = 0; k < 2; ++k) {
        place_x[k] = scaled_place(cx - k, p.grid.x);
        place_y[k] = 5 * scaled_place(cy - k, p.grid.y);
        place_z[k] = 25 * scaled_place(cz - k, p.grid.z);
      }
    }
  };

  /// The coefficient of the step (0, dy, dz) from a coarse point.
  OSTINATO_FUNCTION static std::size_t coefficient(int dy, int dz) {
    constexpr int of_y = H::x ? 3 : 1, of_z = H::y ? 3 * of_y : of_y;
    return static_cast<std::size_t>((H::x ? 1 : 0) + (H::y ? (dy + 1) * of_y : 0) + (H::z ? (dz + 1) * of_z : 0));
  }

  /// Adds what the coarse points x and x - 1 of a line give, if the line counts: of the own one or, with 1, of the one
  /// before.
  template <int BeforeY, int BeforeZ>
  OSTINATO_FUNCTION void add(const Parents& at, bool between_y, bool between_z, bool counts, float& own,
                             float& before) const {
    const int dy = !between_y ? 0 : BeforeY ? 1 : -1, dz = !between_z ? 0 : BeforeZ ? 1 : -1;
    const Index y = at.y - BeforeY, z = at.z - BeforeZ;
    const bool is_line = counts && y >= 0 && z >= 0 && y < p.grid.y && z < p.grid.z;
    const bool is_own = is_line && at.x < p.grid.x, is_before = is_line && at.x > 0;
    const Index j = at.point - (BeforeZ * p.grid.y + BeforeY) * p.grid.x;
    const int line = at.place_y[BeforeY] + at.place_z[BeforeZ];
    const std::size_t stride = p.stride();
    const float* const of_line = p.a + coefficient(dy, dz) * stride;
    {
      const Index from = is_own ? j : 0;
      const float* const w = of_line + (p.by_class ? line + at.place_x[0] : from);
      const float value = coarse[from], of_own = w[0];
      own += is_own ? of_own * value : 0.0f;
      if constexpr (H::x) {  // beside it in the order of the steps: the weight for the fine point before
        const float of_before = *(w - stride);
        before += is_own ? of_before * value : 0.0f;
      }
    }
    if constexpr (H::x) {
      const Index from = is_before ? j - 1 : 0;
      const float value = coarse[from], weight = of_line[(p.by_class ? line + at.place_x[1] : from) + stride];
      before += is_before ? weight * value : 0.0f;
    }
  }
};

/// out = P^T t, where axes are periodic
struct RestrictAround {
  WeightsOf<const float> p;
  const float* t;
  float* out;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const Axis along_x = p.x(true), along_y = p.y(true), along_z = p.z(true);
    const std::size_t j = p.coarse.number(x, y, z);
    float total = 0;
    for (int k = 0; k < neighbours; ++k) {
      if (p.slot[k] < 0) continue;
      const Step d = Step::of(k);
      const Index fx = along_x.fine_point(x, d.x), fy = along_y.fine_point(y, d.y), fz = along_z.fine_point(z, d.z);
      if (fx >= 0 && fy >= 0 && fz >= 0) total += p.at(k, j) * t[p.fine.number(fx, fy, fz)];
    }
    out[j] = total;
  }
  Range even(int n) const { return {1, n - 1}; }
  void segment(Index x, Index count, Index y, Index z) const {
    const Axis along_x = p.x(true), along_y = p.y(true), along_z = p.z(true);
    const std::size_t j = p.coarse.number(x, y, z), apart = p.halved.x ? 2 : 1;
    float total[segment_points] = {};
    for (int n = 0; n < neighbours; ++n) {
      if (p.slot[n] < 0) continue;
      const Step d = Step::of(n);
      const Index fy = along_y.fine_point(y, d.y), fz = along_z.fine_point(z, d.z);
      if (fy < 0 || fz < 0) continue;
      const float *w = &p.at(n, j), *from = t + p.fine.number(along_x.fine_point(x, d.x), fy, fz);
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) total[k] += w[k] * from[k * apart];
    }
    std::copy(total, total + count, out + j);
  }
};

/// out = c x + P coarse, where axes are periodic
struct InterpolateAround {
  WeightsOf<const float> p;
  const float* x;
  float c;
  const float* coarse;
  float* out;

  OSTINATO_FUNCTION void operator()(Index px, Index py, Index pz) const {
    Index jx[2], jy[2], jz[2];
    int dx[2], dy[2], dz[2];
    const int nx = p.x(true).parents(px, jx, dx), ny = p.y(true).parents(py, jy, dy),
              nz = p.z(true).parents(pz, jz, dz);
    float total = 0;
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        for (int k = 0; k < nx; ++k) {
          const std::size_t j = p.coarse.number(jx[k], jy[y], jz[z]);
          total += p.at(Step{dx[k], dy[y], dz[z]}.number(), j) * coarse[j];
        }
      }
    }
    const std::size_t i = p.fine.number(px, py, pz);
    out[i] = c * x[i] + total;
  }
  Range even(int n) const { return {1, n - 1}; }
  void segment(Index px, Index count, Index py, Index pz) const {
    Index jy[2], jz[2];
    int dy[2], dz[2];
    const int ny = p.y(true).parents(py, jy, dy), nz = p.z(true).parents(pz, jz, dz);
    const std::size_t i = p.fine.number(px, py, pz);
    float total[segment_points];
    for (Index k = 0; k < count; ++k) total[k] = c * x[i + static_cast<std::size_t>(k)];
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) add_line(px, count, p.coarse.number(0, jy[y], jz[z]), dy[y], dz[z], total);
    }
    std::copy(total, total + count, out + i);
  }

 private:
  /// Adds what a line of coarse points, whose first is j, gives to points at steps dy and dz from it.
  void add_line(Index px, Index count, std::size_t j, int dy, int dz, float* total) const {
    const float *from = coarse + j, *own = &p.at(Step{0, dy, dz}.number(), j);
    if (!p.halved.x) {
      for (Index k = 0; k < count; ++k) total[k] += own[px + k] * from[px + k];
      return;
    }
    const float *before = &p.at(Step{-1, dy, dz}.number(), j), *after = &p.at(Step{1, dy, dz}.number(), j);
    const Index first_odd = px % 2 == 1 ? 0 : 1;
    for (Index k = first_odd, q = (px + k) / 2; k < count; k += 2, ++q) total[k] += own[q] * from[q];
    for (Index k = 1 - first_odd, q = (px + k) / 2; k < count; k += 2, ++q)
      total[k] += after[q - 1] * from[q - 1] + before[q] * from[q];
  }
};

/// e := the random error;  the sum is e . e
struct RandomError {
  float* e;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const float v = e[i] = static_cast<float>(random_error(i));
    return {{abs2(v)}};
  }
};

/// v = v / root
struct Unscale {
  Coefficients grid;  ///< a: root
  float* v;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const std::size_t i = grid.grid.number(x, y, z);
    v[i] /= grid.a[grid.at(x, y, z, i)];
  }
};

/// e += correction;  the sum is e . e
struct Correct {
  const float* correction;
  float* e;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const float v = e[i] += correction[i];
    return {{abs2(v)}};
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
#pragma unroll 16  // so many loads wait at once
    for (std::size_t k = 0; k < n; ++k) total += m[k * n + i] * b[k];
    out[i] = total;
  }
};

}  // namespace ostinato::multigrid

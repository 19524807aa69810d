// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products with a stencil, as functors for both spaces. Vectors have no room around them: no neighbour outside the grid
// is read. Of grids with periodic axes the shape is Wrapped.

#include <type_traits>

#include <ostinato/spmv/algebra/accurate_residual_steps.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/stencil/neighbours.hpp>

namespace ostinato::detail {

/// The coefficients of a stencil: those of its neighbours in ascending order, then that of the point itself.
/// Coefficient c is a[c * 27 + class] or a[c * points + point]; it is 0 where the neighbour lies outside.
template <class T>
struct StencilRows {
  Extents grid;
  const T* a;
  bool by_class;
  Around around = {};

  OSTINATO_FUNCTION std::size_t stride() const { return by_class ? neighbours : grid.points(); }
  OSTINATO_FUNCTION const T* row(Index x, Index y, Index z, std::size_t point) const {
    if (!by_class) return a + point;
    return a + (place(x, grid.x) + 3 * place(y, grid.y) + 9 * place(z, grid.z));
  }

  /// Whether the neighbours of a point at steps along x are in the grid.
  OSTINATO_FUNCTION bool has_along_x(Index x, int step) const {
    return step == 0 || (step < 0 ? x > 0 : x + 1 < grid.x);
  }

  /// Whether the neighbours of the next `deep` points along the last axis are in the grid, those along x aside.
  template <class Shape>
  OSTINATO_FUNCTION bool is_inside(Index y, Index z, int deep) const {
    constexpr int last = Shape::column_axis;
    const auto inside = [](Index at, Index extent, int count) { return at > 0 && at + count < extent; };
    return (last < 1 || inside(y, grid.y, last == 1 ? deep : 1)) && (last < 2 || inside(z, grid.z, deep));
  }
};

/// (A x)(i)
template <class Shape, class T, class V>
OSTINATO_FUNCTION T product(const StencilRows<T>& rows, const V* x, Index px, Index py, Index pz, std::size_t i) {
  const T* a = rows.row(px, py, pz, i);
  const V* own = x + i;
  const std::size_t stride = rows.stride();
  const Extents& grid = rows.grid;
  if constexpr (Shape::wraps) {
    T total = a[static_cast<std::size_t>(rows.around.count) * stride] * static_cast<T>(own[0]);
    rows.around.for_neighbours(grid, px, py, pz, [&](int c, std::size_t j) {
      total += a[static_cast<std::size_t>(c) * stride] * static_cast<T>(x[j]);
    });
    return total;
  } else {
    T total = a[static_cast<std::size_t>(Shape::count()) * stride] * static_cast<T>(own[0]);
    const bool inside = rows.template is_inside<Shape>(py, pz, 1);
    for_coefficients<Shape>([&](int c, auto k) {
      constexpr Step d = Step::of(decltype(k)::value);
      if (inside ? rows.has_along_x(px, d.x) : grid.contains(px + d.x, py + d.y, pz + d.z))
        total += a[static_cast<std::size_t>(c) * stride] * static_cast<T>(own[d.distance(grid)]);
    });
    return total;
  }
}

/// The same for the points of a column: out[k] = (A x)(i + k-th step). Constant coefficients, and elements of x that
/// points share, are read once.
template <class Shape, class T, class V>
OSTINATO_FUNCTION void products(const StencilRows<T>& rows, const V* x, Index px, Index py, Index pz, std::size_t i,
                                T (&out)[column_points]) {
  const Extents& grid = rows.grid;
  const auto along = [&](int k) { return static_cast<std::size_t>(Shape::along(k).distance(grid)); };
  const auto one_by_one = [&] {
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      const Step s = Shape::along(k);
      out[k] = product<Shape>(rows, x, px + s.x, py + s.y, pz + s.z, i + along(k));
    }
  };
  if constexpr (Shape::wraps) {
    one_by_one();
  } else {
    if (!rows.template is_inside<Shape>(py, pz, column_points)) return one_by_one();
    const T* a = rows.row(px, py, pz, i);
    const V* own = x + i;
    const std::size_t stride = rows.stride();
    const auto add_all = [&](auto by_class) {
      const auto add = [&](int c, const Step& d) {
        if (!rows.has_along_x(px, d.x)) return;
        const T* coefficient = a + static_cast<std::size_t>(c) * stride;
        const T shared = coefficient[0];
#pragma unroll
        for (int k = 0; k < column_points; ++k)
          out[k] += (decltype(by_class)::value ? shared : coefficient[along(k)]) *
                    static_cast<T>(own[(d + Shape::along(k)).distance(grid)]);
      };
      add(Shape::count(), {0, 0, 0});
      for_coefficients<Shape>([&](int c, auto k) { add(c, Step::of(decltype(k)::value)); });
    };
#pragma unroll
    for (int k = 0; k < column_points; ++k) out[k] = 0;
    if (rows.by_class) {
      add_all(std::true_type{});
    } else {
      add_all(std::false_type{});
    }
  }
}

/// products_of_segment() where axes are periodic.
template <class T, class V>
void products_of_wrapped_segment(const StencilRows<T>& rows, const V* x, Index px, Index count, Index py, Index pz,
                                 std::size_t i, T* out) {
  const T* a = rows.row(px, py, pz, i);
  const std::size_t stride = rows.stride(), step = rows.by_class ? 0 : 1, n = static_cast<std::size_t>(count);
  const T* own = a + static_cast<std::size_t>(rows.around.count) * stride;
  for (std::size_t k = 0; k < n; ++k) out[k] = own[k * step] * static_cast<T>(x[i + k]);
  rows.around.for_neighbours(rows.grid, px, py, pz, [&](int c, std::size_t j) {
    const T* coefficient = a + static_cast<std::size_t>(c) * stride;
    for (std::size_t k = 0; k < n; ++k) out[k] += coefficient[k * step] * static_cast<T>(x[j + k]);
  });
}

/// The same as products() for `count` points of a line that aren't at its ends: out[k] = (A x)(i + k). In place of
/// neighbours outside, whose coefficients are 0, the points themselves are read.
template <class Shape, class T, class V>
void products_of_segment(const StencilRows<T>& rows, const V* x, Index px, Index count, Index py, Index pz,
                         std::size_t i, T* out) {
  if constexpr (Shape::wraps) {
    products_of_wrapped_segment(rows, x, px, count, py, pz, i, out);
  } else {
    constexpr int all = Shape::count() + 1;
    const T* a = rows.row(px, py, pz, i);
    const V* from[all];
    const T* coefficient[all];
    T shared[all];
    const auto set = [&](int c, const Step& d) {
      const bool inside = rows.grid.contains(px, py + d.y, pz + d.z);
      from[c] = x + i + (inside ? d.distance(rows.grid) : 0);
      coefficient[c] = a + static_cast<std::size_t>(c) * rows.stride();
      shared[c] = coefficient[c][0];
    };
    set(Shape::count(), {0, 0, 0});
    for_coefficients<Shape>([&](int c, auto k) { set(c, Step::of(decltype(k)::value)); });
    if (rows.by_class) {
#pragma omp simd
      for (Index k = 0; k < count; ++k) {
        T total = shared[all - 1] * static_cast<T>(from[all - 1][k]);
        for_coefficients<Shape>([&](int c, auto) { total += shared[c] * static_cast<T>(from[c][k]); });
        out[k] = total;
      }
    } else {
#pragma omp simd
      for (Index k = 0; k < count; ++k) {
        T total = coefficient[all - 1][k] * static_cast<T>(from[all - 1][k]);
        for_coefficients<Shape>([&](int c, auto) { total += coefficient[c][k] * static_cast<T>(from[c][k]); });
        out[k] = total;
      }
    }
  }
}

/// out = alpha A x + beta b;  the sum is w . out. beta = 0 doesn't read b. w may be null, for no sum, or out itself.
/// The vectors are of V, which is T or, in a mixed product, float.
template <class Shape, class T, class V = T>
struct StencilProduct {
  StencilRows<T> rows;
  const V* x;
  T alpha, beta;
  const V* b;
  V* out;
  const V* w;

  /// The element that `out` gets, of A x.
  OSTINATO_FUNCTION V value(T product, std::size_t i) const {
    return static_cast<V>(beta == T{0} ? alpha * product : alpha * product + beta * static_cast<T>(b[i]));
  }
  /// The element of w that belongs to this element of `out`.
  OSTINATO_FUNCTION double weight(V value, std::size_t i) const {
    return w == nullptr ? 0.0 : static_cast<double>(w == out ? value : w[i]);
  }

  OSTINATO_FUNCTION Sums<1> operator()(Index px, Index py, Index pz) const {
    const std::size_t i = rows.grid.number(px, py, pz);
    const V v = value(product<Shape>(rows, x, px, py, pz, i), i);
    const double of_w = weight(v, i);
    out[i] = v;
    return {{of_w * static_cast<double>(v)}};
  }

  Range even(int n) const { return {1, n - 1}; }
  Sums<1> segment(Index px, Index count, Index py, Index pz) const {
    const std::size_t i = rows.grid.number(px, py, pz), n = static_cast<std::size_t>(count);
    T v[segment_points];
    products_of_segment<Shape>(rows, x, px, count, py, pz, i, v);
    if (beta == T{0}) {
      for (std::size_t k = 0; k < n; ++k) out[i + k] = static_cast<V>(alpha * v[k]);
    } else {
      for (std::size_t k = 0; k < n; ++k) out[i + k] = static_cast<V>(alpha * v[k] + beta * static_cast<T>(b[i + k]));
    }
    if (w == nullptr) return {};
    return block_sums(Dot<V>{w + i, out + i}, 0, n);
  }

  OSTINATO_FUNCTION int column_axis() const { return Shape::column_axis; }
  OSTINATO_FUNCTION Sums<1> column(Index px, Index py, Index pz) const {
    const std::size_t i = rows.grid.number(px, py, pz);
    const auto at = [&](int k) { return i + static_cast<std::size_t>(Shape::along(k).distance(rows.grid)); };
    T v[column_points];
    products<Shape>(rows, x, px, py, pz, i, v);
    V rounded[column_points];
    Sums<1> dot{};
#pragma unroll
    for (int k = 0; k < column_points; ++k) {
      rounded[k] = value(v[k], at(k));
      dot.v[0] += weight(rounded[k], at(k)) * static_cast<double>(rounded[k]);
    }
#pragma unroll
    for (int k = 0; k < column_points; ++k) out[at(k)] = rounded[k];
    return dot;
  }
};

/// Elements that StencilProductOfFours moves as one.
struct alignas(16) FourFloats {
  float v[4];
};

/// The lines of x that StencilProductOfFours reads: those of the grid.
struct LinesOfGrid {
  OSTINATO_FUNCTION static bool contains(const Extents& grid, Index x, Index y, Index z) {
    return grid.contains(x, y, z);
  }
  /// Element i of x, moved by a step that leads to another line, which contains() has found.
  OSTINATO_FUNCTION static const float* line(const Extents& grid, const float* x, std::size_t i, const Step& d, Index) {
    return x + i + d.distance(grid);
  }
  OSTINATO_FUNCTION static FourFloats load(const float* from) { return *reinterpret_cast<const FourFloats*>(from); }
  OSTINATO_FUNCTION static void store(float* to, const FourFloats& four) { *reinterpret_cast<FourFloats*>(to) = four; }
};

/// A mixed product on Cuda, where all points have the same row up to the sides of the grid; the sum is w . out. A call
/// takes four points beside each other along x, so that their elements move as one: with a point a call, conversions
/// and addresses take longer than the bytes.
///
/// Requires  Lines of whole fours, and vectors aligned to them.
template <class Shape, class T, class Lines = LinesOfGrid>
struct StencilProductOfFours {
  static constexpr int together = 4;

  Extents grid;
  T coefficient[Shape::count() + 1];  ///< of the neighbours in ascending order, then of the point itself
  const float* x;
  float* out;
  const float* w;
  Lines lines = {};

  /// What there are calls for.
  OSTINATO_FUNCTION Extents fours() const { return {grid.x / together, grid.y, grid.z}; }

  OSTINATO_FUNCTION Sums<1> operator()(Index four, Index py, Index pz) const {
    const Index px = together * four;
    const std::size_t i = grid.number(px, py, pz);
    T own[together + 2], line[together + 2], sum[together];
    load(px, x + i, true, own);
#pragma unroll
    for (int k = 0; k < together; ++k) sum[k] = coefficient[Shape::count()] * own[k + 1];
    for_coefficients<Shape>([&](int c, auto n) {
      constexpr Step d = Step::of(decltype(n)::value);
      constexpr bool is_own = d.y == 0 && d.z == 0;
      const bool inside = lines.contains(grid, px, py + d.y, pz + d.z);
      if constexpr (!is_own && (Shape::star || d.x < 0)) {
        constexpr Step of_line{0, d.y, d.z};
        load(px, inside ? lines.line(grid, x, i, of_line, pz) : x + i, !Shape::star, line);
      }
      const T factor = inside ? coefficient[c] : T{0};
#pragma unroll
      for (int k = 0; k < together; ++k) sum[k] += factor * (is_own ? own : line)[k + 1 + d.x];
    });
    FourFloats rounded;
#pragma unroll
    for (int k = 0; k < together; ++k) rounded.v[k] = static_cast<float>(sum[k]);
    lines.store(out + i, rounded);
    const FourFloats of_w = w == out ? rounded : w == x ? FourFloats{} : lines.load(w + i);
    Sums<1> dot{};
#pragma unroll
    for (int k = 0; k < together; ++k)
      dot.v[0] += (w == x ? static_cast<double>(own[k + 1]) : static_cast<double>(of_w.v[k])) *
                  static_cast<double>(rounded.v[k]);
    return dot;
  }

 private:
  /// The elements of four points and, with `beside`, of those beside them; 0 outside of the grid. In place of a line
  /// outside, the points' own is loaded, with a coefficient of 0.
  OSTINATO_FUNCTION void load(Index px, const float* from, bool beside, T (&v)[together + 2]) const {
    const FourFloats four = lines.load(from);
#pragma unroll
    for (int k = 0; k < together; ++k) v[k + 1] = static_cast<T>(four.v[k]);
    if (!beside) return;
    v[0] = px > 0 ? static_cast<T>(from[-1]) : T{0};
    v[together + 1] = px + together < grid.x ? static_cast<T>(from[together]) : T{0};
  }
};

/// r = b - outer A (inner x), rounded once;  the sum is r . r before this rounding. See AccurateResidual.
template <class T>
struct AccurateStencilResidual {
  StencilRows<T> rows;
  double outer, inner;
  const T *x, *b;
  T* r;

  OSTINATO_FUNCTION Sums<1> operator()(Index px, Index py, Index pz) const {
    const std::size_t i = rows.grid.number(px, py, pz), stride = rows.stride();
    const T* a = rows.row(px, py, pz, i);
    TwofoldSum sum;
    sum.add(static_cast<double>(b[i]));
    const auto subtract = [&](int c, std::size_t j) {
      sum.subtract_product(outer * static_cast<double>(a[static_cast<std::size_t>(c) * stride]),
                           inner * static_cast<double>(x[j]));
    };
    rows.around.for_neighbours(rows.grid, px, py, pz, subtract);
    subtract(rows.around.count, i);
    const double value = sum.most();
    r[i] = static_cast<T>(value);
    return {{value * value}};
  }
};

}  // namespace ostinato::detail

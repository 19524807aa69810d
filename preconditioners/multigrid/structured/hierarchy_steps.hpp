// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The set-up of structured multigrid, as functors for both spaces. While a hierarchy is made, its operators are
// unscaled and have their centre.

#include <cmath>

#include <ostinato/preconditioners/multigrid/structured/stencil.hpp>
#include <ostinato/spmv/analysis/grid_steps.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/stencil/stencil_steps.hpp>

namespace ostinato::multigrid {

/// An unscaled operator by point. slot[k] is the coefficient of neighbour k, or -1 when the operator has none.
struct Stencil {
  Extents grid;
  float* a;
  signed char slot[neighbours];
  Periodic periodic = {};

  OSTINATO_FUNCTION float value(int k, std::size_t point) const {
    return slot[k] < 0 ? 0.0f : a[static_cast<std::size_t>(slot[k]) * grid.points() + point];
  }
  OSTINATO_FUNCTION float& at(int k, std::size_t point) const {
    return a[static_cast<std::size_t>(slot[k]) * grid.points() + point];
  }
};

/// The axes along which a grid is halved. Coarse point j lies at fine point 2 j + 1 of a halved axis, else at j. A
/// periodic axis of n = 2 m + 1 points gets m + 1 coarse ones: point n, which the last of them lies at, is point 0.
struct Halving {
  bool x, y, z;

  OSTINATO_FUNCTION bool has(const Step& d) const { return (d.x == 0 || x) && (d.y == 0 || y) && (d.z == 0 || z); }
  OSTINATO_FUNCTION static Index fine(bool halved, Index at) { return halved ? 2 * at + 1 : at; }
  /// The extents of the coarse grid.
  OSTINATO_FUNCTION Extents of(const Extents& e, const Periodic& periodic = {}) const {
    const auto half = [](Index n, bool halved, bool around) { return !halved ? n : around ? (n + 1) / 2 : n / 2; };
    return {half(e.x, x, periodic.x), half(e.y, y, periodic.y), half(e.z, z, periodic.z)};
  }
};

/// An axis of a grid and of the next, coarser one.
struct Axis {
  Index fine, coarse;
  bool halved, periodic;

  /// Whether the last coarse point and the first have no fine point between them.
  OSTINATO_FUNCTION bool has_seam() const { return periodic && halved && fine % 2 == 1; }
  /// Whether a step from coarse point j crosses the seam.
  OSTINATO_FUNCTION bool crosses(Index j, int step) const {
    return has_seam() && ((step < 0 && j == 0) || (step > 0 && j == coarse - 1));
  }
  /// The fine point at a step of -1, 0 or 1 from coarse point j; -1 where that lies outside or is another coarse point.
  OSTINATO_FUNCTION Index fine_point(Index j, int step) const {
    const Index at = Halving::fine(halved, j) + step;
    if (crosses(j, step)) return -1;
    return at < fine ? at : periodic ? at - fine : -1;
  }
  /// The fine points from coarse point j to the one beside it.
  OSTINATO_FUNCTION int distance(Index j, int step) const { return !halved || crosses(j, step) ? step : 2 * step; }
  /// The coarse point beside j; -1 where there is none.
  OSTINATO_FUNCTION Index beside(Index j, int step) const {
    const Index at = Periodic::wrap(j + step, coarse, periodic);
    return at < coarse ? at : -1;
  }
  /// The coarse points that have weights for a fine point, and the steps from them to it. Returns how many there are.
  OSTINATO_FUNCTION int parents(Index at, Index (&coarse_point)[2], int (&step)[2]) const {
    const bool at_seam = has_seam() && at == 0;
    if (!halved || at_seam || at % 2 == 1) {
      coarse_point[0] = !halved ? at : at_seam ? coarse - 1 : at / 2;
      step[0] = 0;
      return 1;
    }
    int count = 0;
    const Index before = Periodic::wrap(at / 2 - 1, coarse, periodic), after = at / 2;
    if (before >= 0) coarse_point[count] = before, step[count++] = 1;
    if (after < coarse) coarse_point[count] = after, step[count++] = -1;
    return count;
  }
};

/// Interpolation weights: that of coarse point j for the fine point at step k from it is w[slot[k] * coarse points +
/// j].
template <class Number>
struct WeightsOf {
  Extents fine, coarse;
  Halving halved;
  Number* w;
  signed char slot[neighbours];
  Periodic periodic = {};

  OSTINATO_FUNCTION Number& at(int k, std::size_t j) const {
    return w[static_cast<std::size_t>(slot[k]) * coarse.points() + j];
  }
  /// The axes; none is periodic to functors that aren't made for it.
  OSTINATO_FUNCTION Axis x(bool wraps) const { return {fine.x, coarse.x, halved.x, wraps && periodic.x}; }
  OSTINATO_FUNCTION Axis y(bool wraps) const { return {fine.y, coarse.y, halved.y, wraps && periodic.y}; }
  OSTINATO_FUNCTION Axis z(bool wraps) const { return {fine.z, coarse.z, halved.z, wraps && periodic.z}; }
};
using Weights = WeightsOf<float>;

/// A(u, u): the entries of a matrix that couple an unknown with itself.
template <class T>
struct UnknownBlock {
  detail::CsrPattern a;
  const T* val;
  detail::GridRows rows;
  int unknown;

  OSTINATO_FUNCTION detail::GridPoint point(std::size_t i) const { return rows.numbered(static_cast<Index>(i)); }

  /// Calls f(neighbour, value) for the entries of a point.
  template <class F>
  OSTINATO_FUNCTION void for_row(std::size_t i, F f) const {
    const std::size_t row = rows.row(i, unknown);
    const detail::GridPoint from = point(i);
    for (Offset e = a.row_ptr[row]; e < a.row_ptr[row + 1]; ++e) {
      if (val[e] == T{0} || rows.unknown(a.col[e]) != unknown) continue;
      const detail::GridStep d = rows.step(static_cast<Index>(row), from, a.col[e]);
      f(Step{d.x, d.y, d.z}.number(), static_cast<double>(val[e]));
    }
  }
};

/// The coefficients of one row for each of the 27 classes of points: table[class * 27 + neighbour]. Reads the row in
/// the middle of each class.
template <class T>
struct ReadClasses {
  UnknownBlock<T> a;
  double* table;

  OSTINATO_FUNCTION static Index middle(int place, Index extent) {
    return place == 0 ? 0 : place == 2 ? extent - 1 : extent / 2;
  }

  OSTINATO_FUNCTION void operator()(std::size_t c) const {
    const int k = static_cast<int>(c);
    const Extents& grid = a.rows.grid;
    double* row = table + c * neighbours;
    for (int n = 0; n < neighbours; ++n) row[n] = 0;
    const std::size_t i = grid.number(middle(k % 3, grid.x), middle(k / 3 % 3, grid.y), middle(k / 9, grid.z));
    a.for_row(i, [row](int neighbour, double v) { row[neighbour] = v; });
  }
};

/// Counts the rows that differ from those of their class.
template <class T>
struct CountDeviants {
  static constexpr int blocks_of_multiprocessor = 6;

  UnknownBlock<T> a;
  const double* table;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const Extents& grid = a.rows.grid;
    const detail::GridPoint p = a.point(i);
    const int c = place(p.x, grid.x) + 3 * place(p.y, grid.y) + 9 * place(p.z, grid.z);
    const double* row = table + c * neighbours;
    int left = 0;
    bool wrong = false;
    for (int k = 0; k < neighbours; ++k) left += row[k] != 0 ? 1 : 0;
    a.for_row(i, [&](int neighbour, double v) {
      wrong = wrong || v != row[neighbour];
      --left;
    });
    return {{wrong || left != 0 ? 1.0 : 0.0}};
  }
};

/// Whether a row's sum is more than the rounding of its entries. Where no row is uneven, constants solve A x = 0.
template <class T>
OSTINATO_FUNCTION bool is_uneven(double sum, double size) {
  constexpr double rounding = is_single<T> ? 0x1p-20 : 0x1p-49;  // 8 units of a rounded number
  return !((sum < 0 ? -sum : sum) <= rounding * size);
}

/// Counts the uneven rows of a matrix.
template <class T>
struct CountUneven {
  UnknownBlock<T> a;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    double sum = 0, size = 0;
    a.for_row(i, [&](int, double v) {
      sum += v;
      size += v < 0 ? -v : v;
    });
    return {{is_uneven<T>(sum, size) ? 1.0 : 0.0}};
  }
};

/// Counts the uneven rows of a stencil.
template <class T>
struct CountUnevenPoints {
  detail::StencilRows<T> rows;

  OSTINATO_FUNCTION Sums<1> operator()(Index x, Index y, Index z) const {
    const T* row = rows.row(x, y, z, rows.grid.number(x, y, z));
    double sum = 0, size = 0;
    for (int c = 0; c <= rows.around.count; ++c) {
      const double v = static_cast<double>(row[static_cast<std::size_t>(c) * rows.stride()]);
      sum += v;
      size += v < 0 ? -v : v;
    }
    return {{is_uneven<T>(sum, size) ? 1.0 : 0.0}};
  }
};

/// Writes the row of a point, times a power of two, into an operator by point.
template <class T>
struct FillStencil {
  UnknownBlock<T> a;
  double power;
  Stencil to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    for (int k = 0; k < neighbours; ++k) {
      if (to.slot[k] >= 0) to.at(k, i) = 0;
    }
    a.for_row(i, [&](int neighbour, double v) { to.at(neighbour, i) = static_cast<float>(v * power); });
  }
};

/// Sums over all points: how strongly each axis couples them. Keeps the largest sum of absolute values in a row over
/// its centre, as the bits of a float.
template <class Space>
struct MeasureStrength {
  Stencil a;
  int* row_sum;

  OSTINATO_FUNCTION static int bits(float v) {
    union {
      float f;
      int i;
    } u{v};
    return u.i;
  }

  OSTINATO_FUNCTION Sums<3> operator()(Index x, Index y, Index z) const {
    const std::size_t i = a.grid.number(x, y, z);
    float size = 0, side[3][2] = {};
    for (int k = 0; k < neighbours; ++k) {
      const float v = a.value(k, i);
      const Step d = Step::of(k);
      size += v < 0 ? -v : v;
      if (d.x != 0) side[0][d.x > 0] += v;
      if (d.y != 0) side[1][d.y > 0] += v;
      if (d.z != 0) side[2][d.z > 0] += v;
    }
    const int row = bits(size / a.value(centre, i));
    if (row > Atomic<Space>::peek(row_sum)) Atomic<Space>::max(row_sum, row);
    Sums<3> strength;
    for (int axis = 0; axis < 3; ++axis) {
      for (const float s : side[axis]) strength.v[axis] += static_cast<double>(s < 0 ? -s : s);
    }
    return strength;
  }
};

/// Weights that follow the operator: a fine point between coarse ones solves its row, summed along the halved axes on
/// which the point is a coarse one, for its own value. Weights of points between two coarse ones come first, then those
/// between four, then between eight.
///
/// Source    Dendy, J. Comput. Phys. 48 (1982) 366 (black box multigrid).
template <bool Wraps>
struct SolveWeights {
  Stencil a;
  Weights to;

  /// The sum of the coefficients of fine point i over the neighbours that lie at step o along the axes of d.
  OSTINATO_FUNCTION float collapsed(std::size_t i, const Step& d, const Step& o) const {
    float s = 0;
    for (int z = d.z != 0 ? o.z : -1; z <= (d.z != 0 ? o.z : 1); ++z) {
      for (int y = d.y != 0 ? o.y : -1; y <= (d.y != 0 ? o.y : 1); ++y) {
        for (int x = d.x != 0 ? o.x : -1; x <= (d.x != 0 ? o.x : 1); ++x) s += a.value(Step{x, y, z}.number(), i);
      }
    }
    return s;
  }

  OSTINATO_FUNCTION float weight(std::size_t j, std::size_t i, const Step& d) const {
    const float own = collapsed(i, d, {0, 0, 0});
    float sum = 0;
    // The neighbours on the way to the coarse point: 0 or -d along each axis of d.
    for (int way = 1; way < 8; ++way) {
      const Step o{way & 1 ? -d.x : 0, way & 2 ? -d.y : 0, way & 4 ? -d.z : 0};
      if (((way & 1) && d.x == 0) || ((way & 2) && d.y == 0) || ((way & 4) && d.z == 0)) continue;
      sum += collapsed(i, d, o) * to.at(Step{o.x + d.x, o.y + d.y, o.z + d.z}.number(), j);
    }
    return own > 1e-4f * a.value(centre, i) ? -sum / own : 0.0f;
  }

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const std::size_t j = to.coarse.number(x, y, z);
    const Axis along_x = to.x(Wraps), along_y = to.y(Wraps), along_z = to.z(Wraps);
    to.at(centre, j) = 1;
    for (int axes = 1; axes <= 3; ++axes) {
      for (int k = 0; k < neighbours; ++k) {
        const Step d = Step::of(k);
        if (to.slot[k] < 0 || d.axes() != axes) continue;
        const Index fx = along_x.fine_point(x, d.x), fy = along_y.fine_point(y, d.y), fz = along_z.fine_point(z, d.z);
        const bool inside = fx >= 0 && fy >= 0 && fz >= 0;
        to.at(k, j) = inside ? weight(j, to.fine.number(fx, fy, fz), d) : 0.0f;
      }
    }
  }
};

/// The coarse operator P^T A P where axes are periodic or points few (elsewhere GalerkinOfPoint), on a grid of calls()
/// whose layers along z are those of all coefficients, one coefficient behind the other. Each call makes one
/// coefficient of one coarse point.
struct GalerkinAround {
  Stencil a;
  Weights p;
  Stencil to;
  int slots;  ///< coefficients of `to`

  OSTINATO_FUNCTION Extents calls() const { return {to.grid.x, to.grid.y, to.grid.z * slots}; }

  /// The neighbour that a layer is for.
  OSTINATO_FUNCTION int neighbour(Index layer) const {
    int k = 0;
    while (to.slot[k] != layer / to.grid.z) ++k;
    return k;
  }
  /// The steps that a fine point on an axis may be away from its coarse point.
  OSTINATO_FUNCTION static int reach(bool halved) { return halved ? 1 : 0; }

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index layer) const {
    const int k = neighbour(layer);
    const Index z = layer % to.grid.z;
    const Step e = Step::of(k);
    const Index ox = p.x(true).beside(x, e.x), oy = p.y(true).beside(y, e.y), oz = p.z(true).beside(z, e.z);
    float total = 0;
    if (ox >= 0 && oy >= 0 && oz >= 0) {
      const std::size_t other = to.grid.number(ox, oy, oz);
      for_pairs({x, y, z}, e, [&](float w, const Step& d, std::size_t i, int of_a, int of_p) {
        (void)d;
        const float v = a.value(of_a, i);
        if (v != 0) total += w * v * p.at(of_p, other);
      });
    }
    to.at(k, to.grid.number(x, y, z)) = total;
  }

  /// Calls f(weight, d, i, of_a, of_p) for the fine points i, at step d from coarse point `at`, and the neighbours of i
  /// that the coarse point e steps away has weights for: coefficient of_a of row i times weight of_p.
  template <class F>
  OSTINATO_FUNCTION void for_pairs(const detail::GridPoint& at, const Step& e, F f) const {
    const Halving& h = p.halved;
    const int rx = reach(h.x), ry = reach(h.y), rz = reach(h.z);
    const Axis along_x = p.x(true), along_y = p.y(true), along_z = p.z(true);
    const Step apart{along_x.distance(at.x, e.x), along_y.distance(at.y, e.y), along_z.distance(at.z, e.z)};
    const std::size_t j = p.coarse.number(at.x, at.y, at.z);
    const auto from = [](int far, int reach) { return far - reach < -1 ? -1 : far - reach; };
    const auto until = [](int far, int reach) { return far + reach > 1 ? 1 : far + reach; };
    for (int dz = -rz; dz <= rz; ++dz) {
      for (int dy = -ry; dy <= ry; ++dy) {
        for (int dx = -rx; dx <= rx; ++dx) {
          const Index fx = along_x.fine_point(at.x, dx), fy = along_y.fine_point(at.y, dy),
                      fz = along_z.fine_point(at.z, dz);
          if (fx < 0 || fy < 0 || fz < 0) continue;
          const Step d{dx, dy, dz}, far{apart.x - dx, apart.y - dy, apart.z - dz};
          const float w = p.at(d.number(), j);
          const std::size_t i = p.fine.number(fx, fy, fz);
          for (int z = from(far.z, rz); z <= until(far.z, rz); ++z) {
            for (int y = from(far.y, ry); y <= until(far.y, ry); ++y) {
              for (int x = from(far.x, rx); x <= until(far.x, rx); ++x) {
                const int of_a = Step{x, y, z}.number();
                if (a.slot[of_a] >= 0) f(w, d, i, of_a, Step{x - far.x, y - far.y, z - far.z}.number());
              }
            }
          }
        }
      }
    }
  }

  /// The points that aren't at the ends of a line: all of them have the same pairs.
  Range even(int n) const { return {1, n - 1}; }
  OSTINATO_FUNCTION void segment(Index x, Index count, Index y, Index layer) const {
    const int k = neighbour(layer);
    const Index z = layer % to.grid.z;
    const Step e = Step::of(k);
    const std::size_t j = to.grid.number(x, y, z), apart = p.halved.x ? 2 : 1;
    float total[segment_points] = {};
    const Index oy = p.y(true).beside(y, e.y), oz = p.z(true).beside(z, e.z);
    if (oy >= 0 && oz >= 0) {
      const std::size_t other = to.grid.number(x + e.x, oy, oz);
      for_pairs({x, y, z}, e, [&](float, const Step& d, std::size_t i, int of_a, int of_p) {
        const float *w = &p.at(d.number(), j), *v = &a.at(of_a, i), *w_of_other = &p.at(of_p, other);
        for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n)
          total[n] += w[n] * v[n * apart] * w_of_other[n];
      });
    }
    for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) (&to.at(k, j))[n] = total[n];
  }
};

/// Makes axes of one point, which were periodic, plain ones: a step along them leads back to the point.
struct CloseAxes {
  Stencil a;
  Periodic closed;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k), to{closed.x ? 0 : d.x, closed.y ? 0 : d.y, closed.z ? 0 : d.z};
      if (a.slot[k] < 0 || to.number() == k) continue;
      a.at(to.number(), i) += a.at(k, i);
      a.at(k, i) = 0;
    }
  }
};

/// inverse[i] := 1 / the square root of the centre of point i; 1 where the centre isn't positive.
struct InverseRoot {
  Stencil a;
  float* inverse;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const float c = a.value(centre, i);
    inverse[i] = c > 0 ? 1 / std::sqrt(c) : 1.0f;
  }
};

/// A(i, j) *= inverse(i) inverse(j): the centre becomes 1.
template <bool Wraps>
struct ScaleStencil {
  Stencil a;
  const float* inverse;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const Extents& e = a.grid;
    const std::size_t i = e.number(x, y, z);
    for (int k = 0; k < neighbours; ++k) {
      if (a.slot[k] < 0) continue;
      const Step d = Step::of(k);
      Index nx = x, ny = y, nz = z;
      const bool inside = (Wraps ? a.periodic : Periodic{}).go(e, d, nx, ny, nz);
      a.at(k, i) = inside ? a.at(k, i) * inverse[i] * inverse[e.number(nx, ny, nz)] : 0.0f;
    }
  }
};

/// P(i, j) *= inverse of coarse point j / inverse(i): P belongs to the scaled operators.
template <bool Wraps>
struct ScaleWeights {
  Weights p;
  const float* fine_inverse;
  const float* coarse_inverse;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const std::size_t j = p.coarse.number(x, y, z);
    const Axis along_x = p.x(Wraps), along_y = p.y(Wraps), along_z = p.z(Wraps);
    for (int k = 0; k < neighbours; ++k) {
      if (p.slot[k] < 0) continue;
      const Step d = Step::of(k);
      const Index fx = along_x.fine_point(x, d.x), fy = along_y.fine_point(y, d.y), fz = along_z.fine_point(z, d.z);
      const bool inside = fx >= 0 && fy >= 0 && fz >= 0;
      p.at(k, j) = inside ? p.at(k, j) * coarse_inverse[j] / fine_inverse[p.fine.number(fx, fy, fz)] : 0.0f;
    }
  }
};

/// Writes the rows of a stencil, times a power of two, into an operator by point.
template <class T>
struct RoundRows {
  detail::StencilRows<T> from;
  double power;
  float* to;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const {
    const std::size_t i = from.grid.number(x, y, z);
    const T* row = from.row(x, y, z, i);
    for (int c = 0; c <= from.around.count; ++c) {
      to[static_cast<std::size_t>(c) * from.grid.points() + i] =
          static_cast<float>(static_cast<double>(row[static_cast<std::size_t>(c) * from.stride()]) * power);
    }
  }
};

}  // namespace ostinato::multigrid

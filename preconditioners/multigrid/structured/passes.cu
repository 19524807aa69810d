// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The passes over a level. What a pass does between two grids is one stencil: down it is P^T (I - omega A) S, where S
// is the scale of the source, with the 5 x 5 x 5 fine points around a coarse one; up it is S (I - omega A) P, beside
// omega S (2 - omega A) S for the source. So no thread waits for another, and a thread reads what it needs of the
// source from the cache.
//
// Nearly all points have the same coefficients, which are arguments of the kernels. The points at the sides of the grid
// read theirs from tables, in thread blocks of their own.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <ostinato/preconditioners/multigrid/structured/passes.hpp>
#include <ostinato/preconditioners/multigrid/structured/planes.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::multigrid {

namespace {

constexpr int threads = 256;

template <class Shape>
constexpr bool is_deep = Shape::column_axis == 2;

template <class Shape>
using AllHalved = Halved<is_deep<Shape> ? 7 : 3>;

/// The coefficients of the stencil between two grids: one for each step of at most 2 along the axes.
template <class Shape>
constexpr int coefficients = is_deep<Shape> ? 125 : 25;

OSTINATO_FUNCTION constexpr int slot_of(bool deep, int x, int y, int z) {
  return x + 2 + 5 * (y + 2) + (deep ? 25 * (z + 2) : 0);
}

/// The neighbour in the other direction.
OSTINATO_FUNCTION constexpr int opposite(int k) { return 2 * centre - k; }

/// A step of at most 2 along each axis.
OSTINATO_FUNCTION constexpr Step step_of(bool deep, int slot) {
  return {slot % 5 - 2, slot / 5 % 5 - 2, deep ? slot / 25 - 2 : 0};
}

/// How far along x a line of that stencil reaches, dy and dz from the coarse point; negative where there is none. A
/// step of 2 is one of P and one of A: a star has no such steps along two axes.
template <class Shape>
OSTINATO_FUNCTION constexpr int reach(int dy, int dz) {
  const int far = (dy == 2 || dy == -2) + (dz == 2 || dz == -2);
  return !Shape::star ? 2 : far == 0 ? 2 : far == 1 ? 1 : -1;
}

/// The coefficient of step d: the sum, over the fine points w of a coarse one, of P's weight times that of I - omega A
/// from w to d. weight(k): of the point at step k. side(w, k): of A from w to its neighbour k, which is d.
template <class Shape, class Weight, class Side>
OSTINATO_FUNCTION double composed(const Step& d, double omega, Weight weight, Side side) {
  double sum = 0;
  for (int k = 0; k < neighbours; ++k) {
    if (!AllHalved<Shape>::has(k)) continue;
    const Step w = Step::of(k), rest{d.x - w.x, d.y - w.y, d.z - w.z};
    if (rest.x < -1 || rest.x > 1 || rest.y < -1 || rest.y > 1 || rest.z < -1 || rest.z > 1) continue;
    const int neighbour = rest.number();
    if (neighbour != centre && !Shape::has(neighbour)) continue;
    sum += weight(k) * (neighbour == centre ? 1 - omega : -omega * side(w, neighbour));
  }
  return sum;
}

/// A table to fill with the coefficients of the 125 classes of coarse points, c[slot * 125 + class].
struct Composition {
  Coefficients a, p, root;
  float omega;
  bool up;  ///< of (I - omega A) P, in which A leads from d to w; otherwise of P^T (I - omega A)
  bool star;
  float* c;
};

/// Fills element n of a table, whose operator has this shape.
template <class Shape>
struct Compose : Composition {
  struct Weight {
    const float* of_class;
    OSTINATO_FUNCTION double operator()(int k) const {
      return static_cast<double>(of_class[AllHalved<Shape>::coefficient(k) * scaled_classes]);
    }
  };
  struct Side {
    const Coefficients& a;
    bool up;
    Step d;
    Index x, y, z;  ///< the fine point that the coarse point lies at
    OSTINATO_FUNCTION double operator()(const Step& w, int k) const {
      if (!a.grid.contains(x + w.x, y + w.y, z + w.z)) return 0;
      const Step from = up ? d : w;
      const std::size_t row = a.at(x + from.x, y + from.y, z + from.z, 0);
      return static_cast<double>(a.a[Shape::coefficient(up ? opposite(k) : k) * scaled_classes + row]);
    }
  };

  /// The coarse point that stands for a place along an axis. On small grids it may be one of another place.
  OSTINATO_FUNCTION static Index point(int place, Index n) {
    const Index at[] = {0, 1, n / 2, n - 2, n - 1};
    return at[place] < 0 ? 0 : at[place] < n ? at[place] : n - 1;
  }

  OSTINATO_FUNCTION void operator()(std::size_t n) const {
    const int number = static_cast<int>(n % scaled_classes);
    const Step d = step_of(is_deep<Shape>, static_cast<int>(n / scaled_classes));
    const Index cx = point(number % 5, p.grid.x), cy = point(number / 5 % 5, p.grid.y),
                cz = point(number / 25, p.grid.z);
    const Index x = 2 * cx + 1, y = 2 * cy + 1, z = is_deep<Shape> ? 2 * cz + 1 : 0;
    if (!a.grid.contains(x + d.x, y + d.y, z + d.z)) {
      c[n] = 0;
      return;
    }
    const double sum = composed<Shape>(d, omega, Weight{p.a + p.at(cx, cy, cz, 0)}, Side{a, up, d, x, y, z});
    c[n] = static_cast<float>(static_cast<double>(root.a[root.at(x + d.x, y + d.y, z + d.z, 0)]) * sum);
  }
};

/// Tables of levels of the same dimensions.
struct Compositions {
  static constexpr std::size_t most = 16;
  Composition table[most];
};
static_assert(sizeof(Compositions) < 4000);  // kernels have room for arguments of 4 KB

/// Fills the tables, one in each row of thread blocks.
template <int Dimensions>
__global__ void __launch_bounds__(threads) compose_kernel(const __grid_constant__ Compositions all) {
  const Composition& t = all.table[blockIdx.y];
  const std::size_t n = blockIdx.x * threads + threadIdx.x;
  cuda::pdl_trigger_and_wait();
  if (n >= (Dimensions > 2 ? 125 : 25) * scaled_classes) return;
  t.star ? Compose<Shape<Dimensions, true>>{t}(n) : Compose<Shape<Dimensions, false>>{t}(n);
}

/// The points of a grid from `begin` to before `end`.
struct Box {
  Extents begin, end;

  Extents sides() const { return {end.x - begin.x, end.y - begin.y, end.z - begin.z}; }
};

/// The points of a grid, or of a part of it, outside a box, in slabs.
struct Shell {
  Box slab[6];
  Index first[7];  ///< the number of the first point of each slab, and of all points

  Shell(const Box& all, const Box& box)
      : slab{{all.begin, {all.end.x, all.end.y, box.begin.z}},
             {{all.begin.x, all.begin.y, box.end.z}, all.end},
             {{all.begin.x, all.begin.y, box.begin.z}, {all.end.x, box.begin.y, box.end.z}},
             {{all.begin.x, box.end.y, box.begin.z}, {all.end.x, all.end.y, box.end.z}},
             {{all.begin.x, box.begin.y, box.begin.z}, {box.begin.x, box.end.y, box.end.z}},
             {{box.end.x, box.begin.y, box.begin.z}, {all.end.x, box.end.y, box.end.z}}},
        first{} {
    for (int s = 0; s < 6; ++s) first[s + 1] = first[s] + static_cast<Index>(slab[s].sides().points());
  }
  Index count() const { return first[6]; }
  __device__ Extents point(Index n) const {
    int s = 0;
    while (n >= first[s + 1]) ++s;
    const Box& b = slab[s];
    const Index at = n - first[s], x = b.end.x - b.begin.x, y = b.end.y - b.begin.y;
    return {b.begin.x + at % x, b.begin.y + at / x % y, b.begin.z + at / x / y};
  }
};

/// The tiles of a box, of 32 x 4 x 2 cells, or 32 x 8 in two dimensions.
struct Tiles {
  Box box;
  unsigned along_x, along_y, along_z;
  int tall, deep;

  Tiles(const Box& b, bool is_deep) : box(b), tall(is_deep ? 4 : 8), deep(is_deep ? 2 : 1) {
    const Extents sides = b.sides();
    const auto tiles = [](Index n, int side) { return static_cast<unsigned>((n + side - 1) / side); };
    along_x = tiles(sides.x, 32);
    along_y = tiles(sides.y, tall);
    along_z = tiles(sides.z, deep);
  }
  unsigned count() const { return along_x * along_y * along_z; }
  /// The cell of a thread; false where the tile reaches out of the box.
  __device__ bool cell(unsigned tile, Index& x, Index& y, Index& z) const {
    const unsigned line = tile / along_x, layer = line / along_y;
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    x = box.begin.x + static_cast<Index>(tile - line * along_x) * 32 + lane;
    y = box.begin.y + static_cast<Index>(line - layer * along_y) * tall + warp % tall;
    z = box.begin.z + static_cast<Index>(layer) * deep + warp / tall;
    return x < box.end.x && y < box.end.y && z < box.end.z;
  }
};

/// What the kernels of both passes see.
template <class T>
struct Pass {
  Coefficients a, root, c;  ///< c: of the stencil between the grids, by coarse point
  Strided<const T> r;
  const T *below, *above;  ///< where r of points before own_begin is, and from own_end on
  Index own_begin, own_end;
  float omega;
  Tiles tiles;
  Shell shell;
  unsigned shell_blocks;
  bool pairs;         ///< whether two elements of the vectors beside each other along x move as one
  bool has_one_root;  ///< whether all points have the same scale
  float even_root;
  float even_c[125];    ///< of the stencil between the grids
  float own, side[26];  ///< of omega S (2 - omega A) S: of the point itself, and of its neighbours

  unsigned blocks() const { return shell_blocks + tiles.count(); }
  /// Where r of a point is counted from.
  __device__ const T* base(Index n) const { return n < own_begin ? below : n >= own_end ? above : r.first; }
  /// r of any point.
  __device__ T source(Index n) const { return base(n)[static_cast<Offset>(n) * r.step]; }
  /// Whether a stencil in two dimensions that reads lines first .. last reads some that lie elsewhere.
  __device__ bool reads_beside(Index first, Index last) const {
    return first * a.grid.x < own_begin || last * a.grid.x >= own_end;
  }
};

/// Two elements beside each other along x.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T v[2];
};

/// Elements of the source around one of them; with Pairs these move in twos from even places on.
template <bool Pairs, class T>
struct Elements {
  const T* first;
  Index step;

  __device__ Elements(const Strided<const T>& r, Index n)
      : first(r.first + (Pairs ? Offset{n} : Offset{n} * r.step)), step(Pairs ? 1 : r.step) {}
  __device__ Elements(const T* f, Index s) : first(f), step(s) {}
  /// The elements around element n, wherever its line lies.
  __device__ static Elements anywhere(const Pass<T>& pass, Index n) {
    return Elements(Strided<const T>{pass.base(n), pass.r.step}, n);
  }

  /// The elements around another one, so many elements away.
  __device__ Elements at(Index distance) const {
    return {first + (Pairs ? Offset{distance} : Offset{distance} * step), step};
  }
  __device__ T operator[](int k) const { return Pairs ? first[k] : first[k * step]; }
  __device__ Pair<T> pair(int k) const {
    if constexpr (Pairs) {
      return *reinterpret_cast<const Pair<T>*>(first + k);
    } else {
      return {{(*this)[k], (*this)[k + 1]}};
    }
  }
};

/// b of a coarse point whose coefficients are the shared ones, with all fine points that they reach. Beside: some lines
/// may lie elsewhere.
template <class Shape, bool Pairs, bool Beside = false, class T>
__device__ float descend_even(const Pass<T>& pass, Index cx, Index cy, Index cz) {
  constexpr bool deep = is_deep<Shape>;
  const Extents& e = pass.a.grid;
  const Index n = e.x * ((deep ? (2 * cz + 1) * e.y : 0) + 2 * cy + 1) + 2 * cx + 1;
  const Elements<Pairs, T> own(pass.r, n);
  float total = 0;
  each<deep ? -2 : 0, deep ? 3 : 1>([&](auto dz) {
    each<-2, 3>([&](auto dy) {
      constexpr int far = reach<Shape>(dy, dz);
      if constexpr (far > 0) {
        const Index distance = (dz * e.y + dy) * e.x;
        const Elements<Pairs, T> line = Beside ? Elements<Pairs, T>::anywhere(pass, n + distance) : own.at(distance);
        const auto add = [&](auto dx, T v) { total += pass.even_c[slot_of(deep, dx, dy, dz)] * static_cast<float>(v); };
        const Pair<T> left = line.pair(-1);
        add(Number<-1>{}, left.v[0]);
        add(Number<0>{}, left.v[1]);
        if constexpr (far == 2) {
          const Pair<T> right = line.pair(1);
          add(Number<1>{}, right.v[0]);
          add(Number<2>{}, right.v[1]);
          add(Number<-2>{}, line[-2]);
        } else {
          add(Number<1>{}, line[1]);
        }
      }
    });
  });
  return total;
}

// A conditional load would wait for its condition, and the next load for the first. So where a neighbour may be outside
// of the grid, another element is loaded in its place, and counts as 0.

/// Threads that share a point at the side of the grid, on the way down.
constexpr int sharers = 8;

/// A thread's part of b of any coarse point: every so many lines of the stencil.
template <class Shape, class T>
__device__ float descend_side(const Pass<T>& pass, const Extents& at, int sharer) {
  constexpr bool deep = is_deep<Shape>;
  const Extents& e = pass.a.grid;
  const Index x = 2 * at.x + 1, y = 2 * at.y + 1, z = deep ? 2 * at.z + 1 : 0;
  const float* c = pass.c.a + pass.c.at(at.x, at.y, at.z, 0);
  float total = 0;
#pragma unroll 2
  for (int line = sharer; line < (deep ? 25 : 5); line += sharers) {
    const int dy = line % 5 - 2, dz = deep ? line / 5 - 2 : 0, far = reach<Shape>(dy, dz);
    if (z + dz < 0 || z + dz >= e.z || y + dy < 0 || y + dy >= e.y) continue;
    const auto n = static_cast<Index>(e.number(x, y + dy, z + dz));
    each<-2, 3>([&](auto dx) {
      const bool there = dx >= -far && dx <= far && x + dx >= 0 && x + dx < e.x;
      const float coefficient = c[slot_of(deep, dx, dy, dz) * scaled_classes];
      const auto value = static_cast<float>(pass.source(there ? n + dx : n));
      total += there ? coefficient * value : 0.0f;
    });
  }
  return total;
}

template <class Shape, class T>
__global__ void __launch_bounds__(threads) descend_kernel(const __grid_constant__ Pass<T> pass, float* out) {
  cuda::pdl_trigger_and_wait();
  const Extents& coarse = pass.c.grid;
  if (blockIdx.x < pass.shell_blocks) {
    const unsigned thread = blockIdx.x * threads + threadIdx.x;
    const auto n = static_cast<Index>(thread / sharers);
    const bool is_there = n < pass.shell.first[6];
    const Extents at = pass.shell.point(is_there ? n : 0);
    float total = is_there ? descend_side<Shape>(pass, at, static_cast<int>(thread % sharers)) : 0.0f;
    for (int d = sharers / 2; d > 0; d /= 2) total += __shfl_down_sync(0xffffffffu, total, d);
    if (is_there && thread % sharers == 0) out[coarse.number(at.x, at.y, at.z)] = total;
    return;
  }
  Index x, y, z;
  if (!pass.tiles.cell(blockIdx.x - pass.shell_blocks, x, y, z)) return;
  if constexpr (!is_deep<Shape>) {
    if (pass.reads_beside(2 * y - 1, 2 * y + 3)) {
      out[coarse.number(x, y, z)] =
          pass.pairs ? descend_even<Shape, true, true>(pass, x, y, z) : descend_even<Shape, false, true>(pass, x, y, z);
      return;
    }
  }
  out[coarse.number(x, y, z)] =
      pass.pairs ? descend_even<Shape, true>(pass, x, y, z) : descend_even<Shape, false>(pass, x, y, z);
}

/// The 2 x 2 fine points of a cell in a plane, that of its coarse point and those before: [y][x].
struct Cell {
  float v[2][2];
};

/// cell += S (I - omega A) P coarse. `coarse` points to the cell's own coarse point, in lines of so many points.
template <class Shape, class T>
__device__ void add_coarse(const Pass<T>& pass, const float* coarse, Index line, Cell& cell) {
  each<-1, 2>([&](auto ky) {
    each<-1, 2>([&](auto kx) {
      const float v = coarse[ky * line + kx];
      each<0, 2>([&](auto oy) {
        each<0, 2>([&](auto ox) {
          constexpr int dx = ox - 1 - 2 * kx, dy = oy - 1 - 2 * ky;
          if constexpr (dx >= -2 && dy >= -2) {
            constexpr int far = reach<Shape>(dy, 0);
            if constexpr (dx >= -far && dx <= far) cell.v[oy][ox] += pass.even_c[slot_of(false, dx, dy, 0)] * v;
          }
        });
      });
    });
  });
}

/// cell += omega S (2 - omega A) S r, where n is the cell's first point. Keeps the elements of the cell's points.
template <class Shape, bool Pairs, bool Beside, class T>
__device__ void add_source(const Pass<T>& pass, Index n, Cell& cell, Pair<T> (&own)[2]) {
  const Elements<Pairs, T> r(pass.r, n);
  each<-1, 3>([&](auto y) {
    constexpr bool is_own = y == 0 || y == 1;
    const Index distance = y * pass.a.grid.x;
    const Elements<Pairs, T> from = Beside ? Elements<Pairs, T>::anywhere(pass, n + distance) : r.at(distance);
    const Pair<T> middle = from.pair(0);
    float line[4] = {0, static_cast<float>(middle.v[0]), static_cast<float>(middle.v[1]), 0};
    if constexpr (is_own || !Shape::star) {
      line[0] = static_cast<float>(from[-1]), line[3] = static_cast<float>(from[2]);
    }
    if constexpr (is_own) own[y] = middle;
    each<0, 2>([&](auto oy) {
      constexpr int dy = y - oy;
      if constexpr (dy >= -1 && dy <= 1) {
        each<0, 2>([&](auto ox) {
          each<-1, 2>([&](auto dx) {
            constexpr int k = Step{dx, dy, 0}.number();
            if constexpr (k == centre) {
              cell.v[oy][ox] += pass.own * line[ox + 1];
            } else if constexpr (Shape::has(k)) {
              cell.v[oy][ox] += pass.side[Shape::coefficient(k)] * line[ox + dx + 1];
            }
          });
        });
      }
    });
  });
}

/// The target at the points of a cell where all coefficients are the shared ones, and nothing is outside of the grid.
/// Returns their part of r . z.
template <class Shape, bool Pairs, bool Beside = false, class T>
__device__ double ascend_even(const Pass<T>& pass, const Target<T>& target, const float* coarse, Index cx, Index cy) {
  const Index line = pass.a.grid.x, line_of_next = pass.c.grid.x, first = 2 * cy * line + 2 * cx;
  Cell cell{};
  Pair<T> own[2];
  add_coarse<Shape>(pass, coarse + cy * line_of_next + cx, line_of_next, cell);
  add_source<Shape, Pairs, Beside>(pass, first, cell, own);
  double dot = 0;
  each<0, 2>([&](auto oy) {
    const Index n = first + oy * line;
    Pair<T> out;
    each<0, 2>([&](auto ox) {
      out.v[ox] = target.power * static_cast<T>(cell.v[oy][ox]);
      dot += product_of(out.v[ox], own[oy].v[ox]);
    });
    if constexpr (Pairs) {
      *reinterpret_cast<Pair<T>*>(target.z.first + n) = out;
    } else {
      target.z[static_cast<std::size_t>(n)] = out.v[0];
      target.z[static_cast<std::size_t>(n + 1)] = out.v[1];
    }
  });
  return dot;
}

/// (A b)(at) at any fine point, where b(x, y, n) is the element of point n.
template <class Shape, class Element>
__device__ float product_at(const Coefficients& a, const Extents& at, Element b) {
  const auto own = static_cast<Index>(a.grid.number(at.x, at.y, 0));
  const float* row = a.a + a.at(at.x, at.y, 0, 0);
  float total = b(at.x, at.y, own);
  for_coefficients<Shape>([&](int c, auto k) {
    constexpr Step d = Step::of(decltype(k)::value);
    const bool there = a.grid.contains(at.x + d.x, at.y + d.y, 0);
    const float coefficient = row[c * scaled_classes];
    const float value = b(at.x + d.x, at.y + d.y, there ? own + d.distance(a.grid) : own);
    total += there ? coefficient * value : 0.0f;
  });
  return total;
}

/// (S (I - omega A) P coarse)(at) at any fine point.
template <class T>
__device__ float coarse_at(const Pass<T>& pass, const float* coarse, const Extents& at) {
  const Extents& e = pass.c.grid;
  const std::size_t near = e.number(min(at.x / 2, e.x - 1), min(at.y / 2, e.y - 1), 0);  // a point that the rank has
  float total = 0;
  each<-1, 2>([&](auto ky) {
    each<-1, 2>([&](auto kx) {
      const Index cx = at.x / 2 + kx, cy = at.y / 2 + ky;
      const int dx = at.x - 2 * cx - 1, dy = at.y - 2 * cy - 1;
      const bool there = e.contains(cx, cy, 0) && dx >= -2 && dy >= -2;
      const std::size_t of_class = slot_of(false, dx, dy, 0) * scaled_classes + pass.c.at(cx, cy, 0, 0);
      const float c = pass.c.a[there ? of_class : 0], value = coarse[there ? e.number(cx, cy, 0) : near];
      total += there ? c * value : 0.0f;
    });
  });
  return total;
}

/// The target at any fine point. Returns its part of r . z.
template <class Shape, class T>
__device__ double ascend_side(const Pass<T>& pass, const Target<T>& target, const float* coarse, const Extents& at) {
  const auto root = [&](Index x, Index y) {
    return pass.has_one_root ? pass.even_root : pass.root.a[pass.root.at(x, y, 0, 0)];
  };
  const auto b = [&](Index x, Index y, Index n) { return root(x, y) * static_cast<float>(pass.source(n)); };
  const std::size_t i = pass.a.grid.number(at.x, at.y, 0);
  const float change = 2 * b(at.x, at.y, static_cast<Index>(i)) - pass.omega * product_at<Shape>(pass.a, at, b);
  const float x = root(at.x, at.y) * pass.omega * change + coarse_at(pass, coarse, at);
  const T z = target.power * static_cast<T>(x);
  target.z[i] = z;
  return product_of(z, pass.r[i]);
}

template <class Shape, class T>
__global__ void __launch_bounds__(threads) ascend_kernel(const __grid_constant__ Pass<T> pass, const Target<T> target,
                                                         const float* coarse, unsigned blocks, cuda::Reduction to) {
  cuda::pdl_trigger_and_wait();
  double dot = 0;
  for (unsigned block = blockIdx.x; block < blocks; block += gridDim.x) {
    if (block < pass.shell_blocks) {
      const auto n = static_cast<Index>(block * threads + threadIdx.x);
      if (n < pass.shell.first[6]) dot += ascend_side<Shape>(pass, target, coarse, pass.shell.point(n));
      continue;
    }
    Index x, y, z;
    if (!pass.tiles.cell(block - pass.shell_blocks, x, y, z)) continue;
    if (pass.reads_beside(2 * y - 1, 2 * y + 2)) {
      dot += pass.pairs ? ascend_even<Shape, true, true>(pass, target, coarse, x, y)
                        : ascend_even<Shape, false, true>(pass, target, coarse, x, y);
      continue;
    }
    dot += pass.pairs ? ascend_even<Shape, true>(pass, target, coarse, x, y)
                      : ascend_even<Shape, false>(pass, target, coarse, x, y);
  }
  if (to.slots != nullptr) cuda::grid_sum(Sums<1>{{dot}}, to, [](const Sums<1>&) {});
}

template <class F>
void with_shape_of(const Level<Cuda>& level, F f) {
  if (level.dimensions == 2) return level.star ? f(Shape<2, true>{}) : f(Shape<2, false>{});
  level.star ? f(Shape<3, true>{}) : f(Shape<3, false>{});
}

/// An empty box has no point, wherever the axes that it has points of end.
Box without_empty(const Box& b, const Box& all) {
  const Extents sides = b.sides();
  return sides.x > 0 && sides.y > 0 && sides.z > 0 ? b : Box{all.begin, all.begin};
}

/// The points begin .. end - 1 along the last axis.
Box part_of(const Extents& e, int dimensions, Index begin, Index end) {
  return dimensions > 2 ? Box{{0, 0, begin}, {e.x, e.y, end}} : Box{{0, begin, 0}, {e.x, end, e.z}};
}

/// The coarse points or cells whose fine points a rank has.
template <class T>
Box own_part(const Level<Cuda>& level, const OwnPlanes<T>* own, const Extents& coarse) {
  const Index all = level.dimensions > 2 ? coarse.z : coarse.y;
  if (own == nullptr) return part_of(coarse, level.dimensions, 0, all);
  const Index begin = own->begin / 2, end = std::min(all, (own->end + 1) / 2);
  return part_of(coarse, level.dimensions, begin, own->begin == own->end ? begin : end);
}

/// The coarse points along an axis for which a pass has the shared coefficients: of an axis of n fine points, of whose
/// operator, scale and weights the parts from `begin` to before `end` are even.
struct EvenRange {
  Index n, a_begin, a_end, root_begin, root_end, p_begin, p_end;

  /// Down, a coarse point takes its weights, the rows of its fine points, and the points beside those.
  void down(Index& begin, Index& end) const {
    begin = std::max({Index{1}, p_begin, (a_begin + 1) / 2, (root_begin + 2) / 2});
    end = std::min({p_end, (a_end - 1) / 2, (std::min(root_end, n) - 2) / 2});
  }
  /// Up, a cell takes the rows of its two points, the points beside those, and the weights of three coarse points.
  void up(Index& begin, Index& end) const {
    begin = std::max({Index{1}, p_begin + 1, (a_begin + 1) / 2, (root_begin + 2) / 2});
    end = std::min({p_end - 1, a_end / 2, (std::min(root_end, n) - 1) / 2});
  }
};

/// What along(range, begin, end) gives for each axis, of a part.
template <class Along>
Box even_box(const Level<Cuda>& level, const EvenPart& root, const Box& part, Along along) {
  const EvenPart &a = level.even_a, &p = level.even_p;
  const Extents& e = level.grid;
  Box box{{0, 0, 0}, {1, 1, 1}};
  along(EvenRange{e.x, a.begin.x, a.end.x, root.begin.x, root.end.x, p.begin.x, p.end.x}, box.begin.x, box.end.x);
  along(EvenRange{e.y, a.begin.y, a.end.y, root.begin.y, root.end.y, p.begin.y, p.end.y}, box.begin.y, box.end.y);
  if (level.dimensions > 2)
    along(EvenRange{e.z, a.begin.z, a.end.z, root.begin.z, root.end.z, p.begin.z, p.end.z}, box.begin.z, box.end.z);
  const auto larger = [](const Extents& u, const Extents& v) {
    return Extents{std::max(u.x, v.x), std::max(u.y, v.y), std::max(u.z, v.z)};
  };
  const auto smaller = [](const Extents& u, const Extents& v) {
    return Extents{std::min(u.x, v.x), std::min(u.y, v.y), std::min(u.z, v.z)};
  };
  return without_empty({larger(box.begin, part.begin), smaller(box.end, part.end)}, part);
}

bool covers(const EvenPart& part, const Extents& e) {
  return part.begin.x <= 0 && part.begin.y <= 0 && part.begin.z <= 0 && part.end.x >= e.x && part.end.y >= e.y &&
         part.end.z >= e.z;
}

template <class T>
Pass<T> make_pass(const Level<Cuda>& level, float omega, const TransferStencil<Cuda>& stencil, const Source<T>& source,
                  const OwnPlanes<T>* own, const Box& even, const Shell& shell, int threads_a_point, bool pairs) {
  const EvenPart& even_root = *source.even_root;
  const Index plane = level.dimensions > 2 ? level.grid.x * level.grid.y : level.grid.x;
  Pass<T> pass{level.operator_view(),
               source.root,
               {level.next, stencil.by_class.data(), true},
               source.r,
               own != nullptr ? own->below : source.r.first,
               own != nullptr ? own->above : source.r.first,
               own != nullptr ? own->begin * plane : 0,
               own != nullptr ? own->end * plane : std::numeric_limits<Index>::max(),
               omega,
               Tiles(even, level.dimensions > 2),
               shell,
               static_cast<unsigned>((static_cast<Offset>(shell.count()) * threads_a_point + threads - 1) / threads),
               pairs && level.grid.x % 2 == 0,
               covers(even_root, level.grid),
               even_root.values[0],
               {},
               0,
               {}};
  std::copy(stencil.even.begin(), stencil.even.end(), pass.even_c);
  const float scale = pass.even_root * pass.even_root * omega;
  pass.own = scale * (2 - omega);
  std::transform(level.even_a.values.begin(), level.even_a.values.end(), pass.side,
                 [&](float v) { return -scale * omega * v; });
  return pass;
}

template <class T>
bool moves_pairs(const Strided<T>& v) {
  return v.step == 1 && reinterpret_cast<std::uintptr_t>(v.first) % sizeof(Pair<std::remove_const_t<T>>) == 0;
}

}  // namespace

bool has_descent(const Cuda&, const Level<Cuda>& level) {
  return level.by_class && ((level.dimensions == 3 && level.axes == 7) || (level.dimensions == 2 && level.axes == 3));
}

bool has_ascent(const Cuda& space, const Level<Cuda>& level) {
  // In three dimensions the points at the sides cost more than a pass gains, but for a plain grid (H200, 2026-11).
  return has_descent(space, level) && (level.dimensions == 2 || level.plain);
}

/// The coefficients of all steps that nearly all coarse points share: composed() of the even rows and weights.
template <class S>
std::vector<float> composed(const TransferOf<Cuda>& t, bool up) {
  const std::vector<float>&a = t.level->even_a.values, &p = t.level->even_p.values;
  const auto omega = static_cast<double>(t.omega);
  std::vector<double> sums(coefficients<S>, 0.0);
  for (int k = 0; k < neighbours; ++k) {
    if (!AllHalved<S>::has(k)) continue;
    const Step w = Step::of(k);
    const auto weight = static_cast<double>(p[static_cast<std::size_t>(AllHalved<S>::coefficient(k))]);
    for (int n = 0; n < neighbours; ++n) {
      if (n != centre && !S::has(n)) continue;
      const Step d = w + Step::of(n);
      const auto side = [&] {
        return static_cast<double>(a[static_cast<std::size_t>(S::coefficient(up ? opposite(n) : n))]);
      };
      sums[static_cast<std::size_t>(slot_of(is_deep<S>, d.x, d.y, d.z))] +=
          weight * (n == centre ? 1 - omega : -omega * side());
    }
  }
  std::vector<float> even;
  for (const double c : sums) even.push_back(static_cast<float>(static_cast<double>(t.even_root->values[0]) * c));
  return even;
}

/// Enqueues the kernels that fill the tables, all of the same dimensions.
void compose(const Cuda& space, const std::vector<Composition>& all, bool deep) {
  const int count = deep ? 125 : 25, blocks = (count * scaled_classes + threads - 1) / threads;
  for (std::size_t first = 0; first < all.size(); first += Compositions::most) {
    Compositions some;
    const std::size_t last = std::min(all.size(), first + Compositions::most);
    std::copy(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last),
              some.table);
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(last - first));
    cuda::launch(space, deep ? compose_kernel<3> : compose_kernel<2>, grid, threads, 0, some);
  }
}

std::vector<Transfer<Cuda>> make_transfers(const Cuda& space, const std::vector<TransferOf<Cuda>>& wanted) {
  std::vector<Composition> tables;
  const auto elements = [](const TransferOf<Cuda>& t) {
    return in_whole_lines(Transfer<Cuda>::bytes_of(*t.level) / sizeof(float));
  };
  std::size_t total = 0, next = 0;  // elements of one array that the tables share
  for (const TransferOf<Cuda>& t : wanted) total += elements(t);
  const auto shared = std::make_shared<Vector<Cuda, float>>(space, total);
  const auto stencil = [&]<class S>(S, const TransferOf<Cuda>& t, std::size_t first, bool up) {
    const Level<Cuda>& level = *t.level;
    constexpr std::size_t size = coefficients<S> * std::size_t{scaled_classes};
    TransferStencil<Cuda> made{Part<Cuda>(shared, first + (up ? size : 0), size), {}};
    tables.push_back(
        {level.operator_view(), level.weights_view(), t.root, t.omega, up, level.star, made.by_class.data()});
    return made;
  };
  std::vector<Transfer<Cuda>> transfers;
  for (const TransferOf<Cuda>& t : wanted) {
    Transfer<Cuda>& made = transfers.emplace_back();
    made.omega = t.omega;
    made.plain = t.level->plain;
    if (made.plain) continue;
    const std::size_t first = std::exchange(next, next + elements(t));
    with_shape_of(*t.level, [&]<class S>(S shape) {
      made.down = stencil(shape, t, first, false);
      if (!is_deep<S>) made.up = stencil(shape, t, first, true);
    });
  }
  if (wanted.empty()) return transfers;
  compose(space, tables, wanted.front().level->dimensions > 2);
  for (std::size_t k = 0; k < wanted.size(); ++k) {  // while the kernels run
    if (transfers[k].plain) continue;
    with_shape_of(*wanted[k].level, [&]<class S>(S) {
      transfers[k].down.even = composed<S>(wanted[k], false);
      if (!is_deep<S>) transfers[k].up.even = composed<S>(wanted[k], true);
    });
  }
  return transfers;
}

template <class T>
void descend(const Cuda& space, const Level<Cuda>& level, const Transfer<Cuda>& transfer, const Source<T>& source,
             float* b_of_next, const OwnPlanes<T>* own) {
  if (level.plain) return descend_planes(space, level, transfer.omega, source, b_of_next, own);
  const Box part = own_part(level, own, level.next);
  const Box box = even_box(level, *source.even_root, part,
                           [](const EvenRange& r, Index& begin, Index& end) { r.down(begin, end); });
  const Pass<T> pass = make_pass(level, transfer.omega, transfer.down, source, own, box, Shell(part, box), sharers,
                                 moves_pairs(source.r));
  if (pass.blocks() == 0) return;
  with_shape_of(level, [&]<class S>(S) {
    cuda::launch(space, descend_kernel<S, T>, pass.blocks(), threads, 0, pass, b_of_next);
  });
}

template <class T>
void ascend(const Cuda& space, const Level<Cuda>& level, const Transfer<Cuda>& transfer, const Source<T>& source,
            const float* coarse, const Target<T>& target, const OwnPlanes<T>* own) {
  if (level.plain) return ascend_planes(space, level, transfer.omega, source, coarse, target, own);
  const Extents& e = level.grid;
  const Box part = own_part(level, own, {(e.x + 1) / 2, (e.y + 1) / 2, 1});
  const Box cells =
      even_box(level, *source.even_root, part, [](const EvenRange& r, Index& begin, Index& end) { r.up(begin, end); });
  const Box fine{{2 * cells.begin.x, 2 * cells.begin.y, cells.begin.z},
                 {2 * cells.end.x, 2 * cells.end.y, cells.end.z}};
  const Box all = part_of(e, level.dimensions, own != nullptr ? own->begin : 0, own != nullptr ? own->end : e.y);
  const Pass<T> pass = make_pass(level, transfer.omega, transfer.up, source, own, cells, Shell(all, fine), 1,
                                 moves_pairs(source.r) && moves_pairs(target.z));
  if (pass.blocks() == 0) return;
  const auto fill = static_cast<unsigned>(std::min(space.multiprocessors() * 8, Cuda::State::max_partial));
  const unsigned blocks = target.slot == nullptr ? pass.blocks() : std::min(pass.blocks(), fill);
  const auto kernel = level.star ? ascend_kernel<Shape<2, true>, T> : ascend_kernel<Shape<2, false>, T>;
  cuda::launch(space, kernel, blocks, threads, 0, pass, target, coarse, pass.blocks(),
               cuda::reduction(space, target.slot));
}

#define OSTINATO_INSTANTIATE(T)                                                                                \
  template void descend(const Cuda&, const Level<Cuda>&, const Transfer<Cuda>&, const Source<T>&, float*,      \
                        const OwnPlanes<T>*);                                                                  \
  template void ascend(const Cuda&, const Level<Cuda>&, const Transfer<Cuda>&, const Source<T>&, const float*, \
                       const Target<T>&, const OwnPlanes<T>*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::multigrid

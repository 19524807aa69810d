// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The way up a grid of three dimensions whose stencil is a star. A thread has the 2 x 2 fine points of a coarse one in
// a plane and marches along z. What lies beside them along x comes from the neighbouring lanes of the warp, along y
// from the neighbouring warps through shared memory, along z from sums that wait for the next plane. The outermost
// lanes and warps of a thread block serve the others only.
//
// The coefficients are by class. Those of nearly all points are arguments of the kernel; the others are read from the
// tables.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ostinato/preconditioners/multigrid/structured/planes.hpp>
#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>

namespace ostinato::multigrid {

namespace {

constexpr int warps = 16, threads = 32 * warps;
constexpr int tile_x = 30, tile_y = warps - 2;  ///< coarse points that a thread block serves
constexpr int blocks_each = 2;                  ///< thread blocks that a multiprocessor holds at once
constexpr unsigned all_lanes = 0xffffffffu;

/// Coefficients that all points of a box share.
template <int Count>
struct Shared {
  float value[Count];
  Extents begin, end;

  explicit Shared(const EvenPart& even) : value{}, begin(even.begin), end(even.end) {
    std::copy(even.values.begin(), even.values.end(), value);
  }
  /// Whether the points (x, y) to (x + 1, y + 1) of a plane that the grid has are in the box.
  __device__ bool has_quad(Index x, Index y, const Extents& e) const {
    return max(x, 0) >= begin.x && min(x + 1, e.x - 1) < end.x && max(y, 0) >= begin.y && min(y + 1, e.y - 1) < end.y;
  }
  __device__ bool has_planes(const Extents& e) const { return begin.z <= 0 && end.z >= e.z; }
  __device__ bool has_plane(Index z) const { return z >= begin.z && z < end.z; }
};

/// How thread blocks cut a grid: tiles along x first, then y, then runs of coarse planes.
struct Runs {
  unsigned along_x, along_y, along_z;
  Index planes;  ///< coarse planes of a run

  Runs(const Extents& cells, int multiprocessors) {
    const auto tiles = [](Index n, int side) { return static_cast<unsigned>((n + side - 1) / side); };
    along_x = tiles(cells.x, tile_x);
    along_y = tiles(cells.y, tile_y);
    const std::size_t fill = static_cast<std::size_t>(multiprocessors) * blocks_each;
    const auto wanted = static_cast<Index>(std::max<std::size_t>(1, fill / (std::size_t{along_x} * along_y)));
    planes = std::max<Index>(1, (cells.z + wanted - 1) / wanted);
    along_z = tiles(cells.z, planes);
  }

  std::size_t count() const { return std::size_t{along_x} * along_y * along_z; }
};

template <class T>
struct Pass {
  Coefficients a, p;
  Source<T> source;
  float omega;
  Shared<neighbours - 1> even_a;
  Shared<neighbours> even_p;
  Shared<1> even_root;
  Runs runs;
  bool pairs;  ///< whether two elements of the source, or of the target, beside each other along x move as one
};

using Star = Shape<3, true>;
using AllHalved = Halved<7>;

/// The place of a thread: coarse point (cx, cy) and the fine points (x, y) to (x + 1, y + 1).
struct Place {
  int lane, warp;
  Index cx, cy, x, y;
  Index first, end;         ///< the coarse planes of the thread block
  bool has_x[2], has_y[2];  ///< whether the grid has the columns x and x + 1, the lines y and y + 1
  bool serves;              ///< whether the thread gives results
  // Whether the coefficients of the thread's points in a plane that the grid has are the shared ones: of the operator,
  // the scale of the source, the weights of the coarse points that give to them.
  bool even_rows, even_roots, even_parents;
  bool even;  ///< whether those of the operator and of the source are, in all planes
  // By class: the places along x and y of the fine points and of the four coarse points at the end of which the
  // thread's own is, a byte each.
  unsigned places, parent_places;

  template <class T>
  __device__ Place(const Pass<T>& pass, unsigned tile, Index planes) {
    const Runs& r = pass.runs;
    const unsigned line = tile / r.along_x, layer = line / r.along_y;
    lane = static_cast<int>(threadIdx.x % 32);
    warp = static_cast<int>(threadIdx.x / 32);
    cx = static_cast<Index>(tile - line * r.along_x) * tile_x + lane - 1;
    cy = static_cast<Index>(line - layer * r.along_y) * tile_y + warp - 1;
    x = 2 * cx;
    y = 2 * cy;
    first = static_cast<Index>(layer) * r.planes;
    end = min(first + r.planes, planes);
    for (int k = 0; k < 2; ++k) {
      has_x[k] = x + k >= 0 && x + k < pass.a.grid.x;
      has_y[k] = y + k >= 0 && y + k < pass.a.grid.y;
    }
    serves = lane > 0 && lane <= tile_x && warp > 0 && warp <= tile_y;
    even_rows = pass.even_a.has_quad(x, y, pass.a.grid);
    even_roots = pass.even_root.has_quad(x, y, pass.a.grid);
    even_parents = pass.even_p.has_quad(cx - 1, cy - 1, pass.p.grid);
    even = even_rows && even_roots && pass.even_a.has_planes(pass.a.grid) && pass.even_root.has_planes(pass.a.grid);
    places = even ? 0 : places_of(x, y, pass.a.grid);
    parent_places = even_parents && pass.even_p.has_planes(pass.p.grid) ? 0 : places_of(cx - 1, cy - 1, pass.p.grid);
  }

  __device__ static unsigned places_of(Index x, Index y, const Extents& e) {
    const auto left = static_cast<unsigned>(scaled_place(x, e.x)),
               right = static_cast<unsigned>(scaled_place(x + 1, e.x)),
               above = 5 * static_cast<unsigned>(scaled_place(y, e.y)),
               below = 5 * static_cast<unsigned>(scaled_place(y + 1, e.y));
    return (left + above) | (right + above) << 8 | (left + below) << 16 | (right + below) << 24;
  }
  __device__ bool has(int line, int column) const { return has_y[line] && has_x[column]; }
  /// The number of the thread's first fine point in a plane; negative outside the grid.
  __device__ Index number(const Extents& e, Index z) const { return (z * e.y + y) * e.x + x; }
};

/// A thread's fine points in a plane: [line][column].
struct Quad {
  float v[2][2];
};

template <int N>
struct Constant {
  __host__ __device__ constexpr operator int() const { return N; }
};

/// Calls f(line, column) for the points of a quad. Both are constants to the compiler.
template <class F>
__device__ void for_quad(F f) {
  using Zero = Constant<0>;
  using One = Constant<1>;
  f(Zero{}, Zero{});
  f(Zero{}, One{});
  f(One{}, Zero{});
  f(One{}, One{});
}

/// The points of a quad and those around it.
struct Window {
  float v[4][4];
};

/// The lines of all warps, in shared memory: those of x for one plane.
struct Lines {
  float2 x[warps][2][32];
};

__device__ void put(Lines& lines, const Place& p, const Quad& q) {
  lines.x[p.warp][0][p.lane] = {q.v[0][0], q.v[0][1]};
  lines.x[p.warp][1][p.lane] = {q.v[1][0], q.v[1][1]};
}

/// The window of a quad, without the corners, after all threads have put theirs.
__device__ Window window(const Lines& lines, const Place& p, const Quad& q) {
  const float2 above = lines.x[max(p.warp - 1, 0)][1][p.lane], below = lines.x[min(p.warp + 1, warps - 1)][0][p.lane];
  Window w;
  w.v[0][1] = above.x, w.v[0][2] = above.y, w.v[3][1] = below.x, w.v[3][2] = below.y;
  for_quad([&](auto line, auto column) { w.v[line + 1][column + 1] = q.v[line][column]; });
#pragma unroll
  for (int line = 1; line < 3; ++line) {
    w.v[line][0] = __shfl_up_sync(all_lanes, w.v[line][2], 1);
    w.v[line][3] = __shfl_down_sync(all_lanes, w.v[line][1], 1);
  }
  return w;
}

/// Where the coefficients of a thread's fine point are, of the operator or the scale of the source. Points outside the
/// grid get some coefficients of others, too.
__device__ int class_of(const Coefficients& a, const Place& p, int line, int column, Index z) {
  return static_cast<int>(p.places >> 8 * (2 * line + column) & 255) + 25 * scaled_place(z, a.grid.z);
}

/// Where the weights of a parent of a thread's points, [y - 1, y][x - 1, x] of coarse points, are.
__device__ int class_of_parent(const Coefficients& w, const Place& p, int line, int column, Index k) {
  return static_cast<int>(p.parent_places >> 8 * (2 * line + column) & 255) + 25 * scaled_place(k, w.grid.z);
}

/// sum += the part of A x for a quad in plane z that the plane z + Dz of x gives. Even: the coefficients are the shared
/// ones; outside the grid, the sum may be anything.
template <int Dz, bool Even, class T>
__device__ void add_product(const Pass<T>& pass, const Place& p, Index z, const Window& w, Quad& sum) {
  const Coefficients& a = pass.a;
  if constexpr (Dz == 0) for_quad([&](auto line, auto column) { sum.v[line][column] += w.v[line + 1][column + 1]; });
  const auto add = [&](auto value) {
    for_coefficients<Star>([&](int c, auto k) {
      constexpr Step d = Step::of(decltype(k)::value);
      if constexpr (d.z == Dz) {
        for_quad([&](auto line, auto column) {
          sum.v[line][column] += value(c, line, column) * w.v[line + 1 + d.y][column + 1 + d.x];
        });
      }
    });
  };
  if (Even || (p.even_rows && pass.even_a.has_plane(z))) {
    add([&](int c, auto, auto) { return pass.even_a.value[c]; });
  } else if (z >= 0 && z < a.grid.z) {
    const float* row[2][2];
    for_quad([&](auto line, auto column) { row[line][column] = a.a + class_of(a, p, line, column, z); });
    add([&](int c, auto line, auto column) { return row[line][column][c * scaled_classes]; });
  }
}

/// Two elements beside each other along x.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T v[2];
};

/// The source's elements of a quad in plane z; 0 outside the grid.
template <class T>
struct Elements {
  T v[2][2];

  __device__ Elements(const Pass<T>& pass, const Place& p, Index z) {
    const Extents& e = pass.a.grid;
    const Strided<const T>& r = pass.source.r;
    const Index n = p.number(e, z);
    const bool has_plane = z >= 0 && z < e.z;
    for_quad([&](auto line, auto column) {
      v[line][column] = has_plane && p.has(line, column) ? r.first[(n + line * e.x + column) * r.step] : T{0};
    });
  }
  __device__ Elements(const Pair<T>& above, const Pair<T>& below)
      : v{{above.v[0], above.v[1]}, {below.v[0], below.v[1]}} {}

  /// Times the scale of the source.
  __device__ Quad scaled(const Quad& roots) const {
    Quad b;
    for_quad([&](auto line, auto column) {
      b.v[line][column] = static_cast<float>(static_cast<T>(roots.v[line][column]) * v[line][column]);
    });
    return b;
  }
};

/// The planes of the source that a thread block has or waits for, in shared memory: the one before the plane in turn,
/// that plane, and two more that are on their way. Each thread copies its own quads, and reads these alone.
template <class T>
class Planes {
 public:
  static constexpr int count = 4;
  static constexpr std::size_t bytes = count * 2 * threads * sizeof(Pair<T>);

  /// Begins to copy the planes from `first` on, up to `end`.
  __device__ Planes(const Pass<T>& pass, const Place& p, Pair<T>* room, Index first, Index end)
      : pass_(pass),
        p_(p),
        room_(static_cast<unsigned>(__cvta_generic_to_shared(room + threadIdx.x))),
        end_(min(end, pass.a.grid.z)),
        from_(pass.source.r.first + static_cast<Offset>(p.number(pass.a.grid, first)) * pass.source.r.step) {
    for (Index z = first; z < first + count - 1; ++z) fetch(z);
  }

  /// The elements in plane z, which is in turn or before. Those of the plane in turn have to be waited for.
  __device__ Elements<T> operator[](Index z) const {
    const auto* pair = static_cast<const Pair<T>*>(__cvta_shared_to_generic(slot(z)));
    return {pair[0], pair[threads]};
  }

  /// Waits for the next plane in turn.
  __device__ void wait() const { asm volatile("cp.async.wait_group %0;" ::"n"(count - 2) : "memory"); }

  /// Begins to copy the plane that comes after those which are there. The one before the plane in turn, z, is lost.
  __device__ void go_on(Index z) { fetch(z + count - 1); }

  /// Waits for all planes, before others are copied to the same place: copies under way have no order.
  __device__ void wait_for_rest() const { asm volatile("cp.async.wait_all;" ::: "memory"); }

 private:
  __device__ unsigned slot(Index z) const {
    return room_ + (static_cast<unsigned>(z) & (count - 1)) * static_cast<unsigned>(2 * threads * sizeof(Pair<T>));
  }

  __device__ void fetch(Index z) {
    const bool has_plane = z >= 0 && z < end_;
    const Index step = pass_.source.r.step, line_step = pass_.a.grid.x * step;
#pragma unroll
    for (int line = 0; line < 2; ++line) {
      const unsigned to = slot(z) + line * static_cast<unsigned>(threads * sizeof(Pair<T>));
      const T* from = from_ + line * line_step;
      const bool has_line = has_plane && p_.has_y[line];
      if (pass_.pairs) {
        copy<sizeof(Pair<T>)>(to, from, has_line && p_.has_x[0]);
      } else {
        copy<sizeof(T)>(to, from, has_line && p_.has_x[0]);
        copy<sizeof(T)>(to + static_cast<unsigned>(sizeof(T)), from + step, has_line && p_.has_x[1]);
      }
    }
    from_ += static_cast<Offset>(pass_.a.grid.y) * line_step;
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  /// Copies Bytes bytes, or fills in zeros; then nothing is read.
  template <std::size_t Bytes>
  __device__ static void copy(unsigned to, const T* from, bool has) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes),
                 "r"(has ? static_cast<unsigned>(Bytes) : 0)
                 : "memory");
  }

  const Pass<T>& pass_;
  const Place& p_;
  unsigned room_;
  Index end_;
  const T* from_;  ///< the quad in the plane that is copied next
};

/// The scale of the source in a quad.
template <bool Even, class T>
__device__ Quad roots(const Pass<T>& pass, const Place& p, Index z) {
  Quad root;
  if (Even || (p.even_roots && pass.even_root.has_plane(z))) {
    for_quad([&](auto line, auto column) { root.v[line][column] = pass.even_root.value[0]; });
  } else {
    const Coefficients& all = pass.source.root;
    for_quad([&](auto line, auto column) { root.v[line][column] = all.a[class_of(all, p, line, column, z)]; });
  }
  return root;
}

/// The elements of a coarse plane that a thread reads: [y - 1, y] at its own coarse point along x. 0 outside the grid.
struct CoarsePair {
  float v[2];

  template <class T>
  __device__ CoarsePair(const Pass<T>& pass, const Place& p, const float* coarse, Index k) {
    const Extents& e = pass.p.grid;
#pragma unroll
    for (int line = 0; line < 2; ++line) {
      const Index y = p.cy - 1 + line;
      v[line] = e.contains(p.cx, y, k) ? coarse[(k * e.y + y) * e.x + p.cx] : 0.0f;
    }
  }
};

/// The coarse points that a quad is interpolated from, in a plane: [y - 1, y][x - 1, x].
struct Parents {
  float v[2][2];

  __device__ explicit Parents(const CoarsePair& own) {
#pragma unroll
    for (int line = 0; line < 2; ++line) {
      v[line][1] = own.v[line];
      v[line][0] = __shfl_up_sync(all_lanes, own.v[line], 1);
    }
  }
};

/// x += what the parents of coarse plane k give to a quad Dz planes from that plane.
template <int Dz, class T>
__device__ void interpolate(const Pass<T>& pass, const Place& p, const Parents& parents, Index k, Quad& x) {
  using H = AllHalved;
  const Coefficients& weights = pass.p;
  // value(c, line, column): weight c of the parent at [line][column].
  const auto add = [&](auto value) {
    constexpr int along[] = {H::coefficient(Step{0, -1, Dz}.number()), H::coefficient(Step{0, 0, Dz}.number()),
                             H::coefficient(Step{0, 1, Dz}.number())};
    using Zero = Constant<0>;
    using One = Constant<1>;
    const auto line = [&](int c, auto from, auto to) {
      x.v[to][1] += value(c, from, One{}) * parents.v[from][1];
      x.v[to][0] += value(c - 1, from, One{}) * parents.v[from][1] + value(c + 1, from, Zero{}) * parents.v[from][0];
    };
    line(along[0], One{}, Zero{});
    line(along[1], One{}, One{});
    line(along[2], Zero{}, Zero{});
  };
  if (p.even_parents && pass.even_p.has_plane(k)) {
    add([&](int c, int, int) { return pass.even_p.value[c]; });
  } else if (k >= 0 && k < weights.grid.z) {
    const float* of[2][2];
    for_quad(
        [&](auto line, auto column) { of[line][column] = weights.a + class_of_parent(weights, p, line, column, k); });
    add([&](int c, auto line, auto column) { return of[line][column][c * scaled_classes]; });
  }
}

/// x + omega b
template <class T>
__device__ Quad moved(const Pass<T>& pass, const Quad& x, const Quad& b) {
  Quad y;
  for_quad([&](auto line, auto column) { y.v[line][column] = x.v[line][column] + pass.omega * b.v[line][column]; });
  return y;
}

/// The last sweep in a plane, for the elements r of the source: y is x + omega b, the product A x. Returns the thread's
/// part of r . z.
template <bool Even, class T>
__device__ double smooth_and_leave(const Pass<T>& pass, const Target<T>& target, const Place& p, Index z,
                                   const Elements<T>& r, const Quad& y, const Quad& product) {
  if (!p.serves) return 0;
  const Quad root = roots<Even>(pass, p, z);
  const Extents& e = pass.a.grid;
  const Index n = p.number(e, z);
  double dot = 0;
  Pair<T> result[2];
  for_quad([&](auto line, auto column) {
    const float value = y.v[line][column] - pass.omega * product.v[line][column];
    result[line].v[column] = target.power * static_cast<T>(root.v[line][column]) * static_cast<T>(value);
    // r is 0 outside the grid, and the result is finite there.
    dot += static_cast<double>(result[line].v[column]) * static_cast<double>(r.v[line][column]);
  });
#pragma unroll
  for (int line = 0; line < 2; ++line) {
    if (!p.has_y[line]) continue;
    T* const to = target.z.first + (n + line * e.x) * target.z.step;
    if (pass.pairs) {
      if (p.has_x[0]) *reinterpret_cast<Pair<T>*>(to) = result[line];
    } else {
      for (int column = 0; column < 2; ++column) {
        if (p.has_x[column]) to[column * target.z.step] = result[line].v[column];
      }
    }
  }
  return dot;
}

/// omega b + correction; 0 outside the grid.
template <class T>
__device__ Quad corrected(const Pass<T>& pass, const Place& p, Index z, const Quad& b, const Quad& correction) {
  const bool has_plane = z >= 0 && z < pass.a.grid.z;
  Quad x;
  for_quad([&](auto line, auto column) {
    const float value = pass.omega * b.v[line][column] + correction.v[line][column];
    x.v[line][column] = has_plane && p.has(line, column) ? value : 0.0f;
  });
  return x;
}

/// The target in the planes of a thread block. In turn z, x of plane z comes in, and the product of plane z - 1 becomes
/// complete.
template <bool Even, class T>
__device__ double ascend_run(const Pass<T>& pass, const Place& p, const float* coarse, const Target<T>& target,
                             Lines* lines, Pair<T>* room) {
  const Index first = 2 * p.first, last = min(2 * p.end, pass.a.grid.z);
  Planes<T> r(pass, p, room, first - 1, last + 1);
  Quad before{}, product{}, next{};
  Parents parents(CoarsePair(pass, p, coarse, p.first - 1));
  CoarsePair coming(pass, p, coarse, p.first);
  double dot = 0;
  const auto turn = [&](auto is_even, Index z) {
    Quad x{};
    const Index k = z >> 1;  // rounded down, also for z = -1
    if constexpr (!is_even) {
      interpolate<0>(pass, p, parents, k, x);
    } else {
      interpolate<1>(pass, p, parents, k - 1, x);
      parents = Parents(coming);
      coming = CoarsePair(pass, p, coarse, k + 1);
      interpolate<-1>(pass, p, parents, k, x);
    }
    r.wait();
    const Quad b = r[z].scaled(roots<Even>(pass, p, z));
    x = corrected(pass, p, z, b, x);
    Lines& shared = lines[is_even ? 0 : 1];
    put(shared, p, x);
    __syncthreads();
    const Window w = window(shared, p, x);
    add_product<1, Even>(pass, p, z - 1, w, product);
    if (z > first) dot += smooth_and_leave<Even>(pass, target, p, z - 1, r[z - 1], before, product);
    r.go_on(z);
    product = next;
    add_product<0, Even>(pass, p, z, w, product);
    next = Quad{};
    add_product<-1, Even>(pass, p, z + 1, w, next);
    before = moved(pass, x, b);
  };
  for (Index z = first; z <= last + 1; z += 2) {
    turn(Constant<0>{}, z - 1);
    if (z <= last) turn(Constant<1>{}, z);
  }
  r.wait_for_rest();
  return dot;
}

template <class T>
__global__ void __launch_bounds__(threads, blocks_each)
    ascend_kernel(const Pass<T> pass, const float* coarse, const Target<T> target, unsigned tiles, cuda::Reduction to) {
  __shared__ Lines lines[2];
  extern __shared__ double2 room[];
  auto* const planes = reinterpret_cast<Pair<T>*>(room);
  cuda::pdl_trigger_and_wait();
  double dot = 0;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Place place(pass, tile, (pass.a.grid.z + 1) / 2);
    if (__syncthreads_and(place.even) != 0) {
      dot += ascend_run<true>(pass, place, coarse, target, lines, planes);
    } else {
      dot += ascend_run<false>(pass, place, coarse, target, lines, planes);
    }
    __syncthreads();
  }
  if (to.slots != nullptr) cuda::grid_sum(Sums<1>{{dot}}, to, [](const Sums<1>&) {});
}

template <class T>
Pass<T> make_pass(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source,
                  const Extents& cells, Strided<const T> target = {}) {
  const auto pairs = [&](const Strided<const T>& v) {
    return v.step == 1 && reinterpret_cast<std::uintptr_t>(v.first) % sizeof(Pair<T>) == 0;
  };
  return {level.operator_view(),
          level.weights_view(),
          source,
          omega,
          Shared<neighbours - 1>(level.even_a),
          Shared<neighbours>(level.even_p),
          Shared<1>(*source.even_root),
          Runs(cells, space.multiprocessors()),
          level.grid.x % 2 == 0 && pairs(source.r) && pairs(target)};
}

}  // namespace

template <class T>
void ascend_planes(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source,
                   const float* coarse, const Target<T>& target) {
  const Extents& e = level.grid;
  const Extents cells{(e.x + 1) / 2, (e.y + 1) / 2, (e.z + 1) / 2};
  const Pass<T> pass = make_pass(space, level, omega, source, cells, {target.z.first, target.z.step});
  const auto tiles = static_cast<unsigned>(pass.runs.count());
  const auto fill = static_cast<unsigned>(std::min(space.multiprocessors() * blocks_each, Cuda::State::max_partial));
  const unsigned blocks = target.slot == nullptr ? tiles : std::min(tiles, fill);
  const auto kernel = ascend_kernel<T>;
  constexpr std::size_t room = Planes<T>::bytes;
  const OnDevice here(space);
  OSTINATO_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room)));
  cuda::launch(space, kernel, blocks, threads, room, pass, coarse, target, tiles, cuda::reduction(space, target.slot));
}

#define OSTINATO_INSTANTIATE(T) \
  template void ascend_planes(const Cuda&, const Level<Cuda>&, float, const Source<T>&, const float*, const Target<T>&)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::multigrid

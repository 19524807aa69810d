// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The passes over a grid of three dimensions that has one star for all points. A thread block marches along z. Planes
// of the source are copied ahead into shared memory, with the points beside the block's own; points outside of the grid
// become 0 on the way. A thread has the fine points around one coarse point (up) or two (down), and what a plane gives
// to those before it and behind it waits in registers. So threads wait for each other once a plane, and nothing is
// computed twice but what lies beside a thread's points.
//
// A coarse point at the end of an axis has a scale of its own, because its row has another diagonal: all its weights
// are those of other points times one number, which is read from the table.

#include <algorithm>
#include <cstdint>

#include <ostinato/preconditioners/multigrid/structured/planes.hpp>
#include <ostinato/spmv/space/cuda/cluster.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>

namespace ostinato::multigrid {

namespace {

constexpr int warps = 8, threads = 32 * warps;
constexpr int blocks_each = 3;  ///< thread blocks that a multiprocessor holds at once
constexpr int down_rows = 2;    ///< coarse points of a thread along y, on the way down
/// Planes in shared memory: the one in turn, and those on their way. A power of two, as planes are numbered from -1.
constexpr int stages = 4;

/// How thread blocks cut a grid: tiles of 32 coarse points along x first, then along y, then runs of coarse planes.
struct Runs {
  unsigned along_x, along_y, along_z;
  Index planes;  ///< coarse planes of a run

  /// rows: coarse points of a tile along y. fill: thread blocks that the GPU holds at once.
  Runs(const Extents& cells, int rows, std::size_t fill) {
    const auto tiles = [](Index n, int side) { return static_cast<unsigned>((n + side - 1) / side); };
    along_x = tiles(cells.x, 32);
    along_y = tiles(cells.y, rows);
    const auto wanted = static_cast<Index>(std::max<std::size_t>(1, fill / (std::size_t{along_x} * along_y)));
    planes = std::max<Index>(1, (cells.z + wanted - 1) / wanted);
    along_z = tiles(cells.z, planes);
  }
  unsigned count() const { return along_x * along_y * along_z; }
};

template <class T>
struct Pass {
  Extents fine, coarse;
  Strided<const T> r;
  Runs runs;
  float omega, root;  ///< root: the scale of the source
  float along[3];     ///< omega times the coefficient of both neighbours along each axis
  float weight;       ///< of most coarse points for their own fine points
  struct {
    Extents begin, end;
  } even;                ///< the coarse points with that weight
  const float* weights;  ///< the weights of the classes of coarse points
};

/// A thread block's tile: its first coarse point, and its coarse planes.
struct Tile {
  Index cx, cy, first, end;

  __device__ Tile(const Runs& r, unsigned tile, int rows, Index planes) {
    const unsigned line = tile / r.along_x, layer = line / r.along_y;
    cx = static_cast<Index>(tile - line * r.along_x) * 32;
    cy = static_cast<Index>(line - layer * r.along_y) * rows;
    first = static_cast<Index>(layer) * r.planes;
    end = min(first + r.planes, planes);
  }
};

/// Copies Bytes bytes to shared memory, or fills in zeros; then nothing is read. Under way until wait().
template <int Bytes>
__device__ void copy_ahead(unsigned to, const void* from, bool has) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(has ? 16 : 0) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes), "r"(has ? Bytes : 0)
                 : "memory");
  }
}

__device__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits for the oldest group of copies of the planes on their way.
__device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory"); }

/// Waits for all copies, before others are made to the same place: copies under way have no order.
__device__ void wait_for_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// Elements beside each other along x that are copied at once.
template <class T>
constexpr int piece = 16 / static_cast<int>(sizeof(T));

/// Planes of the source in shared memory: of a tile of 64 fine points along x, with a piece before and behind, and of
/// `Lines` lines. With Pieces, elements are copied in pieces; otherwise one by one.
template <class T, int Lines, bool Pieces>
class Planes {
 public:
  static constexpr int width = 64 + 2 * piece<T>;
  static constexpr int elements = Lines * width;
  static constexpr std::size_t bytes() { return sizeof(T) * elements * stages; }

  /// (x, y): the fine point at the beginning of the tile, after the piece before. z: the plane that is copied first;
  /// from plane `end` on there are zeros.
  __device__ Planes(const Pass<T>& pass, T* room, Index x, Index y, Index z, Index end)
      : pass_(pass),
        room_(room),
        x_(x - piece<T>),
        y_(y),
        z_(z),
        end_(min(end, pass.fine.z)),
        plane_(pass.r.first + static_cast<Offset>(z) * of_plane()) {
    if constexpr (Pieces) {
#pragma unroll
      for (int k = 0; k < copies; ++k) from_[k] = place(static_cast<int>(threadIdx.x) + k * threads);
    }
  }

  /// Begins to copy the next plane.
  __device__ void fetch() {
    const bool has = z_ >= 0 && z_ < end_;
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(room_ + stage(z_) * elements));
    if constexpr (Pieces) {
#pragma unroll
      for (int k = 0; k < copies; ++k) {
        const unsigned n = threadIdx.x + k * threads;
        // Where nothing is there, nothing is read, wherever the address leads.
        if (k + 1 < copies || n < pieces) copy_ahead<16>(to + n * 16, plane_ + from_[k], has && from_[k] >= 0);
      }
    } else {
      const Extents& e = pass_.fine;
      for (int n = static_cast<int>(threadIdx.x); n < elements; n += threads) {
        const Index x = x_ + n % width, y = y_ + n / width;
        const bool is_there = has && x >= 0 && x < e.x && y >= 0 && y < e.y;
        const T* from = plane_ + (static_cast<Offset>(y) * e.x + x) * pass_.r.step;
        copy_ahead<sizeof(T)>(to + static_cast<unsigned>(n * static_cast<int>(sizeof(T))), from, is_there);
      }
    }
    plane_ += of_plane();
    ++z_;
  }

  /// The element at (64-tile x, line) of plane z.
  __device__ const T* at(Index z, int x, int line) const {
    return room_ + stage(z) * elements + line * width + piece<T> + x;
  }

 private:
  static constexpr int pieces = elements / piece<T>, copies = (pieces + threads - 1) / threads;
  static __device__ int stage(Index z) { return static_cast<int>(static_cast<unsigned>(z) % stages); }
  __device__ Offset of_plane() const {
    return static_cast<Offset>(pass_.fine.y) * pass_.fine.x * (Pieces ? 1 : pass_.r.step);
  }

  /// Where the n-th piece of a plane is; negative outside of the grid.
  __device__ Index place(int n) const {
    constexpr int of_line = width / piece<T>;
    const Index x = x_ + n % of_line * piece<T>, y = y_ + n / of_line;
    const Extents& e = pass_.fine;
    return x >= 0 && x < e.x && y >= 0 && y < e.y ? y * e.x + x : -1;
  }

  const Pass<T>& pass_;
  T* room_;
  Index x_, y_, z_, end_;
  const T* plane_;  ///< that is copied next
  Index from_[Pieces ? copies : 1];
};

/// Two elements beside each other along x.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T v[2];
};
template <class T>
__device__ Pair<float> pair_at(const T* p) {
  const auto pair = *reinterpret_cast<const Pair<T>*>(p);
  return {{static_cast<float>(pair.v[0]), static_cast<float>(pair.v[1])}};
}

/// The place of a coarse point along an axis, for the classes.
__device__ int place_in(Index at, Index n) { return at < 0 || at >= n ? 2 : scaled_place(at, n); }

/// Down. Along each axis P^T takes the fine point of a coarse one and half of those beside that, and P^T A adds up the
/// fine points at distance 1, half of those at distance 2, and of the own one 1/2 for each fine point beside that.
template <bool Pieces, class T>
class Descent {
 public:
  static constexpr int rows = down_rows, lines = 2 * rows * warps + 3;
  using Source = Planes<T, lines, Pieces>;

  __device__ Descent(const Pass<T>& pass, const Tile& tile, T* room)
      : pass_(pass),
        r_(pass, room, 2 * tile.cx, 2 * tile.cy - 1, 2 * tile.first - 1, 2 * tile.end + 2),
        first_(tile.first),
        end_(tile.end),
        cx_(tile.cx + static_cast<Index>(threadIdx.x % 32)),
        cy_(tile.cy + static_cast<Index>(threadIdx.x / 32) * rows) {
    const Extents& c = pass.coarse;
    for (int row = 0; row < rows; ++row) {
      const Index y = cy_ + row;
      class_[row] = cx_ < c.x && y < c.y ? place_in(cx_, c.x) + 5 * place_in(y, c.y) : -1;
    }
  }

  /// b of the coarse points of the run.
  __device__ void run(float* out) {
    for (int k = 1; k < stages; ++k) fetch();
    float before[rows] = {}, current[rows], next[rows];  // of the coarse planes k - 1 and k
    const Sums beyond = sums(2 * first_ - 1);
    const float az = pass_.along[2];
#pragma unroll
    for (int row = 0; row < rows; ++row) current[row] = -0.5f * az * beyond.flat[row];
    for (Index k = first_; k <= end_; ++k) {
      const Sums even = sums(2 * k), odd = sums(2 * k + 1);
      const float own_z = own(k, pass_.fine.z);
#pragma unroll
      for (int row = 0; row < rows; ++row) {
        const float beside = 0.5f * even.moved[row] - az * even.flat[row], far = -0.5f * az * odd.flat[row];
        before[row] += beside + far;
        next[row] = current[row] + beside + odd.moved[row] - az * own_z * odd.flat[row];
        current[row] = far;
      }
      if (k > first_) leave(out, k - 1, before);
#pragma unroll
      for (int row = 0; row < rows; ++row) before[row] = next[row];
    }
    wait_for_all();
  }

 private:
  /// What a plane gives to the thread's coarse points: P^T along x and y, and the same of I - omega A without the
  /// neighbours along z.
  struct Sums {
    float flat[rows], moved[rows];
  };

  __device__ static float own(Index at, Index n) { return 2 * at + 2 < n ? 1.0f : 0.5f; }

  __device__ void fetch() {
    r_.fetch();
    end_group();
  }

  __device__ Sums sums(Index z) {
    wait();
    __syncthreads();
    fetch();
    constexpr int count = 2 * rows + 3;
    const float own_x = own(cx_, pass_.fine.x);
    const T* line = r_.at(z, 2 * static_cast<int>(threadIdx.x % 32), 2 * rows * static_cast<int>(threadIdx.x / 32));
    float w[count], u[count];
#pragma unroll
    for (int k = 0; k < count; ++k, line += Source::width) {
      const auto far_left = static_cast<float>(line[-1]);
      const Pair<float> left = pair_at(line), right = pair_at(line + 2);
      const float beside = left.v[0] + right.v[0];
      w[k] = 0.5f * beside + left.v[1];
      u[k] = 0.5f * (far_left + right.v[1]) + beside + own_x * left.v[1];
    }
    Sums s;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      const int k = 2 * row;
      const float beside = w[k + 1] + w[k + 3];
      s.flat[row] = 0.5f * beside + w[k + 2];
      const float along_x = 0.5f * (u[k + 1] + u[k + 3]) + u[k + 2];
      const float along_y = 0.5f * (w[k] + w[k + 4]) + beside + own(cy_ + row, pass_.fine.y) * w[k + 2];
      s.moved[row] = (1 - pass_.omega) * s.flat[row] - pass_.along[0] * along_x - pass_.along[1] * along_y;
    }
    return s;
  }

  /// b of the thread's coarse points in plane k.
  __device__ void leave(float* out, Index k, const float (&b)[rows]) const {
    const Extents& c = pass_.coarse;
    const float* weights = pass_.weights + 25 * place_in(k, c.z);
    float* to = out + c.number(cx_, cy_, k);
#pragma unroll
    for (int row = 0; row < rows; ++row, to += c.x) {
      if (class_[row] >= 0) *to = pass_.root * weights[class_[row]] * b[row];
    }
  }

  const Pass<T>& pass_;
  Source r_;
  Index first_, end_, cx_, cy_;
  int class_[rows];  ///< by x and y; negative outside of the grid
};

template <bool Pieces, class T>
__global__ void __launch_bounds__(threads, blocks_each)
    descend_kernel(const __grid_constant__ Pass<T> pass, float* out) {
  extern __shared__ double2 room[];
  cuda::pdl_trigger_and_wait();
  const Tile tile(pass.runs, blockIdx.x, down_rows * warps, pass.coarse.z);
  Descent<Pieces, T>(pass, tile, reinterpret_cast<T*>(room)).run(out);
}

/// The coarse planes in shared memory: of a tile, with a point on each side.
struct CoarsePlanes {
  static constexpr int width = 34, elements = width * (warps + 2), copies = (elements + threads - 1) / threads;
  static constexpr int count = stages / 2 + 2;
  static constexpr std::size_t bytes() { return sizeof(float) * elements * count; }
};

/// The fine points of a cell in a plane, [y][x], and those beside them.
struct Cell {
  float own[2][2], left[2], right[2], above[2], below[2];
};

/// The coarse points around a cell's own in a plane, [y][x]; that behind it along both axes isn't used.
struct Parents {
  float v[3][3];

  /// Calls f(y, x, element).
  template <class F>
  __device__ void each(F f) {
#pragma unroll
    for (int k = 0; k < 8; ++k) f(k / 3, k % 3, v[k / 3][k % 3]);
  }
  __device__ void operator+=(const Parents& other) {
    each([&](int y, int x, float& to) { to += other.v[y][x]; });
  }
};

/// Up. x is in units of omega times the source's scale, so that x = r + P coarse.
template <bool Pieces, class T>
class Ascent {
 public:
  static constexpr int lines = 2 * warps + 2;
  using Source = Planes<T, lines, Pieces>;
  static constexpr std::size_t bytes() { return Source::bytes() + CoarsePlanes::bytes(); }

  __device__ Ascent(const Pass<T>& pass, const Tile& tile, const float* coarse, const Target<T>& target, T* room)
      : pass_(pass),
        target_(target),
        coarse_(coarse),
        coarse_room_(reinterpret_cast<float*>(room + Source::elements * stages)),
        r_(pass, room, 2 * tile.cx, 2 * tile.cy - 1, 2 * tile.first - 1, 2 * tile.end + 1),
        tile_(tile),
        cx_(tile.cx + lane()),
        cy_(tile.cy + warp()),
        line_(static_cast<Offset>(pass.fine.x) * target.z.step),
        to_(target.z.first + (static_cast<Offset>(2 * tile.first) * pass.fine.y + 2 * cy_) * line_ +
            static_cast<Offset>(2 * cx_) * target.z.step),
        weight_(pass.weight / (pass.omega * pass.root)) {
    const Extents &e = pass.fine, &c = pass.coarse;
    has_[0] = 2 * cx_ < e.x && 2 * cy_ < e.y;
    has_[1] = has_[0] && 2 * cx_ + 1 < e.x;
    has_second_line_ = 2 * cy_ + 1 < e.y;
    has_right_ = 2 * cx_ + 2 < e.x;
    has_below_ = 2 * cy_ + 2 < e.y;
    const auto has_own = [](Index first, Index last, Index n, Index begin, Index end) {
      return max(first, 0) < begin || min(last, n - 1) >= end;
    };
    at_end_ = has_own(tile.cx - 1, tile.cx + 32, c.x, pass.even.begin.x, pass.even.end.x) ||
              has_own(tile.cy - 1, tile.cy + warps, c.y, pass.even.begin.y, pass.even.end.y);
#pragma unroll
    for (int k = 0; k < CoarsePlanes::copies; ++k) {
      const int n = static_cast<int>(threadIdx.x) + k * threads;
      const Index x = tile.cx - 1 + n % CoarsePlanes::width, y = tile.cy - 1 + n / CoarsePlanes::width;
      from_[k] = n < CoarsePlanes::elements && x >= 0 && x < c.x && y >= 0 && y < c.y ? y * c.x + x : -1;
      class_[k] = place_in(x, c.x) + 5 * place_in(y, c.y);
    }
  }

  /// The target in the planes of the run. Returns the thread's part of r . z.
  __device__ double run() {
    const Index first = 2 * tile_.first, end = min(2 * tile_.end, pass_.fine.z);
    fetch_coarse(tile_.first - 1);
    for (Index z = first - 1; z < first + stages - 2; ++z) fetch(z);
    wait_for(first - 1);
    Parents before = parents(tile_.first - 1), current;
    const Cell x = corrected(first - 1, before, weight_);
    for (int i = 0; i < 2; ++i) last_[i][0] = x.own[i][0], last_[i][1] = x.own[i][1];
    double dot = 0;
    for (Index k = tile_.first;; ++k) {
      wait_for(2 * k);
      current = parents(k);
      before += current;
      dot += turn(2 * k, first, before, 0.5f * weight_);
      if (2 * k >= end) break;
      wait_for(2 * k + 1);
      dot += turn(2 * k + 1, first, current, weight_);
      if (2 * k + 1 >= end) break;
      before = current;
    }
    wait_for_all();
    return dot;
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x % 32); }
  __device__ static int warp() { return static_cast<int>(threadIdx.x / 32); }

  __device__ void fetch_coarse(Index k) const {
    const Extents& c = pass_.coarse;
    const bool has = k >= 0 && k < c.z;
    const float* plane = coarse_ + static_cast<Offset>(k) * c.y * c.x;
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(coarse_plane(k) + threadIdx.x));
#pragma unroll
    for (int n = 0; n < CoarsePlanes::copies; ++n) {
      if (n + 1 < CoarsePlanes::copies || static_cast<int>(threadIdx.x) + n * threads < CoarsePlanes::elements)
        copy_ahead<4>(to + static_cast<unsigned>(n * threads) * 4, plane + from_[n], has && from_[n] >= 0);
    }
  }
  __device__ float* coarse_plane(Index k) const {
    return coarse_room_ + static_cast<int>(static_cast<unsigned>(k) % CoarsePlanes::count) * CoarsePlanes::elements;
  }

  /// Begins to copy plane z of the source, and the coarse plane that is needed from there on.
  __device__ void fetch(Index z) {
    r_.fetch();
    if (z % 2 == 0) fetch_coarse(z / 2);
    end_group();
  }

  __device__ void wait_for(Index z) {
    wait();
    __syncthreads();
    fetch(z + stages - 1);
  }

  /// The coarse points around the thread's own in plane k, in units of the weight of most coarse points. All threads of
  /// the block call this.
  __device__ Parents parents(Index k) {
    if (at_end_ || k < pass_.even.begin.z || k >= pass_.even.end.z) {
      scale(k);
      __syncthreads();
    }
    const float* from = coarse_plane(k) + warp() * CoarsePlanes::width + lane();
    Parents p;
    p.each([&](int y, int x, float& v) { v = from[y * CoarsePlanes::width + x]; });
    return p;
  }

  /// Coarse plane k times the weights of its points, over that of most coarse points.
  __device__ void scale(Index k) {
    float* const plane = coarse_plane(k) + threadIdx.x;
    const float inverse = 1 / pass_.weight;
#pragma unroll
    for (int n = 0; n < CoarsePlanes::copies; ++n) {
      if (from_[n] >= 0) plane[n * threads] *= inverse * pass_.weights[class_[n] + 25 * place_in(k, pass_.coarse.z)];
    }
  }

  /// x in plane z; 0 outside of the grid. weight: of `p` for the fine points in plane z.
  __device__ Cell corrected(Index z, const Parents& p, float weight) const {
    if (z < 0 || z >= pass_.fine.z) weight = 0;
    const float half = 0.5f * weight, quarter = 0.25f * weight;
    const T* from = r_.at(z, 2 * lane(), 2 * warp() + 1);
    constexpr int width = Source::width;
    const auto pair_of = [&](int y) { return p.v[y][0] + p.v[y][1]; };
    const auto pair_before = [&](int y) { return p.v[y][1] + p.v[y][2]; };
    const Pair<float> above = pair_at(from - width), first = pair_at(from), second = pair_at(from + width),
                      below = pair_at(from + 2 * width);
    Cell x;
    x.above[0] = above.v[0] + half * pair_of(0);
    x.above[1] = above.v[1] + weight * p.v[0][1];
    x.own[0][0] = first.v[0] + quarter * (pair_of(0) + pair_of(1));
    x.own[0][1] = first.v[1] + half * (p.v[0][1] + p.v[1][1]);
    x.own[1][0] = second.v[0] + half * pair_of(1);
    x.own[1][1] = second.v[1] + weight * p.v[1][1];
    x.below[0] = below.v[0] + quarter * (pair_of(1) + pair_of(2));
    x.below[1] = below.v[1] + half * (p.v[1][1] + p.v[2][1]);
    x.left[0] = static_cast<float>(from[-1]) + half * (p.v[0][0] + p.v[1][0]);
    x.left[1] = static_cast<float>(from[width - 1]) + weight * p.v[1][0];
    x.right[0] = static_cast<float>(from[2]) + quarter * (pair_before(0) + pair_before(1));
    x.right[1] = static_cast<float>(from[width + 2]) + half * pair_before(1);
    // A coarse point at the end of an axis has weights for points behind the end.
    if (!has_right_) x.right[0] = x.right[1] = 0;
    if (!has_below_) x.below[0] = x.below[1] = 0;
    return x;
  }

  /// The part of r + x - omega A x in plane z that the planes before and this one give; then the target in plane z - 1.
  __device__ double turn(Index z, Index first, const Parents& p, float weight) {
    const Cell x = corrected(z, p, weight);
    const double dot = z > first ? leave(x) : 0;
    const T* from = r_.at(z, 2 * lane(), 2 * warp() + 1);
    const float own = 1 - pass_.omega;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const auto r = *reinterpret_cast<const Pair<T>*>(from + i * Source::width);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const float along_x = (k == 0 ? x.left[i] : x.own[i][0]) + (k == 0 ? x.own[i][1] : x.right[i]);
        const float along_y = (i == 0 ? x.above[k] : x.own[0][k]) + (i == 0 ? x.own[1][k] : x.below[k]);
        sum_[i][k] = static_cast<float>(r.v[k]) + own * x.own[i][k] - pass_.along[0] * along_x -
                     pass_.along[1] * along_y - pass_.along[2] * last_[i][k];
        last_[i][k] = x.own[i][k];
        r_of_last_[i][k] = r.v[k];
      }
    }
    return dot;
  }

  /// Writes the target in the plane before, now that x of this plane is there.
  __device__ double leave(const Cell& next) {
    if (!has_[0]) return 0;
    double dot = 0;
    const T scale = target_.power * static_cast<T>(pass_.root * pass_.root * pass_.omega);
    T* to = to_;
    to_ += static_cast<Offset>(pass_.fine.y) * line_;
#pragma unroll
    for (int i = 0; i < 2; ++i, to += line_) {
      Pair<T> out;
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        out.v[k] = scale * static_cast<T>(sum_[i][k] - pass_.along[2] * next.own[i][k]);
        dot += static_cast<double>(out.v[k]) * static_cast<double>(r_of_last_[i][k]);  // r is 0 outside of the grid
      }
      if (i == 1 && !has_second_line_) break;
      if constexpr (Pieces) {
        *reinterpret_cast<Pair<T>*>(to) = out;
      } else {
        to[0] = out.v[0];
        if (has_[1]) to[target_.z.step] = out.v[1];
      }
    }
    return dot;
  }

  const Pass<T>& pass_;
  const Target<T>& target_;
  const float* coarse_;
  float* coarse_room_;
  Source r_;
  Tile tile_;
  Index cx_, cy_, from_[CoarsePlanes::copies];
  Offset line_;   ///< from a line of the target to the next
  T* to_;         ///< the target in the plane that is left next
  float weight_;  ///< of a coarse point, in units of omega times the scale of the source
  bool has_[2], has_second_line_, has_right_, has_below_;
  bool at_end_;  ///< whether some coarse points of the tile, or around, may have weights of their own
  int class_[CoarsePlanes::copies];
  float last_[2][2], sum_[2][2];
  T r_of_last_[2][2];
};

template <bool Pieces, class T>
__global__ void __launch_bounds__(threads, blocks_each)
    ascend_kernel(const __grid_constant__ Pass<T> pass, const float* coarse, const __grid_constant__ Target<T> target,
                  unsigned tiles, cuda::Reduction to) {
  extern __shared__ double2 room[];
  cuda::pdl_trigger_and_wait();
  double dot = 0;
  for (unsigned n = blockIdx.x; n < tiles; n += gridDim.x) {
    const Tile tile(pass.runs, n, warps, (pass.fine.z + 1) / 2);
    dot += Ascent<Pieces, T>(pass, tile, coarse, target, reinterpret_cast<T*>(room)).run();
    __syncthreads();
  }
  if (to.slots != nullptr) cuda::grid_sum(Sums<1>{{dot}}, to, [](const Sums<1>&) {});
}

template <class T>
Pass<T> make_pass(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source,
                  const Extents& cells, int rows) {
  using Star = Shape<3, true>;
  constexpr int own = Halved<7>::coefficient(centre);
  const auto along = [&](const Step& d) {
    return omega * level.even_a.values[static_cast<std::size_t>(Star::coefficient(d.number()))];
  };
  return {level.grid,
          level.next,
          source.r,
          Runs(cells, rows, static_cast<std::size_t>(space.multiprocessors()) * blocks_each),
          omega,
          source.even_root->values[0],
          {along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})},
          level.even_p.values[own],
          {level.even_p.begin, level.even_p.end},
          level.p.data() + own * scaled_classes};
}

/// Whether vectors move in pieces of 16 bytes, or in pairs.
template <class T>
bool moves(const Extents& e, const Strided<T>& v, int elements) {
  return e.x % elements == 0 && v.step == 1 &&
         reinterpret_cast<std::uintptr_t>(v.first) % (sizeof(T) * static_cast<std::size_t>(elements)) == 0;
}

}  // namespace

template <class T>
void descend_planes(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source,
                    float* b_of_next) {
  const Pass<T> pass = make_pass(space, level, omega, source, level.next, down_rows * warps);
  const auto kernel = moves(level.grid, source.r, piece<T>) ? descend_kernel<true, T> : descend_kernel<false, T>;
  constexpr std::size_t room = Descent<true, T>::Source::bytes();
  cuda::allow_shared(space, kernel, room);
  cuda::launch(space, kernel, pass.runs.count(), threads, room, pass, b_of_next);
}

template <class T>
void ascend_planes(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source,
                   const float* coarse, const Target<T>& target) {
  const Extents& e = level.grid;
  const Extents cells{(e.x + 1) / 2, (e.y + 1) / 2, (e.z + 1) / 2};
  const Pass<T> pass = make_pass(space, level, omega, source, cells, warps);
  const unsigned tiles = pass.runs.count();
  const auto fill = static_cast<unsigned>(std::min(space.multiprocessors() * blocks_each, Cuda::State::max_partial));
  const unsigned blocks = target.slot == nullptr ? tiles : std::min(tiles, fill);
  const bool in_pieces = moves(e, source.r, piece<T>) && moves(e, target.z, 2);
  const auto kernel = in_pieces ? ascend_kernel<true, T> : ascend_kernel<false, T>;
  constexpr std::size_t room = Ascent<true, T>::bytes();
  cuda::allow_shared(space, kernel, room);
  cuda::launch(space, kernel, blocks, threads, room, pass, coarse, target, tiles, cuda::reduction(space, target.slot));
}

#define OSTINATO_INSTANTIATE(T)                                                                   \
  template void descend_planes(const Cuda&, const Level<Cuda>&, float, const Source<T>&, float*); \
  template void ascend_planes(const Cuda&, const Level<Cuda>&, float, const Source<T>&, const float*, const Target<T>&)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::multigrid

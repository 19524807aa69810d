// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the passes over plain grids share (planes.hpp). A thread block marches along z. Planes of the source are copied
// ahead into shared memory, with the points beside the block's own; points outside of the grid become 0 on the way.
// What a plane gives to those before it and behind it waits in registers. So threads wait for each other once a plane,
// and nothing is computed twice but what lies beside a thread's points.
//
// All columns of tiles are cut at the same planes, so that tiles beside each other march at the same time, and find in
// the cache what both read. Cut at other planes, for parts of exactly the same length, 256^3 took 59 us instead of 51
// down and 94 instead of 86 up (H200).

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <type_traits>

#include <ostinato/preconditioners/multigrid/structured/planes.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/cuda/cluster.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>

namespace ostinato::multigrid::planes {

constexpr int warps = 8, threads = 32 * warps;
constexpr int blocks_each = 3;  ///< thread blocks that a multiprocessor holds at once

/// How thread blocks cut a grid: tiles of 32 coarse points along x first, then along y, then runs of coarse planes.
struct Runs {
  unsigned along_x, along_y, along_z;
  Index begin, end;  ///< coarse planes of all runs
  Index planes;      ///< of a run

  /// rows: coarse points of a tile along y. deep: the planes of a run are a multiple of that. fill: thread blocks that
  /// the GPU holds at once.
  Runs(const Extents& cells, Index first, Index last, int rows, Index deep, std::size_t fill)
      : begin(first), end(last) {
    const auto tiles = [](Index n, int side) { return static_cast<unsigned>((n + side - 1) / side); };
    along_x = tiles(cells.x, 32);
    along_y = tiles(cells.y, rows);
    const auto wanted = static_cast<Index>(std::max<std::size_t>(1, fill / (std::size_t{along_x} * along_y)));
    planes = std::max<Index>(1, (end - begin + wanted - 1) / wanted);
    planes = (planes + deep - 1) / deep * deep;
    along_z = tiles(end - begin, planes);
  }
  unsigned count() const { return along_x * along_y * along_z; }
};

template <class T>
struct Pass {
  Extents fine, coarse;
  Strided<const T> r;
  OwnPlanes<T> own_planes;
  Runs runs;
  float omega, root;          ///< root: the scale of the source
  float along[3];             ///< omega times the coefficient of both neighbours along each axis
  float own[3], last_own[3];  ///< (1 - omega) times those of PlainStar
  float last_mass[3];
  float along_at[8][3];  ///< what stands for `along` in the rows of each end, over their diagonals
  float down[8];         ///< by end: what the sums for a coarse point are multiplied with
  float up[8];           ///< by end: what a coarse point is multiplied with, over `weight`
  float weight;          ///< of a coarse point for its own fine point, times up
  bool ups_differ;
};

/// A thread block's tile: its first coarse point, and its coarse planes.
struct Tile {
  Index cx, cy, first, end;

  __device__ Tile(const Runs& r, unsigned tile, int rows) {
    const unsigned line = tile / r.along_x, layer = line / r.along_y;
    cx = static_cast<Index>(tile - line * r.along_x) * 32;
    cy = static_cast<Index>(line - layer * r.along_y) * rows;
    first = r.begin + static_cast<Index>(layer) * r.planes;
    end = min(first + r.planes, r.end);
  }
};

/// Copies Bytes bytes to shared memory, or fills in zeros; then nothing is read. The copy is under way until its group
/// has been waited for.
template <int Bytes>
__device__ void copy_ahead(unsigned to, const void* from, bool has) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(has ? 16 : 0) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes), "r"(has ? Bytes : 0)
                 : "memory");
  }
}

__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until no more than so many groups of copies are under way.
template <int Groups>
__device__ void wait_but_for() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
}

/// Waits for all copies, before others are made to the same place: copies under way have no order.
__device__ inline void wait_for_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// The elements of 16 bytes, the most that are copied at once.
template <class T>
constexpr int most_copied = 16 / static_cast<int>(sizeof(T));

/// Planes of a vector in shared memory: of a tile of `Wide` points along x, with 16 bytes before and behind, and of
/// `Lines` lines. Elements are copied in pieces of `Piece` along x. `Stages` planes have room: a power of two, as
/// planes are numbered from -1.
///
/// Elements lie at the same place of a sector of 32 bytes as in memory, where lines of the grid begin with a sector: a
/// copy to another place reads each sector twice.
///
/// Where `Jumps`, planes that aren't a rank's own lie elsewhere (OwnPlanes).
template <class T, int Wide, int Lines, int Stages, int Piece, bool Jumps>
class Planes {
 public:
  static constexpr int width = Wide + 2 * most_copied<T>;
  static constexpr int elements = Lines * width;
  static constexpr int room = elements * Stages + 2 * most_copied<T>;

  /// (x, y): the point at the beginning of the tile. z: the plane that is copied first; from plane `end` on there are
  /// zeros. v, own: where there are jumps, those of a kernel's arguments.
  __device__ Planes(const Strided<const T>& v, const OwnPlanes<T>* own, const Extents& grid, T* memory, Index x,
                    Index y, Index z, Index end)
      : grid_(grid),
        v_(Jumps ? &v : nullptr),
        own_(own),
        memory_(memory + most_copied<T>),
        step_(v.step),
        x_(x - most_copied<T>),
        y_(y),
        z_(z),
        end_(min(end, grid.z)),
        plane_((Jumps && z < own->begin ? own->below : v.first) + static_cast<Offset>(z) * of_plane()) {
    if constexpr (remembers) {
      for_own([&](int n, int k) { from_[k] = contains(n) ? static_cast<Index>(number(n)) : -1; });
    }
  }

  /// Begins to copy the next plane.
  __device__ void fetch() {
    const bool has = z_ >= 0 && z_ < end_;
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(plane(z_)));
    // Where nothing is there, nothing is read, wherever the address leads.
    if constexpr (remembers) {
      for_own([&](int n, int k) {
        const T* const from = plane_ + static_cast<Offset>(from_[k]) * (Piece > 1 ? 1 : step_);
        copy_ahead<Piece * sizeof(T)>(to + static_cast<unsigned>(n * size), from, has && from_[k] >= 0);
      });
    } else {
      fetch_elements(to, has);
    }
    plane_ += of_plane();
    ++z_;
    if constexpr (Jumps) {
      if (z_ == own_->begin) plane_ = v_->first + static_cast<Offset>(z_) * of_plane();
      if (z_ == own_->end) plane_ = own_->above + static_cast<Offset>(z_) * of_plane();
    }
  }

  /// Calls f(n, k) for the first element of each piece that this thread copies of a plane; k counts what is remembered.
  template <class F>
  __device__ static void for_own(F f) {
    const int first = static_cast<int>(threadIdx.x) * Piece;
    if constexpr (remembers) {
#pragma unroll
      for (int k = 0; k < copies; ++k) {
        const int n = first + k * threads * Piece;
        if ((k + 1) * threads * Piece <= elements || n < elements) f(n, k);
      }
    } else {
      for (int n = first; n < elements; n += threads * Piece) f(n, 0);
    }
  }

  __device__ T* plane(Index z) const {
    return memory_ + static_cast<int>(static_cast<unsigned>(z) % Stages) * elements;
  }
  /// The element at a place of the tile of plane z.
  __device__ T* at(Index z, int x, int line) const { return plane(z) + line * width + most_copied<T> + x; }

  // The point of element n.
  __device__ Index x_of(int n) const { return x_ + n % width; }
  __device__ Index y_of(int n) const { return y_ + n / width; }

 private:
  static constexpr int copies = (elements / Piece + threads - 1) / threads, size = sizeof(T);
  /// Whether a thread remembers where it copies from. Many elements one by one would take too many registers.
  static constexpr bool remembers = Piece > 1 || copies <= 2;
  __device__ Offset of_plane() const { return static_cast<Offset>(grid_.y) * grid_.x * (Piece > 1 ? 1 : step_); }
  __device__ bool contains(int n) const {
    return x_of(n) >= 0 && x_of(n) < grid_.x && y_of(n) >= 0 && y_of(n) < grid_.y;
  }
  /// Where element n is in its plane of the grid.
  __device__ Offset number(int n) const { return static_cast<Offset>(y_of(n)) * grid_.x + x_of(n); }

  /// Begins to copy the thread's elements one by one. From one to the next the point moves on by some lines and places.
  __device__ void fetch_elements(unsigned to, bool has) const {
    constexpr int lines = threads / width, places = threads % width;
    const int first = static_cast<int>(threadIdx.x);
    int line = first / width, at = first % width;
    const T* from = plane_ + number(first) * step_;
    const Offset on = (static_cast<Offset>(lines) * grid_.x + places) * step_;
    const Offset to_next_line = (static_cast<Offset>(grid_.x) - width) * step_;
    for (int n = first; n < elements; n += threads) {
      const bool is_there = has && static_cast<unsigned>(x_ + at) < static_cast<unsigned>(grid_.x) &&
                            static_cast<unsigned>(y_ + line) < static_cast<unsigned>(grid_.y);
      copy_ahead<size>(to + static_cast<unsigned>(n * size), from, is_there);
      const bool ends_line = at + places >= width;
      at += ends_line ? places - width : places;
      line += ends_line ? lines + 1 : lines;
      from += ends_line ? on + to_next_line : on;
    }
  }

  const Extents& grid_;
  const Strided<const T>* v_;
  const OwnPlanes<T>* own_;
  T* memory_;
  Index step_, x_, y_, z_, end_;
  const T* plane_;  ///< that is copied next
  Index from_[remembers ? copies : 1];
};

template <class T>
Pass<T> make_pass(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source,
                  const OwnPlanes<T>* own, const Extents& cells, int rows) {
  const PlainStar& star = level.plain_star;
  const OwnPlanes<T> planes =
      own != nullptr ? *own
                     : OwnPlanes<T>{.begin = 0, .end = level.grid.z, .below = source.r.first, .above = source.r.first};
  const Index end = planes.begin == planes.end ? planes.begin / 2 : std::min(cells.z, (planes.end + 1) / 2);
  Pass<T> pass{.fine = level.grid,
               .coarse = level.next,
               .r = source.r,
               .own_planes = planes,
               .runs = Runs(cells, planes.begin / 2, end, rows, planes.sums != nullptr ? planes.deep : 1,
                            static_cast<std::size_t>(space.multiprocessors()) * blocks_each),
               .omega = omega,
               .root = source.even_root->values[0],
               .weight = star.weight};
  for (int axis = 0; axis < 3; ++axis) {
    const PlainStar::Axis& a = star.axis[axis];
    pass.along[axis] = omega * a.side;
    pass.own[axis] = (1 - omega) * a.own;
    pass.last_own[axis] = (1 - omega) * a.last_own;
    pass.last_mass[axis] = a.last_mass;
  }
  for (int end = 0; end < 8; ++end) {
    const float diagonal = star.diagonal(end);
    for (int axis = 0; axis < 3; ++axis)
      pass.along_at[end][axis] = pass.along[axis] * star.mass_beside(axis, end) / diagonal;
    const float scale = star.next_scale[end];  // of the next grid's vectors
    pass.down[end] = pass.root * star.weight * scale * (star.next_is_plain ? scale : 1);
    pass.up[end] = star.next_is_plain ? 1 : scale;
    pass.ups_differ = pass.ups_differ || pass.up[end] != 1;
  }
  return pass;
}

/// Whether the elements of a vector of grid e move so many at once.
template <class T>
bool moves(const Extents& e, const Strided<T>& v, int elements) {
  return e.x % elements == 0 && v.step == 1 &&
         reinterpret_cast<std::uintptr_t>(v.first) % (sizeof(T) * static_cast<std::size_t>(elements)) == 0;
}

/// Calls f(Number) with how many elements are copied at once.
template <class T, class F>
void with_piece(const Extents& e, const Strided<const T>& v, F f) {
  if constexpr (is_single<T>) {
    if (moves(e, v, 4)) return f(Number<4>{});
  }
  moves(e, v, 2) ? f(Number<2>{}) : f(Number<1>{});
}

/// Calls f with whether ends differ, which they do on coarse grids only, whose vectors are in float.
template <class T, class F>
void with_ends(const Level<Cuda>& level, F f) {
  [[maybe_unused]] const bool differ = level.plain_star.ends_differ();
  if constexpr (std::is_same_v<T, float>) {
    if (differ) return f(std::true_type{});
  }
  assert(!differ);
  f(std::false_type{});
}

}  // namespace ostinato::multigrid::planes

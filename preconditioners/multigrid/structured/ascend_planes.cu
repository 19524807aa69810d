// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/planes.cuh>
#include <ostinato/spmv/base/scalar.hpp>

namespace ostinato::multigrid {

using namespace planes;

namespace {

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

constexpr int up_stages = 4;  ///< planes of the source on the way up

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
template <int Piece, int CoarsePiece, bool Ends, class T>
class Ascent {
 public:
  using Source = Planes<T, 64, 2 * warps + 2, up_stages, Piece, true>;
  using CoarsePlanes = Planes<float, 32, warps + 2, up_stages / 2 + 2, CoarsePiece, false>;
  static constexpr std::size_t bytes() { return sizeof(T) * Source::room + sizeof(float) * CoarsePlanes::room; }

  __device__ Ascent(const Pass<T>& pass, const Tile& tile, const float* coarse, const Target<T>& target, void* memory)
      : pass_(pass),
        target_(target),
        coarse_({coarse}, nullptr, pass.coarse, reinterpret_cast<float*>(static_cast<T*>(memory) + Source::room),
                tile.cx, tile.cy - 1, tile.first - 1, tile.end + 1),
        r_(pass.r, &pass.own_planes, pass.fine, static_cast<T*>(memory), 2 * tile.cx, 2 * tile.cy - 1,
           2 * tile.first - 1, 2 * tile.end + 1),
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
    at_end_ = pass.ups_differ && (tile.cx + 32 >= c.x - 1 || tile.cy + warps >= c.y - 1);
  }

  /// The target in the planes of the run. Returns the thread's part of r . z, or what take(k, part) has left of it: k
  /// is a coarse plane, and the part that of the planes before it.
  template <class Take>
  __device__ double run(Take take) {
    const Index first = 2 * tile_.first, end = min(2 * tile_.end, pass_.fine.z);
    coarse_.fetch();
    for (Index z = first - 1; z < first + up_stages - 2; ++z) fetch(z);
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
      dot = take(k, dot);
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

  /// Begins to copy plane z of the source, and the coarse plane that is needed from there on.
  __device__ void fetch(Index z) {
    r_.fetch();
    if (z % 2 == 0) coarse_.fetch();
    end_group();
  }

  __device__ void wait_for(Index z) {
    wait_but_for<up_stages - 2>();
    if (z % 2 == 0 || z < 2 * tile_.first) scale(z >> 1);
    __syncthreads();
    fetch(z + up_stages - 1);
  }

  /// The coarse points around the thread's own in plane k, in units of the weight of most coarse points.
  __device__ Parents parents(Index k) const {
    const float* from = coarse_.at(k, lane() - 1, warp());
    Parents p;
    p.each([&](int y, int x, float& v) { v = from[y * CoarsePlanes::width + x]; });
    return p;
  }

  /// Multiplies the elements of coarse plane k that this thread has copied with what they count.
  __device__ void scale(Index k) {
    const bool is_last = pass_.ups_differ && k == pass_.coarse.z - 1;
    if (!at_end_ && !is_last) return;
    float* const plane = coarse_.plane(k);
    CoarsePlanes::for_own([&](int first, int) {
      for (int n = first; n < first + CoarsePiece; ++n) {
        const Extents& c = pass_.coarse;
        plane[n] *= pass_.up[end_of(coarse_.x_of(n) == c.x - 1, coarse_.y_of(n) == c.y - 1, is_last)];
      }
    });
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
    const bool is_last = Ends && z == last(pass_.fine.z);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const auto r = *reinterpret_cast<const Pair<T>*>(from + i * Source::width);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const float along_x = (k == 0 ? x.left[i] : x.own[i][0]) + (k == 0 ? x.own[i][1] : x.right[i]);
        const float along_y = (i == 0 ? x.above[k] : x.own[0][k]) + (i == 0 ? x.own[1][k] : x.below[k]);
        const float* const along = along_at(i, k, is_last);
        sum_[i][k] = static_cast<float>(r.v[k]) + own * x.own[i][k] - along[0] * along_x - along[1] * along_y -
                     along[2] * last_[i][k];
        last_[i][k] = x.own[i][k];
        r_of_last_[i][k] = r.v[k];
      }
    }
    return dot;
  }

  /// The last place of n along an axis, where a coarse point lies.
  __device__ static Index last(Index n) { return n % 2 == 0 ? n - 1 : -1; }

  /// What the neighbours along the axes of the point (i, k) of the cell count.
  __device__ const float* along_at(int i, int k, bool last_z) const {
    if constexpr (!Ends) {
      return pass_.along;
    } else {
      const Extents& e = pass_.fine;
      return pass_.along_at[end_of(k == 1 && 2 * cx_ + 1 == last(e.x), i == 1 && 2 * cy_ + 1 == last(e.y), last_z)];
    }
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
        // Nothing follows the last plane.
        out.v[k] = scale * static_cast<T>(sum_[i][k] - along_at(i, k, false)[2] * next.own[i][k]);
        dot += product_of(out.v[k], r_of_last_[i][k]);  // r is 0 outside of the grid
      }
      if (i == 1 && !has_second_line_) break;
      if constexpr (Piece > 1) {
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
  CoarsePlanes coarse_;
  Source r_;
  Tile tile_;
  Index cx_, cy_;
  Offset line_;   ///< from a line of the target to the next
  T* to_;         ///< the target in the plane that is left next
  float weight_;  ///< of a coarse point, in units of omega times the scale of the source
  bool has_[2], has_second_line_, has_right_, has_below_;
  bool at_end_;  ///< whether some coarse points of the tile, or around, count in another way than most
  float last_[2][2], sum_[2][2];
  T r_of_last_[2][2];
};

/// Takes the sums of r . z of a tile (OwnPlanes).
template <class T>
class TakeSums {
 public:
  __device__ TakeSums(const Pass<T>& pass, const Tile& tile, unsigned number)
      : tile_(tile),
        deep_(pass.own_planes.deep),
        in_plane_(pass.runs.along_x * pass.runs.along_y),
        to_(pass.own_planes.sums + number % in_plane_),
        first_(pass.runs.begin / deep_) {}

  __device__ double operator()(Index k, double part) const {
    if (k == tile_.first || k % deep_ != 0) return part;
    store(k / deep_ - 1, part);
    return 0;
  }
  /// What is left at the end of the run, of `fine` planes of the grid.
  __device__ void end(Index fine, double part) const {
    if (tile_.end % deep_ != 0 || 2 * tile_.end > fine) store((tile_.end - 1) / deep_, part);
  }

 private:
  __device__ void store(Index layer, double part) const {
    const Sums<1> sum = cuda::block_sum(Sums<1>{{part}});
    if (threadIdx.x == 0) to_[static_cast<unsigned>(layer - first_) * in_plane_] = sum.v[0];
  }

  const Tile& tile_;
  Index deep_;
  unsigned in_plane_;  ///< tiles
  double* to_;
  Index first_;
};

/// One tile of a thread block.
template <int Piece, int CoarsePiece, bool Ends, class T>
__global__ void __launch_bounds__(threads, blocks_each)
    ascend_with_sums_kernel(const __grid_constant__ Pass<T> pass, const float* coarse,
                            const __grid_constant__ Target<T> target) {
  extern __shared__ __align__(128) double2 room[];
  const Tile tile(pass.runs, blockIdx.x, warps);
  Ascent<Piece, CoarsePiece, Ends, T> ascent(pass, tile, coarse, target, room);
  const TakeSums<T> take(pass, tile, blockIdx.x);
  cuda::pdl_trigger_and_wait();
  take.end(pass.fine.z, ascent.run(take));
}

template <int Piece, int CoarsePiece, bool Ends, class T>
__global__ void __launch_bounds__(threads, blocks_each)
    ascend_kernel(const __grid_constant__ Pass<T> pass, const float* coarse, const __grid_constant__ Target<T> target,
                  unsigned tiles, cuda::Reduction to) {
  extern __shared__ __align__(128) double2 room[];
  double dot = 0;
  for (unsigned n = blockIdx.x; n < tiles; n += gridDim.x) {
    const Tile tile(pass.runs, n, warps);
    Ascent<Piece, CoarsePiece, Ends, T> ascent(pass, tile, coarse, target, room);
    cuda::pdl_trigger_and_wait();
    dot += ascent.run([](Index, double part) { return part; });
    __syncthreads();
  }
  if (to.slots != nullptr) cuda::grid_sum(Sums<1>{{dot}}, to, [](const Sums<1>&) {});
}

Extents cells_of(const Extents& e) { return {(e.x + 1) / 2, (e.y + 1) / 2, (e.z + 1) / 2}; }

}  // namespace

std::size_t sums_of_planes(const Extents& grid, Index begin, Index end, Index deep) {
  if (begin == end) return 0;
  const Runs runs(cells_of(grid), begin / 2, (end + 1) / 2, warps, 1, 1);
  return std::size_t{runs.along_x} * runs.along_y * static_cast<std::size_t>((runs.end - runs.begin + deep - 1) / deep);
}

template <class T>
void ascend_planes(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source,
                   const float* coarse, const Target<T>& target, const OwnPlanes<T>* own) {
  const Extents& e = level.grid;
  const Pass<T> pass = make_pass(space, level, omega, source, own, cells_of(e), warps);
  const unsigned tiles = pass.runs.count();
  if (tiles == 0) return;
  const auto fill = static_cast<unsigned>(std::min(space.multiprocessors() * blocks_each, Cuda::State::max_partial));
  const unsigned blocks = target.slot == nullptr ? tiles : std::min(tiles, fill);
  const auto run = [&]<int Piece, int CoarsePiece, bool Ends>(Number<Piece>, Number<CoarsePiece>,
                                                              std::bool_constant<Ends>) {
    constexpr std::size_t room = Ascent<Piece, CoarsePiece, Ends, T>::bytes();
    if (pass.own_planes.sums != nullptr) {
      const auto with_sums = ascend_with_sums_kernel<Piece, CoarsePiece, Ends, T>;
      cuda::allow_shared(space, with_sums, room);
      return cuda::launch(space, with_sums, tiles, threads, room, pass, coarse, target);
    }
    const auto kernel = ascend_kernel<Piece, CoarsePiece, Ends, T>;
    cuda::allow_shared(space, kernel, room);
    cuda::launch(space, kernel, blocks, threads, room, pass, coarse, target, tiles,
                 cuda::reduction(space, target.slot));
  };
  with_ends<T>(level, [&](auto ends) {
    if (!moves(e, target.z, 2)) return run(Number<1>{}, Number<1>{}, ends);
    with_piece(e, source.r, [&]<int Piece>(Number<Piece> piece) {
      // Coarse lines have half of the elements.
      if constexpr (Piece * sizeof(T) == 16) {
        if (moves(level.next, Strided<const float>{coarse}, 4)) return run(piece, Number<4>{}, ends);
      }
      run(piece, Number<1>{}, ends);
    });
  });
}

template void ascend_planes(const Cuda&, const Level<Cuda>&, float, const Source<float>&, const float*,
                            const Target<float>&, const OwnPlanes<float>*);
template void ascend_planes(const Cuda&, const Level<Cuda>&, float, const Source<double>&, const float*,
                            const Target<double>&, const OwnPlanes<double>*);

}  // namespace ostinato::multigrid

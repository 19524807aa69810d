// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/coarse_grids.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

#include <ostinato/spmv/space/cuda/cluster.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>

namespace ostinato::multigrid {

namespace {

constexpr unsigned threads = 768;
constexpr unsigned cluster_blocks = 8;  ///< as many as every GPU with clusters can run

/// Waits for all threads of the cluster, and sees what they wrote.
__device__ void wait_for_all() {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
#else
  __trap();  // a GPU without clusters doesn't run these kernels
#endif
}

/// Writes to the shared memory of a thread block of the cluster, at the place that `own` has in the own shared memory.
__device__ void store_in_block(unsigned block, const float* own, float value) {
#if __CUDA_ARCH__ >= 900
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(own))), "r"(block));
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there), "f"(value) : "memory");
#endif
}

/// Elements of the shared memory, the same in all thread blocks of the cluster: written in all of them.
struct Everywhere {
  const float* first;

  struct Element {
    const float* own;
    __device__ void operator=(float value) const {
#pragma unroll
      for (unsigned block = 0; block < cluster_blocks; ++block) store_in_block(block, own, value);
    }
  };
  __device__ Element operator[](std::size_t i) const { return {first + i}; }
};

/// The threads of all blocks of the cluster, each of which has a share of every step.
struct ClusterTeam {
  static constexpr Index shares = cluster_blocks;
  __device__ static Index share() { return static_cast<Index>(blockIdx.x); }
  __device__ static void wait() { wait_for_all(); }
  __device__ static Everywhere output(float* v) { return {v}; }
  /// One of `shares` threads that together write an element.
  __device__ static void store(float* v, Index part, float value) {
    store_in_block(static_cast<unsigned>(part), v, value);
  }
};

/// The threads of one block.
struct BlockTeam {
  static constexpr Index shares = 1;
  __device__ static Index share() { return 0; }
  __device__ static void wait() { __syncthreads(); }
  __device__ static float* output(float* v) { return v; }
  __device__ static void store(float* v, Index, float value) { *v = value; }
};

/// The vectors of a grid in the own shared memory.
struct Vectors {
  float *b, *x, *t;

  __device__ Vectors(const CoarseGrid& g, float* room)
      : b(room + g.first + g.margin), x(b + g.room()), t(x + g.room()) {}
};

/// The layers of a grid that a thread block works on. It computes by itself what it needs of the layers beside its
/// own, so that it waits for others only once on the way down and once on the way up.
struct Share {
  Range coarse;        ///< of the next grid
  Range own;           ///< of this grid
  Range residual;      ///< what `coarse` takes the residual of
  Range interpolated;  ///< what the last sweep over `own` reads

  __device__ Share(const CoarseGrid& g, Index part, Index parts) {
    const Index n = g.points.layers(), next = g.next.layers();
    coarse = {part * next / parts, (part + 1) * next / parts};
    const bool halved = g.halves_layers;
    own = {halved ? 2 * coarse.begin : coarse.begin, halved && part + 1 < parts ? 2 * coarse.end : coarse.end};
    if (halved && part + 1 == parts) own.end = n;
    residual = halved && coarse.begin < coarse.end ? Range{own.begin, min(2 * coarse.end + 1, n)} : coarse;
    interpolated = own.begin < own.end ? Range{max(own.begin - 1, 0), min(own.end + 1, n)} : own;
  }
};

/// Calls f(x, y, z) for the cells of some layers.
template <class F>
__device__ void visit(const Cells& cells, const Range& layers, const F& f) {
  const Index in_layer = cells.in_layer(), end = layers.end * in_layer;
  for (Index cell = layers.begin * in_layer + static_cast<Index>(threadIdx.x); cell < end; cell += threads) {
    const Index line = cells.line.quotient(cell), layer = cells.layer.quotient(line);
    const Index x = cell - line * cells.grid.x, inner = line - layer * cells.lines();
    f(x, cells.along_y ? layer : inner, cells.along_y ? inner : layer);
  }
}

/// The same coefficients, of which the compiler knows how they are kept.
template <bool ByClass>
__device__ Coefficients known(Coefficients c) {
  c.by_class = ByClass;
  return c;
}

/// Calls f with the shape of a stencil.
template <int Dimensions, class F>
__device__ void with_shape_of(bool star, F f) {
  if constexpr (Dimensions > 1) {
    if (!star) return f(Shape<Dimensions, false>{});
  }
  f(Shape<Dimensions, true>{});
}

/// The sets of axes that can be halved, less one.
template <int Dimensions>
using AllAxes = std::make_integer_sequence<int, (1 << Dimensions) - 1>;

/// Calls f with the axes that are halved.
template <class F, int... Axes>
__device__ void with_axes(int axes, std::integer_sequence<int, Axes...>, F f) {
  ((axes == Axes + 1 ? f(std::integral_constant<int, Axes + 1>{}) : void()), ...);
}

constexpr Index lanes = 32, at_once = 4;  ///< rows of the dense matrix that a warp takes at once

/// The sums of some rows of the dense matrix times b, a part of each in every lane. Many loads wait together.
__device__ void add_rows(const DenseMatrix& m, Index n, Index first, Index step, const float* b,
                         float (&sum)[at_once]) {
  const auto lane = static_cast<Index>(threadIdx.x % lanes);
  if (m.has_whole_rows(n)) {
#pragma unroll 4
    for (Index k = 4 * lane; k < n; k += 4 * lanes) {
      const float4 v = *reinterpret_cast<const float4*>(b + k);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const Index row = min(first + i * step, n - 1);
        const float4 w = *reinterpret_cast<const float4*>(m.values + row * n + k);
        sum[i] += w.x * v.x + w.y * v.y + w.z * v.z + w.w * v.w;
      }
    }
    return;
  }
#pragma unroll 4
  for (Index k = lane; k < n; k += lanes) {
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const Index row = min(first + i * step, n - 1);
      sum[i] += m.values[row * m.row_step + k * m.column_step] * b[k];
    }
  }
}

/// x = the inverse times b, on the coarsest grid: a warp for each row.
template <class Team>
__device__ void solve_coarsest(const CoarseGrid& g, const DenseMatrix& inverse, const Vectors& v) {
  const auto n = static_cast<Index>(g.a.grid.points()), lane = static_cast<Index>(threadIdx.x % lanes);
  const Index warps = Team::shares * static_cast<Index>(threads) / lanes;
  for (Index first = static_cast<Index>(threadIdx.x) / lanes * Team::shares + Team::share(); first < n;
       first += at_once * warps) {
    float sum[at_once] = {};
    add_rows(inverse, n, first, warps, v.b, sum);
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      for (int d = lanes / 2; d > 0; d /= 2) sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], d);
      const Index row = first + i * warps;
      if (lane / Team::shares == i && row < n) Team::store(v.x + row, lane % Team::shares, sum[i]);
    }
  }
}

/// What a team does on the grids, all of the same dimensions.
template <class Team, int Dimensions, bool ByClass>
struct Steps {
  __device__ static Share share(const CoarseGrid& g) { return {g, Team::share(), Team::shares}; }

  template <class F>
  __device__ static void with_axes_of(const CoarseGrid& g, F f) {
    with_axes(g.axes, AllAxes<Dimensions>{}, f);
  }

  /// b of the next grid := P^T (b - A omega b)
  __device__ static void descend(const CoarseGrid& g, const Vectors& v, float* b_of_next) {
    const Coefficients a = known<ByClass>(g.a), p = known<ByClass>(g.p);
    const Share mine = share(g);
    with_shape_of<Dimensions>(g.star, [&]<class S>(S) {
      visit(g.points, mine.residual, Residual<S>{a, v.b, v.b, g.omega, v.t});
    });
    __syncthreads();
    const auto b = Team::output(b_of_next);
    with_axes_of(g, [&]<int A>(std::integral_constant<int, A>) {
      visit(g.next, mine.coarse, Restrict<A, std::remove_const_t<decltype(b)>>{p, a.grid, v.t, b});
    });
    Team::wait();
  }

  /// out := omega b + P coarse
  __device__ static void interpolate(const CoarseGrid& g, const Vectors& v, const float* coarse, const Range& layers,
                                     float* out) {
    const Coefficients p = known<ByClass>(g.p);
    with_axes_of(g, [&]<int A>(std::integral_constant<int, A>) {
      visit(g.pairs, layers, Interpolate<A>{p, g.a.grid, v.b, g.omega, coarse, out});
    });
  }

  /// out := x + omega (b - A x), where x = omega b + P coarse
  template <class Out>
  __device__ static void ascend(const CoarseGrid& g, const Vectors& v, const float* coarse, Out out) {
    const Share mine = share(g);
    interpolate(g, v, coarse, mine.interpolated, v.t);
    __syncthreads();
    smooth(g, v, mine.own, out);
  }

  /// out := t + omega (b - A t)
  template <class Out>
  __device__ static void smooth(const CoarseGrid& g, const Vectors& v, const Range& layers, Out out) {
    const Coefficients a = known<ByClass>(g.a);
    with_shape_of<Dimensions>(g.star, [&]<class S>(S) {
      visit(g.points, layers, Smooth<S, Out>{a, v.b, v.t, 1, g.omega, out});
    });
  }

  /// Down from the first grid, whose b is there, and up again to x of grid `last`.
  __device__ static void run(const CoarseGrids& grids, float* room, int last) {
    const int coarsest = grids.count - 1;
    const auto vectors = [&](int k) { return Vectors(grids.grid[k], room); };
    for (int k = 0; k < coarsest; ++k) descend(grids.grid[k], vectors(k), vectors(k + 1).b);
    solve_coarsest<Team>(grids.grid[coarsest], grids.inverse, vectors(coarsest));
    Team::wait();
    for (int k = coarsest - 1; k >= last; --k) {
      ascend(grids.grid[k], vectors(k), vectors(k + 1).x, Team::output(vectors(k).x));
      Team::wait();
    }
  }
};

__device__ void fill_with_zeros(const CoarseGrids& grids, float* room) {
  for (unsigned k = threadIdx.x; k < grids.grid[grids.count - 1].end(); k += blockDim.x) room[k] = 0;
}

/// Has an array brought into the cache.
__device__ void prefetch(const float* values, std::size_t count) {
  constexpr unsigned line = 32;  // floats of 128 bytes
  for (std::size_t k = (blockIdx.x * threads + threadIdx.x) * line; k < count; k += gridDim.x * threads * line)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(values + k));
}

/// Has all coefficients brought into the cache, while the kernels before are still running.
template <int Dimensions>
__device__ void prefetch(const CoarseGrids& grids) {
  const auto power_of_three = [](int n) { return n == 3 ? 27u : n == 2 ? 9u : n == 1 ? 3u : 1u; };
  for (int k = 0; k + 1 < grids.count; ++k) {
    const CoarseGrid& g = grids.grid[k];
    prefetch(g.a.a, (g.star ? 2 * Dimensions : power_of_three(Dimensions) - 1) * g.a.stride());
    prefetch(g.p.a, power_of_three(__popc(static_cast<unsigned>(g.axes))) * g.p.stride());
  }
  const std::size_t n = grids.grid[grids.count - 1].a.grid.points();
  prefetch(grids.inverse.values, n * n);
}

/// Copies b of the layers that a thread block reads, many loads at once.
__device__ void load(const CoarseGrid& g, const Share& mine, const float* b, float* to) {
  constexpr Index loads = 6;
  const Index layer = g.points.in_layer();
  const bool all = !g.points.layers_are_contiguous();
  const Index begin = all ? 0 : max(min(mine.residual.begin, mine.own.begin) - 1, 0) * layer;
  const Index end =
      layer * (all ? g.points.layers() : min(max(mine.residual.end, mine.own.end) + 1, g.points.layers()));
  for (Index first = begin + static_cast<Index>(threadIdx.x); first < end; first += loads * threads) {
    float v[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const Index k = first + i * static_cast<Index>(threads);
      v[i] = k < end ? b[k] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const Index k = first + i * static_cast<Index>(threads);
      if (k < end) to[k] = v[i];
    }
  }
}

/// The interpolation to the first grid is long code, which runs once. A rehearsal on zeros, while the kernels before
/// are still running, brings what it takes into the caches, instructions and coefficients: the kernel takes 9.8 us
/// instead of 12.9 (H200, 2026-11, poisson3d:256). The rehearsal reads coefficients before the wait; between the
/// kernels that make them and the first cycle lies a fill (measure_rate()).
template <int Dimensions, bool ByClass>
__global__ void __launch_bounds__(threads, 1)
    solve_kernel(const __grid_constant__ CoarseGrids grids, const float* b, float* x, bool last_sweep) {
  using All = Steps<ClusterTeam, Dimensions, ByClass>;
  extern __shared__ float room[];
  prefetch<Dimensions>(grids);
  fill_with_zeros(grids, room);
  wait_for_all();  // before others write to this room
  const CoarseGrid& g = grids.grid[0];
  const Vectors v(g, room);
  const Share mine = All::share(g);
  const float* const coarse = Vectors(grids.grid[1], room).x;
  const Range layers = last_sweep ? mine.interpolated : mine.own;
#pragma unroll 1
  for (int turn = 0; turn < 2; ++turn) {
    const bool rehearsal = turn == 0;
    if (!rehearsal) {
      cuda::pdl_trigger_and_wait();
      load(g, mine, b, v.b);
      __syncthreads();
      All::run(grids, room, 1);
    }
    const Index end = rehearsal ? min(layers.begin + 1, layers.end) : layers.end;
    All::interpolate(g, v, coarse, {layers.begin, end}, rehearsal || last_sweep ? v.t : x);
    __syncthreads();
  }
  if (last_sweep) All::smooth(g, v, mine.own, x);
}

/// Column k of the matrix that does what the grids do, by thread block k: x for b = 1 in point k.
template <int Dimensions, bool ByClass>
__global__ void __launch_bounds__(threads) column_kernel(const __grid_constant__ CoarseGrids grids, float* rows) {
  extern __shared__ float room[];
  cuda::pdl_trigger_and_wait();
  fill_with_zeros(grids, room);
  __syncthreads();
  const Vectors v(grids.grid[0], room);
  if (threadIdx.x == 0) v.b[blockIdx.x] = 1;
  __syncthreads();
  Steps<BlockTeam, Dimensions, ByClass>::run(grids, room, 0);
  for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x) rows[k * gridDim.x + blockIdx.x] = v.x[k];
}

/// Calls f with the dimensions of the grids and whether coefficients are kept by class.
template <class F>
void with_kind_of(const CoarseGrids& grids, F f) {
  const auto with_dimensions = [&]<bool ByClass>(std::bool_constant<ByClass> by_class) {
    if (grids.dimensions == 1) return f(std::integral_constant<int, 1>{}, by_class);
    if (grids.dimensions == 2) return f(std::integral_constant<int, 2>{}, by_class);
    f(std::integral_constant<int, 3>{}, by_class);
  };
  grids.by_class ? with_dimensions(std::true_type{}) : with_dimensions(std::false_type{});
}

/// The shared memory for the vectors of grids, in bytes.
std::size_t bytes_of(const CoarseGrids& grids) { return grids.grid[grids.count - 1].end() * sizeof(float); }

/// Whether the GPU can run solve_kernel() for a first grid such as this one: each block takes a multiprocessor.
bool has_room_for(const Cuda& space, const Level<Cuda>& first, std::size_t bytes) {
  CoarseGrids kind;
  kind.dimensions = first.dimensions;
  kind.by_class = first.by_class;
  bool has_room = false;
  with_kind_of(kind, [&]<int D, bool ByClass>(std::integral_constant<int, D>, std::bool_constant<ByClass>) {
    has_room = cuda::has_room_for_cluster(space, solve_kernel<D, ByClass>, cluster_blocks, threads, bytes);
  });
  return has_room;
}

}  // namespace

std::size_t first_coarse_grid(const Cuda& space, const std::vector<Level<Cuda>>& levels) {
  // Not by whether kernels overlap: ranks that share a GPU don't let them, and take the way of one rank all the same.
  if (!space.state().has_clusters) return levels.size();
  // Larger grids are faster in kernels of their own, which all multiprocessors share (H200, 2026-11).
  constexpr std::size_t most_points = std::size_t{1} << 13;
  // GPUs that have clusters differ in their shared memory: compute capability 12 has half of it.
  const std::size_t most_bytes = std::min<std::size_t>(220 << 10, space.shared_bytes());
  std::size_t first = levels.size(), bytes = 0;
  while (first > 0 && levels.size() - first < CoarseGrids::most) {
    const Level<Cuda>& level = levels[first - 1];
    const auto margin = static_cast<unsigned>(Field<Cuda>::margin(level.grid, level.dimensions));
    const std::size_t more = 3 * sizeof(float) * CoarseGrid::room_for(level.grid, margin);
    if (level.periodic.any() || level.grid.points() > most_points || bytes + more > most_bytes) break;
    bytes += more;
    --first;
  }
  return first + 1 < levels.size() && has_room_for(space, levels[first], bytes) ? first : levels.size();
}

Vector<Cuda, float> join_coarse_grids(const Cuda& space, CoarseGrids& grids) {
  int k = 1;
  while (k < grids.count && grids.grid[k].a.grid.points() > CoarseGrids::most_joined) ++k;
  if (k + 1 >= grids.count) return {};
  CoarseGrids below = grids;
  below.count = 0;
  for (int from = k; from < grids.count; ++from) below.add(grids.grid[from]);
  const std::size_t n = grids.grid[k].a.grid.points();
  Vector<Cuda, float> rows(space, n * n);
  with_kind_of(grids, [&]<int D, bool ByClass>(std::integral_constant<int, D>, std::bool_constant<ByClass>) {
    const auto kernel = column_kernel<D, ByClass>;
    cuda::allow_shared(space, kernel, bytes_of(below));
    cuda::launch(space, kernel, static_cast<unsigned>(n), threads, bytes_of(below), below, rows.data());
  });
  grids.count = k + 1;
  grids.grid[k].axes = 0;
  grids.inverse = {rows.data(), static_cast<Index>(n), 1};
  return rows;
}

void solve_coarse_grids(const Cuda& space, const CoarseGrids& grids, const float* b, float* x, bool last_sweep) {
  with_kind_of(grids, [&]<int D, bool ByClass>(std::integral_constant<int, D>, std::bool_constant<ByClass>) {
    const auto kernel = solve_kernel<D, ByClass>;
    cuda::allow_shared(space, kernel, bytes_of(grids));
    cuda::launch_cluster(space, kernel, cluster_blocks, threads, bytes_of(grids), grids, b, x, last_sweep);
  });
}

}  // namespace ostinato::multigrid

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

constexpr unsigned threads = 512;
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

/// Elements of the shared memory, the same in all thread blocks of the cluster: written in all of them.
struct Everywhere {
  unsigned at;  ///< address of the first one in the own shared memory

  struct Element {
    unsigned at;
    __device__ void operator=(float value) const {
#if __CUDA_ARCH__ >= 900
#pragma unroll
      for (unsigned block = 0; block < cluster_blocks; ++block) {
        unsigned there;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(block));
        asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there), "f"(value) : "memory");
      }
#endif
    }
  };
  __device__ Element operator[](std::size_t i) const { return {at + 4 * static_cast<unsigned>(i)}; }
};

/// The threads of all blocks of the cluster.
struct ClusterTeam {
  /// The number of the calling thread: the warps of a small step are spread over the thread blocks.
  __device__ static Index own_number() {
    return static_cast<Index>((threadIdx.x / 32 * gridDim.x + blockIdx.x) * 32 + threadIdx.x % 32);
  }
  __device__ static Index count() { return static_cast<Index>(gridDim.x * blockDim.x); }
  __device__ static void wait() { wait_for_all(); }
  __device__ static Everywhere output(float* v) { return {static_cast<unsigned>(__cvta_generic_to_shared(v))}; }
};

/// The threads of one block.
struct BlockTeam {
  __device__ static Index own_number() { return static_cast<Index>(threadIdx.x); }
  __device__ static Index count() { return static_cast<Index>(blockDim.x); }
  __device__ static void wait() { __syncthreads(); }
  __device__ static float* output(float* v) { return v; }
};

/// The vectors of a grid in the own shared memory.
struct Vectors {
  float *b, *x, *t;

  __device__ Vectors(const CoarseGrid& g, float* room)
      : b(room + g.first + g.margin), x(b + g.room()), t(x + g.room()) {}
};

/// Calls f(x, y, z) for cells.
template <class Team, class F>
__device__ void visit(const Cells& cells, const F& f) {
  const auto count = static_cast<Index>(cells.grid.points());
  for (Index cell = Team::own_number(); cell < count; cell += Team::count()) {
    const Index line = cells.line.quotient(cell), plane = cells.plane.quotient(line);
    f(cell - line * cells.grid.x, line - plane * cells.grid.y, plane);
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

/// x = the inverse times b, on the coarsest grid: a warp for each row, and some rows at once, so that many loads wait
/// together.
template <class Team>
__device__ void solve_coarsest(const CoarseGrid& g, const DenseMatrix& inverse, const Vectors& v) {
  constexpr int at_once = 4;
  const auto n = static_cast<Index>(g.a.grid.points()), lane = static_cast<Index>(threadIdx.x % 32);
  const Index warps = Team::count() / 32;
  const auto x = Team::output(v.x);
  for (Index first = Team::own_number() / 32; first < n; first += at_once * warps) {
    float sum[at_once] = {};
#pragma unroll 4
    for (Index k = lane; k < n; k += 32) {
      const float b = v.b[k];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const Index row = min(first + i * warps, n - 1);
        sum[i] += inverse.values[row * inverse.row_step + k * inverse.column_step] * b;
      }
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      for (int d = 16; d > 0; d /= 2) sum[i] += __shfl_down_sync(0xffffffffu, sum[i], d);
      const Index row = first + i * warps;
      if (lane == 0 && row < n) x[static_cast<std::size_t>(row)] = sum[i];
    }
  }
}

/// What a team does on the grids, all of the same dimensions.
template <class Team, int Dimensions, bool ByClass>
struct Steps {
  template <class F>
  __device__ static void with_axes_of(const CoarseGrid& g, F f) {
    with_axes(g.axes, AllAxes<Dimensions>{}, f);
  }

  /// b of the next grid := P^T (b - A omega b)
  __device__ static void descend(const CoarseGrid& g, const Vectors& v, float* b_of_next) {
    const Coefficients a = known<ByClass>(g.a), p = known<ByClass>(g.p);
    const auto t = Team::output(v.t), b = Team::output(b_of_next);
    using Out = std::remove_const_t<decltype(t)>;
    with_shape_of<Dimensions>(g.star, [&]<class S>(S) {
      visit<Team>(g.points, Residual<S, Out>{a, v.b, v.b, g.omega, t});
    });
    Team::wait();
    with_axes_of(g, [&]<int A>(std::integral_constant<int, A>) {
      visit<Team>(g.next, Restrict<A, Out>{p, a.grid, v.t, b});
    });
    Team::wait();
  }

  /// out := omega b + P coarse
  template <class Out>
  __device__ static void interpolate(const CoarseGrid& g, const Vectors& v, const float* coarse, Out out) {
    const Coefficients p = known<ByClass>(g.p);
    with_axes_of(g, [&]<int A>(std::integral_constant<int, A>) {
      visit<Team>(g.pairs, Interpolate<A, Out>{p, g.a.grid, v.b, g.omega, coarse, out});
    });
  }

  /// out := t + omega (b - A t)
  template <class Out>
  __device__ static void smooth(const CoarseGrid& g, const Vectors& v, Out out) {
    const Coefficients a = known<ByClass>(g.a);
    with_shape_of<Dimensions>(g.star, [&]<class S>(S) {
      visit<Team>(g.points, Smooth<S, Out>{a, v.b, v.t, 1, g.omega, out});
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
      const CoarseGrid& g = grids.grid[k];
      const Vectors v = vectors(k);
      interpolate(g, v, vectors(k + 1).x, Team::output(v.t));
      Team::wait();
      smooth(g, v, Team::output(v.x));
      Team::wait();
    }
  }
};

__device__ void fill_with_zeros(const CoarseGrids& grids, float* room) {
  for (unsigned k = threadIdx.x; k < grids.grid[grids.count - 1].end(); k += blockDim.x) room[k] = 0;
}

template <int Dimensions, bool ByClass>
__global__ void __launch_bounds__(threads, 1)
    solve_kernel(const __grid_constant__ CoarseGrids grids, const float* b, float* x, bool last_sweep) {
  using All = Steps<ClusterTeam, Dimensions, ByClass>;
  extern __shared__ float room[];
  fill_with_zeros(grids, room);
  cuda::pdl_trigger_and_wait();
  __syncthreads();
  const CoarseGrid& g = grids.grid[0];
  const Vectors v(g, room);
  for (unsigned k = threadIdx.x; k < g.a.grid.points(); k += threads) v.b[k] = b[k];
  wait_for_all();
  All::run(grids, room, 1);
  const float* const coarse = Vectors(grids.grid[1], room).x;
  if (!last_sweep) return All::interpolate(g, v, coarse, x);
  All::interpolate(g, v, coarse, ClusterTeam::output(v.t));
  wait_for_all();
  All::smooth(g, v, x);
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

}  // namespace

std::size_t first_coarse_grid(const Cuda& space, const std::vector<Level<Cuda>>& levels) {
  if (!space.state().overlaps) return levels.size();
  // Larger grids are faster in kernels of their own, which all multiprocessors share (H200, 2026-11).
  constexpr std::size_t most_points = std::size_t{1} << 13;
  // GPUs that overlap kernels differ in their shared memory: compute capability 12 has half of it.
  const std::size_t most_bytes = std::min<std::size_t>(220 << 10, space.shared_bytes());
  std::size_t first = levels.size(), bytes = 0;
  while (first > 0 && levels.size() - first < CoarseGrids::most) {
    const Level<Cuda>& level = levels[first - 1];
    bytes += 3 * Field<Cuda>::bytes_of(level.grid, level.dimensions);
    if (level.periodic.any() || level.grid.points() > most_points || bytes > most_bytes) break;
    --first;
  }
  return first + 1 < levels.size() ? first : levels.size();
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

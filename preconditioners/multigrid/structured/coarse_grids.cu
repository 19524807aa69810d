// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/coarse_grids.hpp>

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

/// The vectors of a grid in the own shared memory.
struct Vectors {
  float *b, *x, *t;

  __device__ Vectors(const CoarseGrid& g, float* room)
      : b(room + g.first + g.margin), x(b + g.room()), t(x + g.room()) {}
  __device__ static Everywhere everywhere(float* v) {
    return {static_cast<unsigned>(__cvta_generic_to_shared(v))};
  }
};

/// The calling thread, numbered so that the warps of a small step are spread over the thread blocks.
__device__ Index own_number() {
  return static_cast<Index>((threadIdx.x / 32 * gridDim.x + blockIdx.x) * 32 + threadIdx.x % 32);
}

/// Calls f(x, y, z) for cells.
template <class F>
__device__ void visit(const Cells& cells, const F& f) {
  const auto count = static_cast<Index>(cells.grid.points()), all = static_cast<Index>(gridDim.x * threads);
  for (Index cell = own_number(); cell < count; cell += all) {
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

/// x = the inverse times b, on the coarsest grid: a warp for each row.
__device__ void solve_coarsest(const CoarseGrid& g, const float* inverse, const Vectors& v) {
  const auto n = static_cast<Index>(g.a.grid.points()), warps = static_cast<Index>(gridDim.x * threads / 32);
  const auto lane = static_cast<Index>(threadIdx.x % 32);
  const Everywhere x = Vectors::everywhere(v.x);
  for (Index row = own_number() / 32; row < n; row += warps) {
    float sum = 0;
    for (Index k = lane; k < n; k += 32) sum += inverse[k * n + row] * v.b[k];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) x[static_cast<std::size_t>(row)] = sum;
  }
}

/// b of the next grid := P^T (b - A omega b)
template <int Dimensions, bool ByClass>
__device__ void descend(const CoarseGrid& g, const Vectors& v, float* b_of_next) {
  const Coefficients a = known<ByClass>(g.a), p = known<ByClass>(g.p);
  with_shape_of<Dimensions>(g.star, [&]<class S>(S) {
    visit(g.points, Residual<S, Everywhere>{a, v.b, v.b, g.omega, Vectors::everywhere(v.t)});
  });
  wait_for_all();
  with_axes(g.axes, AllAxes<Dimensions>{}, [&]<int A>(std::integral_constant<int, A>) {
    visit(g.next, Restrict<A, Everywhere>{p, a.grid, v.t, Vectors::everywhere(b_of_next)});
  });
}

/// out := omega b + P coarse
template <int Dimensions, bool ByClass, class Out>
__device__ void interpolate(const CoarseGrid& g, const Vectors& v, const float* coarse, Out out) {
  const Coefficients p = known<ByClass>(g.p);
  with_axes(g.axes, AllAxes<Dimensions>{}, [&]<int A>(std::integral_constant<int, A>) {
    visit(g.pairs, Interpolate<A, Out>{p, g.a.grid, v.b, g.omega, coarse, out});
  });
}

/// out := t + omega (b - A t)
template <int Dimensions, bool ByClass, class Out>
__device__ void smooth(const CoarseGrid& g, const Vectors& v, Out out) {
  const Coefficients a = known<ByClass>(g.a);
  with_shape_of<Dimensions>(g.star,
                            [&]<class S>(S) { visit(g.points, Smooth<S, Out>{a, v.b, v.t, 1, g.omega, out}); });
}

template <int Dimensions, bool ByClass>
__global__ void __launch_bounds__(threads, 1)
    solve_kernel(const __grid_constant__ CoarseGrids grids, const float* b, float* x, bool last_sweep) {
  extern __shared__ float room[];
  const int coarsest = grids.count - 1;
  for (unsigned k = threadIdx.x; k < grids.grid[coarsest].end(); k += threads) room[k] = 0;
  cuda::pdl_trigger_and_wait();
  const auto vectors = [&](int k) { return Vectors(grids.grid[k], room); };
  __syncthreads();
  float* const own_b = vectors(0).b;
  for (unsigned k = threadIdx.x; k < grids.grid[0].a.grid.points(); k += threads) own_b[k] = b[k];
  wait_for_all();
  for (int k = 0; k < coarsest; ++k) {
    descend<Dimensions, ByClass>(grids.grid[k], vectors(k), vectors(k + 1).b);
    wait_for_all();
  }
  solve_coarsest(grids.grid[coarsest], grids.inverse, vectors(coarsest));
  wait_for_all();
  for (int k = coarsest - 1; k > 0; --k) {
    const CoarseGrid& g = grids.grid[k];
    const Vectors v = vectors(k);
    interpolate<Dimensions, ByClass>(g, v, vectors(k + 1).x, Vectors::everywhere(v.t));
    wait_for_all();
    smooth<Dimensions, ByClass>(g, v, Vectors::everywhere(v.x));
    wait_for_all();
  }
  const CoarseGrid& g = grids.grid[0];
  const Vectors v = vectors(0);
  if (!last_sweep) return interpolate<Dimensions, ByClass>(g, v, vectors(1).x, x);
  interpolate<Dimensions, ByClass>(g, v, vectors(1).x, Vectors::everywhere(v.t));
  wait_for_all();
  smooth<Dimensions, ByClass>(g, v, x);
}

/// The shared memory for the vectors of grids, in bytes.
std::size_t bytes_of(const CoarseGrids& grids) { return grids.grid[grids.count - 1].end() * sizeof(float); }

}  // namespace

std::size_t first_coarse_grid(const Cuda& space, const std::vector<Level<Cuda>>& levels) {
  if (!space.state().overlaps) return levels.size();
  // Larger grids are faster in kernels of their own, which all multiprocessors share (H200, 2026-11).
  constexpr std::size_t most_points = std::size_t{1} << 13, most_bytes = 220 << 10;
  std::size_t first = levels.size(), bytes = 0;
  while (first > 0 && levels.size() - first < CoarseGrids::most) {
    const Level<Cuda>& level = levels[first - 1];
    bytes += 3 * Field<Cuda>::bytes_of(level.grid, level.dimensions);
    if (level.periodic.any() || level.grid.points() > most_points || bytes > most_bytes) break;
    --first;
  }
  return first + 1 < levels.size() ? first : levels.size();
}

void solve_coarse_grids(const Cuda& space, const CoarseGrids& grids, const float* b, float* x, bool last_sweep) {
  const auto solve = [&]<int D>(std::integral_constant<int, D>) {
    const auto kernel = grids.by_class ? solve_kernel<D, true> : solve_kernel<D, false>;
    const std::size_t room = bytes_of(grids);
    cuda::allow_shared(space, kernel, room);
    cuda::launch_as_cluster(space, kernel, cluster_blocks, threads, room, grids, b, x, last_sweep);
  };
  if (grids.dimensions == 1) return solve(std::integral_constant<int, 1>{});
  if (grids.dimensions == 2) return solve(std::integral_constant<int, 2>{});
  solve(std::integral_constant<int, 3>{});
}

}  // namespace ostinato::multigrid

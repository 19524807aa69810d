// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/coarse_grids.hpp>

#include <type_traits>
#include <utility>

#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>

namespace ostinato::multigrid {

namespace {

constexpr unsigned threads = 512;
constexpr unsigned cluster_blocks = 8;  ///< that every GPU with clusters can run

/// Waits for all threads of the cluster, and sees what they wrote.
__device__ void wait_for_all() {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
#else
  __syncthreads();  // without clusters there is one thread block
#endif
}

/// Calls f for the points of a grid: by columns, where f has these and there are more points than threads.
template <class F>
__device__ void visit(const Extents& grid, const F& f) {
  const auto all = static_cast<Index>(gridDim.x * threads);
  const auto points = static_cast<Index>(grid.points());
  Index deep_y = 1, deep_z = 1;
  if constexpr (requires { f.column(Index{}, Index{}, Index{}); }) {
    if (points > all) (f.column_axis() == 2 ? deep_z : deep_y) = column_points;
  }
  const Index lines = (grid.y + deep_y - 1) / deep_y, planes = (grid.z + deep_z - 1) / deep_z;
  const Index cells = grid.x * lines * planes;
  for (auto cell = static_cast<Index>(blockIdx.x * threads + threadIdx.x); cell < cells; cell += all) {
    const Index line = cell / grid.x, plane = line / lines;
    const Index x = cell - line * grid.x, y = (line - plane * lines) * deep_y, z = plane * deep_z;
    if constexpr (requires { f.column(x, y, z); }) {
      if (deep_y * deep_z > 1 && y + deep_y <= grid.y && z + deep_z <= grid.z) {
        f.column(x, y, z);
        continue;
      }
    }
    for (Index v = y; v < min(y + deep_y, grid.y); ++v) {
      for (Index w = z; w < min(z + deep_z, grid.z); ++w) f(x, v, w);
    }
  }
}

/// Calls f with the shape of a stencil.
template <int Dimensions, class F>
__device__ void with_shape_of(bool star, F f) {
  if constexpr (Dimensions > 1) {
    if (!star) return f(Shape<Dimensions, false>{});
  }
  f(Shape<Dimensions, true>{});
}

/// Calls f with the axes that are halved.
template <class F, int... Axes>
__device__ void with_axes(int axes, std::integer_sequence<int, Axes...>, F f) {
  ((axes == Axes + 1 ? f(std::integral_constant<int, Axes + 1>{}) : void()), ...);
}

/// x = the inverse times b, on the coarsest grid: a warp for each row.
__device__ void solve_coarsest(const CoarseGrid& g, const float* inverse) {
  const auto n = static_cast<unsigned>(g.a.grid.points());
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * threads / 32;
  for (unsigned row = (blockIdx.x * threads + threadIdx.x) / 32; row < n; row += warps) {
    float sum = 0;
    for (unsigned k = lane; k < n; k += 32) sum += inverse[k * n + row] * g.b[k];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) g.x[row] = sum;
  }
}

template <int Dimensions>
__global__ void __launch_bounds__(threads) solve_kernel(const CoarseGrids grids, bool last_sweep) {
  constexpr std::make_integer_sequence<int, (1 << Dimensions) - 1> all_axes;
  cuda::pdl_trigger_and_wait();
  const int coarsest = grids.count - 1;
  for (int k = 0; k < coarsest; ++k) {
    const CoarseGrid &g = grids.grid[k], &next = grids.grid[k + 1];
    with_shape_of<Dimensions>(g.star,
                              [&]<class S>(S) { visit(g.a.grid, Residual<S>{g.a, g.b, g.b, g.omega, g.t}); });
    wait_for_all();
    with_axes(g.axes, all_axes, [&]<int A>(std::integral_constant<int, A>) {
      visit(g.p.grid, Restrict<A>{g.p, g.a.grid, g.t, next.b});
    });
    wait_for_all();
  }
  solve_coarsest(grids.grid[coarsest], grids.inverse);
  for (int k = coarsest - 1; k >= 0; --k) {
    const CoarseGrid &g = grids.grid[k], &next = grids.grid[k + 1];
    wait_for_all();
    with_axes(g.axes, all_axes, [&]<int A>(std::integral_constant<int, A>) {
      const Interpolate<A> step{g.p, g.a.grid, g.b, g.omega, next.x, g.t};
      visit(step.cells(), step);
    });
    if (k == 0 && !last_sweep) break;
    wait_for_all();
    with_shape_of<Dimensions>(g.star,
                              [&]<class S>(S) { visit(g.a.grid, Smooth<S>{g.a, g.b, g.t, 1, g.omega, g.x}); });
  }
}

}  // namespace

std::size_t first_coarse_grid(const Cuda& space, const std::vector<Level<Cuda>>& levels) {
  // Larger grids are faster in kernels of their own, which all multiprocessors share (H200, 2026-11).
  const std::size_t most_points = space.state().overlaps ? std::size_t{1} << 15 : std::size_t{1} << 10;
  std::size_t first = levels.size();
  while (first > 0 && levels.size() - first < CoarseGrids::most) {
    const Level<Cuda>& level = levels[first - 1];
    if (level.periodic.any() || level.grid.points() > most_points) break;
    --first;
  }
  return first + 1 < levels.size() ? first : levels.size();
}

void solve_coarse_grids(const Cuda& space, const CoarseGrids& grids, bool last_sweep) {
  const unsigned blocks = space.state().overlaps ? cluster_blocks : 1;
  const auto solve = [&](auto kernel) { cuda::launch_cluster(space, kernel, blocks, threads, grids, last_sweep); };
  if (grids.dimensions == 1) return solve(solve_kernel<1>);
  if (grids.dimensions == 2) return solve(solve_kernel<2>);
  solve(solve_kernel<3>);
}

}  // namespace ostinato::multigrid

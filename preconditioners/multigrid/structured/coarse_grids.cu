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
/// Larger grids are faster on all thread blocks, smaller ones without waiting for them (H200, 2026-11).
constexpr std::size_t most_points_of_block = 1024;

/// The threads that share the work of a step.
struct Team {
  Index number, count;  ///< of the calling thread, and of all
  bool is_block;        ///< whether they are one thread block

  /// All thread blocks. The warps of a small step are spread over them.
  __device__ static Team of_cluster() {
    const unsigned warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;
    return {static_cast<Index>(warp * 32 + threadIdx.x % 32), static_cast<Index>(gridDim.x * threads), false};
  }
  __device__ static Team of_block() { return {static_cast<Index>(threadIdx.x), static_cast<Index>(threads), true}; }

  /// Waits for the other threads, and sees what they wrote.
  __device__ void wait() const {
#if __CUDA_ARCH__ >= 900
    if (!is_block) {
      asm volatile(
          "barrier.cluster.arrive.release.aligned;\n"
          "barrier.cluster.wait.acquire.aligned;" ::
              : "memory");
      return;
    }
#endif
    __syncthreads();
  }
};

/// Calls f(x, y, z) for cells.
template <class F>
__device__ void visit(const Team& team, const Cells& cells, const F& f) {
  const auto count = static_cast<Index>(cells.grid.points());
  for (Index cell = team.number; cell < count; cell += team.count) {
    const Index line = cells.line.quotient(cell), plane = cells.plane.quotient(line);
    f(cell - line * cells.grid.x, line - plane * cells.grid.y, plane);
  }
}

/// Calls f for the points of a grid; f.column for whole columns of them where there are more points than threads.
template <class F>
__device__ void visit_points(const Team& team, const CoarseGrid& g, const F& f) {
  if (static_cast<Index>(g.a.grid.points()) <= team.count || f.column_axis() == 0) return visit(team, g.points, f);
  const bool deep = f.column_axis() == 2;
  visit(team, g.columns, [&](Index x, Index line, Index plane) {
    const Index y = deep ? line : line * column_points, z = deep ? plane * column_points : plane;
    const Index end_y = deep ? y + 1 : y + column_points, end_z = deep ? z + column_points : z + 1;
    if (end_y <= g.a.grid.y && end_z <= g.a.grid.z) return f.column(x, y, z);
    for (Index v = y; v < min(end_y, g.a.grid.y); ++v) {
      for (Index w = z; w < min(end_z, g.a.grid.z); ++w) f(x, v, w);
    }
  });
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
__device__ void solve_coarsest(const Team& team, const CoarseGrid& g, const float* inverse) {
  const auto n = static_cast<Index>(g.a.grid.points());
  for (Index row = team.number / 32; row < n; row += team.count / 32) {
    float sum = 0;
    for (auto k = static_cast<Index>(threadIdx.x % 32); k < n; k += 32) sum += inverse[k * n + row] * g.b[k];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) g.x[row] = sum;
  }
}

/// b of the next grid := P^T (b - A omega b)
template <int Dimensions, bool ByClass>
__device__ void descend(const Team& team, const CoarseGrid& g, float* b_of_next) {
  const Coefficients a = known<ByClass>(g.a), p = known<ByClass>(g.p);
  with_shape_of<Dimensions>(
      g.star, [&]<class S>(S) { visit_points(team, g, Residual<S>{a, g.b, g.b, g.omega, g.t}); });
  team.wait();
  with_axes(g.axes, AllAxes<Dimensions>{}, [&]<int A>(std::integral_constant<int, A>) {
    visit(team, g.next, Restrict<A>{p, a.grid, g.t, b_of_next});
  });
  team.wait();
}

/// t := omega b + P coarse;  x := t + omega (b - A t), if `smooths`
template <int Dimensions, bool ByClass>
__device__ void ascend(const Team& team, const CoarseGrid& g, const float* coarse, bool smooths) {
  const Coefficients a = known<ByClass>(g.a), p = known<ByClass>(g.p);
  with_axes(g.axes, AllAxes<Dimensions>{}, [&]<int A>(std::integral_constant<int, A>) {
    visit(team, g.pairs, Interpolate<A>{p, a.grid, g.b, g.omega, coarse, g.t});
  });
  team.wait();
  if (!smooths) return;
  with_shape_of<Dimensions>(
      g.star, [&]<class S>(S) { visit_points(team, g, Smooth<S>{a, g.b, g.t, 1, g.omega, g.x}); });
  team.wait();
}

/// The grids of the cluster, then those of its first thread block, and back.
template <int Dimensions, bool ByClass>
__global__ void __launch_bounds__(threads, 1)
    solve_kernel(const __grid_constant__ CoarseGrids grids, int first_of_block, bool last_sweep) {
  cuda::pdl_trigger_and_wait();
  const int coarsest = grids.count - 1;
  const auto down = [&](const Team& team, int first, int end) {
    for (int k = first; k < end; ++k) descend<Dimensions, ByClass>(team, grids.grid[k], grids.grid[k + 1].b);
  };
  const auto up = [&](const Team& team, int first, int end) {
    for (int k = end - 1; k >= first; --k)
      ascend<Dimensions, ByClass>(team, grids.grid[k], grids.grid[k + 1].x, k > 0 || last_sweep);
  };
  const Team all = Team::of_cluster();
  down(all, 0, first_of_block);
  if (blockIdx.x == 0) {
    const Team block = Team::of_block();
    down(block, first_of_block, coarsest);
    solve_coarsest(block, grids.grid[coarsest], grids.inverse);
    block.wait();
    up(block, first_of_block, coarsest);
  }
  all.wait();
  up(all, 0, first_of_block);
}

}  // namespace

std::size_t first_coarse_grid(const Cuda& space, const std::vector<Level<Cuda>>& levels) {
  // Larger grids are faster in kernels of their own, which all multiprocessors share (H200, 2026-11).
  const std::size_t most_points = space.state().overlaps ? std::size_t{1} << 13 : most_points_of_block;
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
  int first_of_block = 0;
  while (first_of_block < grids.count - 1 && grids.grid[first_of_block].a.grid.points() > most_points_of_block)
    ++first_of_block;
  const auto solve = [&]<int D>(std::integral_constant<int, D>) {
    const auto kernel = grids.by_class ? solve_kernel<D, true> : solve_kernel<D, false>;
    cuda::launch_cluster(space, kernel, blocks, threads, grids, first_of_block, last_sweep);
  };
  if (grids.dimensions == 1) return solve(std::integral_constant<int, 1>{});
  if (grids.dimensions == 2) return solve(std::integral_constant<int, 2>{});
  solve(std::integral_constant<int, 3>{});
}

}  // namespace ostinato::multigrid

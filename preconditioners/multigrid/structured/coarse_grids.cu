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
__device__ void solve_coarsest(const CoarseGrid& g, const float* inverse) {
  const auto n = static_cast<Index>(g.a.grid.points()), warps = static_cast<Index>(gridDim.x * threads / 32);
  const auto lane = static_cast<Index>(threadIdx.x % 32);
  for (Index row = own_number() / 32; row < n; row += warps) {
    float sum = 0;
    for (Index k = lane; k < n; k += 32) sum += inverse[k * n + row] * g.b[k];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) g.x[row] = sum;
  }
}

/// b of the next grid := P^T (b - A omega b)
template <int Dimensions, bool ByClass>
__device__ void descend(const CoarseGrid& g, float* b_of_next) {
  const Coefficients a = known<ByClass>(g.a), p = known<ByClass>(g.p);
  with_shape_of<Dimensions>(g.star, [&]<class S>(S) { visit(g.points, Residual<S>{a, g.b, g.b, g.omega, g.t}); });
  wait_for_all();
  with_axes(g.axes, AllAxes<Dimensions>{}, [&]<int A>(std::integral_constant<int, A>) {
    visit(g.next, Restrict<A>{p, a.grid, g.t, b_of_next});
  });
}

/// t := omega b + P coarse;  x := t + omega (b - A t), if `smooths`
template <int Dimensions, bool ByClass>
__device__ void ascend(const CoarseGrid& g, const float* coarse, bool smooths) {
  const Coefficients a = known<ByClass>(g.a), p = known<ByClass>(g.p);
  with_axes(g.axes, AllAxes<Dimensions>{}, [&]<int A>(std::integral_constant<int, A>) {
    visit(g.pairs, Interpolate<A>{p, a.grid, g.b, g.omega, coarse, g.t});
  });
  if (!smooths) return;
  wait_for_all();
  with_shape_of<Dimensions>(g.star, [&]<class S>(S) { visit(g.points, Smooth<S>{a, g.b, g.t, 1, g.omega, g.x}); });
}

template <int Dimensions, bool ByClass>
__global__ void __launch_bounds__(threads, 1) solve_kernel(const __grid_constant__ CoarseGrids grids, bool last_sweep) {
  cuda::pdl_trigger_and_wait();
  const int coarsest = grids.count - 1;
  for (int k = 0; k < coarsest; ++k) {
    descend<Dimensions, ByClass>(grids.grid[k], grids.grid[k + 1].b);
    wait_for_all();
  }
  solve_coarsest(grids.grid[coarsest], grids.inverse);
  for (int k = coarsest - 1; k >= 0; --k) {
    wait_for_all();
    ascend<Dimensions, ByClass>(grids.grid[k], grids.grid[k + 1].x, k > 0 || last_sweep);
  }
}

}  // namespace

std::size_t first_coarse_grid(const Cuda& space, const std::vector<Level<Cuda>>& levels) {
  if (!space.state().overlaps) return levels.size();
  // Larger grids are faster in kernels of their own, which all multiprocessors share (H200, 2026-11).
  constexpr std::size_t most_points = std::size_t{1} << 13;
  std::size_t first = levels.size();
  while (first > 0 && levels.size() - first < CoarseGrids::most) {
    const Level<Cuda>& level = levels[first - 1];
    if (level.periodic.any() || level.grid.points() > most_points) break;
    --first;
  }
  return first + 1 < levels.size() ? first : levels.size();
}

void solve_coarse_grids(const Cuda& space, const CoarseGrids& grids, bool last_sweep) {
  const auto solve = [&]<int D>(std::integral_constant<int, D>) {
    const auto kernel = grids.by_class ? solve_kernel<D, true> : solve_kernel<D, false>;
    cuda::launch_cluster(space, kernel, cluster_blocks, threads, grids, last_sweep);
  };
  if (grids.dimensions == 1) return solve(std::integral_constant<int, 1>{});
  if (grids.dimensions == 2) return solve(std::integral_constant<int, 2>{});
  solve(std::integral_constant<int, 3>{});
}

}  // namespace ostinato::multigrid

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/tiles.hpp>

#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/cuda/overlap.cuh>

namespace ostinato::multigrid {

namespace {

// A thread block smooths a tile of points, a thread each. What the smoother reads beside the tile is interpolated by
// each of the thread blocks that need it.
constexpr int along_x = 32, along_y = 4, along_z = 2, threads = along_x * along_y * along_z;
constexpr int cells = along_x / 2 + 2;  ///< of a line, two points each, from one before the tile to one behind it
constexpr int lines = along_y + 2, layers = along_z + 2;

/// x of a tile and of the points beside it.
struct Tile {
  float x[layers][lines][2 * cells];

  __device__ const float& at(int px, int py, int pz) const { return x[pz + 1][py + 1][px + 2]; }
};

/// Fills the tile whose first point is `first` with omega b + P coarse; outside of the grid with 0. A star reads
/// nothing from the edges along x.
template <class Shape>
__device__ void interpolate(const Interpolate<7>& step, const Extents& first, Tile& tile) {
  const Extents all = step.cells();
  for (int n = static_cast<int>(threadIdx.x); n < layers * lines * cells; n += threads) {
    const int cell = n % cells, line = n / cells % lines, layer = n / cells / lines;
    const bool is_edge = (line == 0 || line == lines - 1) && (layer == 0 || layer == layers - 1);
    if (Shape::star && is_edge) continue;
    const Index cx = first.x / 2 - 1 + cell, y = first.y - 1 + line, z = first.z - 1 + layer;
    float own = 0, before = 0;
    if (all.contains(cx, y, z)) {
      step.cell(cx, y, z, own, before);
      const std::size_t i = step.fine.number(2 * cx, y, z);
      before += step.c * step.x[i];
      own = 2 * cx + 1 < step.fine.x ? own + step.c * step.x[i + 1] : 0.0f;
    }
    tile.x[layer][line][2 * cell] = before;
    tile.x[layer][line][2 * cell + 1] = own;
  }
}

template <class Shape, class A>
__global__ void __launch_bounds__(threads)
    ascend_kernel(const A a, const Interpolate<7> step, float omega, float* out) {
  __shared__ Tile tile;
  const Extents& e = a.grid;
  const auto tiles = [](Index n, int side) { return static_cast<unsigned>((n + side - 1) / side); };
  const unsigned in_line = tiles(e.x, along_x), in_layer = in_line * tiles(e.y, along_y);
  const unsigned layer = blockIdx.x / in_layer, line = blockIdx.x % in_layer / in_line;
  const Extents first{static_cast<Index>(blockIdx.x % in_line) * along_x, static_cast<Index>(line) * along_y,
                      static_cast<Index>(layer) * along_z};
  const int tx = static_cast<int>(threadIdx.x) % along_x, ty = static_cast<int>(threadIdx.x) / along_x % along_y,
            tz = static_cast<int>(threadIdx.x) / along_x / along_y;
  const Index x = first.x + tx, y = first.y + ty, z = first.z + tz;
  cuda::pdl_trigger_and_wait();
  interpolate<Shape>(step, first, tile);
  __syncthreads();
  if (!e.contains(x, y, z)) return;
  const std::size_t i = e.number(x, y, z), stride = a.stride();
  const auto* const coefficient = a.a + a.at(x, y, z, i);
  const float own = tile.at(tx, ty, tz);
  float product = own * a.centre(coefficient, Shape::count());
  for_coefficients<Shape>([&](int c, auto k) {
    constexpr Step d = Step::of(decltype(k)::value);
    product += coefficient[static_cast<std::size_t>(c) * stride] * tile.at(tx + d.x, ty + d.y, tz + d.z);
  });
  out[i] = own + omega * (step.x[i] - product);
}

}  // namespace

void ascend_in_tiles(const Cuda& space, const Level<Cuda>& level, float omega, const float* b, const float* coarse,
                     float* out) {
  const Extents& e = level.grid;
  const auto tiles = [](Index n, int side) { return static_cast<unsigned>((n + side - 1) / side); };
  const unsigned blocks = tiles(e.x, along_x) * tiles(e.y, along_y) * tiles(e.z, along_z);
  const Interpolate<7> step{level.weights_view(), e, b, omega, coarse, nullptr};
  const auto launch = [&]<class S, class A>(S, const A& a) {
    cuda::launch(space, ascend_kernel<S, A>, blocks, threads, 0, a, step, omega, out);
  };
  const auto with_shape_of = [&](const auto& a) {
    level.star ? launch(Shape<3, true>{}, a) : launch(Shape<3, false>{}, a);
  };
  level.is_half() ? with_shape_of(level.half_operator()) : with_shape_of(level.operator_view());
}

}  // namespace ostinato::multigrid

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/slab_product.hpp>

#include <algorithm>
#include <cstdint>

#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/cuda/rendezvous.cuh>
#include <ostinato/spmv/stencil/stencil_steps.hpp>

namespace ostinato {

namespace {

constexpr int deep = 4;           ///< planes that a thread goes through, so that lines are found in the near cache
constexpr unsigned log_rows = 8;  ///< of the threads of a tile
static_assert(cuda::block_threads == 1 << log_rows);

/// The lines of the planes of a rank, and of one plane below and above; null where the grid ends. `Inside`: for points
/// that need no such plane.
template <bool Inside>
struct LinesOfSlab {
  const float *below, *above;
  bool aligned;

  __device__ bool contains(const Extents& grid, Index x, Index y, Index z) const {
    const bool is_in_plane = x >= 0 && x < grid.x && y >= 0 && y < grid.y;
    return is_in_plane && (Inside || ((z >= 0 || below != nullptr) && (z < grid.z || above != nullptr)));
  }
  __device__ const float* line(const Extents& grid, const float* x, std::size_t i, const detail::Step& d,
                               Index z) const {
    if constexpr (Inside) return x + i + d.distance(grid);
    const std::size_t plane = static_cast<std::size_t>(grid.x) * static_cast<std::size_t>(grid.y);
    const float* from = x + i;
    if (z + d.z < 0) from = below + i;
    if (z + d.z >= grid.z) from = above + (i - static_cast<std::size_t>(grid.z - 1) * plane);
    const bool is_beside = z + d.z < 0 || z + d.z >= grid.z;
    return from + (is_beside ? detail::Step{0, d.y, 0} : d).distance(grid);
  }
  __device__ detail::FourFloats load(const float* from) const {
    if (aligned) return *reinterpret_cast<const detail::FourFloats*>(from);
    return {{from[0], from[1], from[2], from[3]}};
  }
  __device__ void store(float* to, const detail::FourFloats& four) const {
    if (aligned) {
      *reinterpret_cast<detail::FourFloats*>(to) = four;
      return;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) to[k] = four.v[k];
  }
};

/// What the threads of a warp have of each of four sums, added up: that of sum k is in lane 8 k. Each step halves the
/// sums that a thread goes on with, or the threads of a sum.
__device__ double sum_of_four_in_warp(const double (&v)[deep]) {
  const unsigned lane = threadIdx.x % 32;
  const auto across = [](double value, unsigned bit) { return __shfl_xor_sync(0xffffffffu, value, bit); };
  const bool second = (lane & 16u) != 0, odd = (lane & 8u) != 0;
  const double a = (second ? v[2] : v[0]) + across(second ? v[0] : v[2], 16);
  const double b = (second ? v[3] : v[1]) + across(second ? v[1] : v[3], 16);
  double sum = (odd ? b : a) + across(odd ? a : b, 8);
  for (unsigned bit = 4; bit > 0; bit /= 2) sum += across(sum, bit);
  return sum;
}

/// Stores the sums of a tile in up to four planes.
__device__ void store_sums(const double (&v)[deep], double* to, unsigned tiles, int planes) {
  constexpr int warps = cuda::block_threads / 32;
  __shared__ double of_warp[deep][warps];
  const double sum = sum_of_four_in_warp(v);
  if (threadIdx.x % 8 == 0) of_warp[threadIdx.x % 32 / 8][threadIdx.x / 32] = sum;
  __syncthreads();
  const int k = static_cast<int>(threadIdx.x);
  if (k < planes) {
    double total = 0;
    for (int warp = 0; warp < warps; ++warp) total += of_warp[k][warp];
    to[static_cast<std::size_t>(k) * tiles] = total;
  }
  __syncthreads();
}

template <class Shape, bool Inside = false>
using Product = detail::StencilProductOfFours<Shape, double, LinesOfSlab<Inside>>;

template <class Shape>
__device__ Product<Shape, true> inside_of(const Product<Shape>& f) {
  Product<Shape, true> inside{f.grid, {}, f.x, f.out, f.w, {nullptr, nullptr, f.lines.aligned}};
#pragma unroll
  for (int c = 0; c <= Shape::count(); ++c) inside.coefficient[c] = f.coefficient[c];
  return inside;
}

/// Where tiles lie, and which of them are multiplied: layers in order, but the first one last.
struct SlabTiles {
  unsigned log_x, along_x, of_plane, layers, begin, end;

  SlabTiles(const detail::SlabProduct& p, detail::SlabPart part)
      : log_x(p.log_x()),
        along_x((static_cast<unsigned>(p.grid.x) / 4 + (1u << log_x) - 1) >> log_x),
        of_plane(p.tiles()),
        layers(static_cast<unsigned>((p.grid.z + deep - 1) / deep)) {
    const unsigned inside = layers > 2 ? of_plane * (layers - 2) : 0;
    begin = part == detail::SlabPart::sides ? inside : 0;
    end = part == detail::SlabPart::inside ? inside : of_plane * layers;
  }
};

/// Waits for the partners, and takes up where the planes beside are.
template <class Shape>
__device__ void find_planes(const detail::SlabProduct& p, std::uint64_t met, const float** of_rank, Product<Shape>& f) {
  cuda::hear_where(p.at, met, of_rank);
  const auto find = [&](const detail::PlaneBeside& plane) -> const float* {
    if (plane.rank < 0 || of_rank[plane.rank] == nullptr) return nullptr;  // a rank that is late has said nothing
    return of_rank[plane.rank] + plane.place;
  };
  f.lines.below = find(p.below);
  f.lines.above = find(p.above);
}

__device__ bool is_aligned(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) % alignof(detail::FourFloats) == 0;
}
template <class Shape>
__device__ bool moves_fours(const Product<Shape>& f) {
  return is_aligned(f.x) && is_aligned(f.out) && is_aligned(f.w) && is_aligned(f.lines.below) &&
         is_aligned(f.lines.above);
}

constexpr int blocks_each = 4;  ///< thread blocks of a multiprocessor

/// The layers that read planes of other ranks wait when the rest is done.
template <class Shape>
__global__ void __launch_bounds__(cuda::block_threads, blocks_each)
    slab_product_kernel(const __grid_constant__ detail::SlabProduct p, const __grid_constant__ Product<Shape> given,
                        SlabTiles tiles) {
  __shared__ const float* of_rank[detail::most_sum_parts];
  const bool meets = p.at.ranks != 0;
  cuda::pdl_trigger_and_wait();
  const std::uint64_t met = meets ? cuda::times_met(p.at) : 0;
  if (meets && blockIdx.x == 0) cuda::say_where(p.at, met, p.x);
  bool knows = !meets;
  Product<Shape> f = given;
  f.lines.aligned = moves_fours(f);
  for (unsigned t = tiles.begin + blockIdx.x; t < tiles.end; t += gridDim.x) {
    const unsigned layer = (t / tiles.of_plane + 1) % tiles.layers, tile = t % tiles.of_plane;
    const Index z = static_cast<Index>(layer) * deep, planes = min(deep, p.grid.z - z);
    if (!knows && ((z == 0 && p.below.rank >= 0) || (z + planes == p.grid.z && p.above.rank >= 0))) {
      find_planes(p, met, of_rank, f);
      f.lines.aligned = moves_fours(f);
      knows = true;
    }
    const unsigned row = tile / tiles.along_x;
    const auto four =
        static_cast<Index>(((tile - row * tiles.along_x) << tiles.log_x) + (threadIdx.x & ((1u << tiles.log_x) - 1)));
    const auto y = static_cast<Index>((row << (log_rows - tiles.log_x)) + (threadIdx.x >> tiles.log_x));
    double sums[deep] = {};
    const auto multiply = [&](const auto& product) {
#pragma unroll
      for (int k = 0; k < deep; ++k) {
        if (k < planes) sums[k] = product(four, y, z + k).v[0];
      }
    };
    if (4 * four < p.grid.x && y < p.grid.y) {
      if (z > 0 && z + deep < p.grid.z) {
        multiply(inside_of(f));
      } else {
        multiply(f);
      }
    }
    store_sums(sums, p.sums + static_cast<std::size_t>(z) * tiles.of_plane + tile, tiles.of_plane, planes);
  }
  if (meets && cuda::is_last_to_leave(p.at) && threadIdx.x == 0) cuda::part(p.at, met);
}

template <class Shape>
void launch_product(const Cuda& space, const detail::SlabProduct& p, const SlabTiles& tiles) {
  Product<Shape> f{p.grid, {}, p.x, p.y, p.w, {p.below.gathered, p.above.gathered, false}};
  for (int c = 0; c < Shape::count(); ++c) f.coefficient[c] = p.row[static_cast<std::size_t>(Shape::neighbour(c))];
  f.coefficient[Shape::count()] = p.row[detail::centre];
  // Thread blocks that wait are few where kernels don't overlap: up to four ranks may need the same GPU.
  constexpr int few = 1;
  const bool is_shared = p.at.ranks != 0 && !space.state().overlaps;
  const std::size_t threads = std::size_t{tiles.end - tiles.begin} * cuda::block_threads;
  const int blocks = cuda::resident_blocks(space, threads, is_shared ? few : blocks_each);
  cuda::launch(space, slab_product_kernel<Shape>, blocks, cuda::block_threads, 0, p, f, tiles);
}

}  // namespace

unsigned detail::SlabProduct::log_x() const {
  constexpr unsigned most = 6;
  unsigned log = 0;
  while (log < most && (Index{4} << log) < grid.x) ++log;
  return log;
}

unsigned detail::SlabProduct::tiles() const {
  const unsigned log_y = log_rows - log_x(), fours = static_cast<unsigned>(grid.x) / 4;
  const auto count = [](unsigned n, unsigned log) { return (n + (1u << log) - 1) >> log; };
  return count(fours, log_x()) * count(static_cast<unsigned>(grid.y), log_y);
}

void detail::multiply_slab(const Cuda& space, const SlabProduct& product, SlabPart part) {
  const SlabTiles tiles(product, part);
  if (tiles.begin == tiles.end) return;
  product.star ? launch_product<Shape<3, true>>(space, product, tiles)
               : launch_product<Shape<3, false>>(space, product, tiles);
}

__device__ Sums<1> detail::SumsOfPlanes::sum_of_block(std::size_t begin, std::size_t) const {
  const double* const of_plane = sums + begin / sum_block * tiles;
  Sums<1> mine{};
  for (unsigned tile = threadIdx.x; tile < tiles; tile += cuda::block_threads) mine.v[0] += __ldcg(of_plane + tile);
  return cuda::block_sum(mine);
}

OSTINATO_PARTS_OF_ON_CUDA(detail::SumsOfPlanes)

}  // namespace ostinato

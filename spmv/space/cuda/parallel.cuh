// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// for_each and sum on Cuda. The contract of the functors is in spmv/space/for_each.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>
#include <ostinato/spmv/space/cuda/rendezvous.cuh>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sum_parts.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato {

namespace cuda {

template <class F>
__device__ bool prepare(F& f) {
  if constexpr (requires { f.prepare(); }) {
    if (f.prepare()) return true;
    if constexpr (requires { f.skipped(); }) {
      if (blockIdx.x == 0 && threadIdx.x == 0) f.skipped();
    }
    return false;
  } else {
    return true;
  }
}

template <class F>
__global__ void __launch_bounds__(block_threads) for_each_kernel(std::size_t n, F f) {
  pdl_trigger_and_wait();
  if (!prepare(f)) return;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * block_threads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * block_threads + threadIdx.x; i < n; i += stride) f(i);
}

/// Thread blocks of a sum on a multiprocessor.
template <class F>
constexpr int sum_blocks_of_multiprocessor() {
  if constexpr (requires { F::blocks_of_multiprocessor; }) {
    return F::blocks_of_multiprocessor;
  } else {
    return blocks_per_multiprocessor;
  }
}

/// What f.fours(i) gives, element by element.
template <class F>
__device__ auto one_by_one(const F& f, std::size_t i) {
  auto total = f(i);
  for (std::size_t k = 1; k < 4; ++k) total += f(i + k);
  return total;
}

/// Calls use(call) for the calls of one thread, of `stride`, for elements begin .. end - 1 of a sum; begin is a
/// multiple of four. The order of summation doesn't depend on whether four elements move as one.
template <class F, class Use>
__device__ void visit_elements(std::size_t begin, std::size_t end, std::size_t thread, std::size_t stride, const F& f,
                               Use use) {
  std::size_t first = begin;
  if constexpr (requires { f.fours(end); }) {
    first = end / 4 * 4;
    const bool as_one = f.moves_fours();
    for (std::size_t i = begin + 4 * thread; i < first; i += 4 * stride) {
      if (as_one) {
        use([&] { return f.fours(i); });
      } else {
        use([&] { return one_by_one(f, i); });
      }
    }
  }
  for (std::size_t i = first + thread; i < end; i += stride) use([&] { return f(i); });
}

template <class F>
__global__ void __launch_bounds__(block_threads) sum_kernel(std::size_t n, F f, Reduction to) {
  using Result = std::remove_cvref_t<decltype(f(n))>;
  static_assert(Result::count <= Cuda::State::max_sums);
  pdl_trigger_and_wait();
  if (!prepare(f)) return;
  Result mine{};
  visit_elements(0, n, static_cast<std::size_t>(blockIdx.x) * block_threads + threadIdx.x,
                 static_cast<std::size_t>(gridDim.x) * block_threads, f, [&](auto call) { mine += call(); });
  grid_sum(mine, to, [&](const Result& total) {
    if constexpr (requires { f.finish(total); }) f.finish(total);
  });
}

/// The sum of f over the elements first .. end - 1, valid in thread 0 only. A functor may have a way of its own.
template <class Result, class F>
__device__ Result sum_of_block(const F& f, std::size_t first, std::size_t end) {
  if constexpr (requires { f.sum_of_block(first, end); }) {
    return f.sum_of_block(first, end);
  } else {
    Result mine{};
    visit_elements(first, end, threadIdx.x, block_threads, f, [&](auto call) { mine += call(); });
    return block_sum(mine);
  }
}

/// Calls give(block, sum) in one thread for each block of begin .. end - 1. A functor may have a way of its own, in
/// which each of block_givers() thread blocks has a block, too.
template <class Result, class F, class Give>
__device__ void give_blocks(const F& f, std::size_t begin, std::size_t end, Give give) {
  if constexpr (requires { f.give_blocks(begin, end, give); }) {
    f.give_blocks(begin, end, give);
  } else {
    for (std::size_t block = blockIdx.x; begin + block * sum_block < end; block += gridDim.x) {
      const std::size_t first = begin + block * sum_block;
      const Result sum = sum_of_block<Result>(f, first, min(first + sum_block, end));
      if (threadIdx.x == 0) give(block, sum);
    }
  }
}

/// The same where ranks meet: fewer, so that those that join have registers for what they look at.
template <class F>
constexpr int sum_blocks_of_rank() {
  return std::min(5, sum_blocks_of_multiprocessor<F>());
}

/// Thread blocks for give_blocks(), of n elements.
template <class F>
int block_givers(const Cuda& space, std::size_t n) {
  std::size_t givers = (n + sum_block - 1) / sum_block;
  if constexpr (requires { F::blocks_at_once; }) givers = (givers + F::blocks_at_once - 1) / F::blocks_at_once;
  return resident_blocks(space, givers * block_threads, sum_blocks_of_rank<F>());
}

template <class F, class Result>
__global__ void __launch_bounds__(block_threads)
    sum_blocks_kernel(std::size_t begin, std::size_t end, F f, Result* sums) {
  pdl_trigger_and_wait();
  if constexpr (requires { f.prepare(); }) {
    if (!f.prepare()) return;
  }
  give_blocks<Result>(f, begin, end, [&](std::size_t block, const Result& sum) { sums[block] = sum; });
}

/// Adds count / step elements, each of K sums, in order. Several are loaded before the first is added: they wait for a
/// far cache, or another GPU.
template <int K>
__device__ void add_in_order(Sums<K>& total, const double* sums, unsigned begin, unsigned count, unsigned step) {
  constexpr unsigned loads = 8;
  for (unsigned b = begin; b < count; b += loads * step) {
    Sums<K> next[loads];
#pragma unroll
    for (unsigned n = 0; n < loads; ++n) {
      const bool is_there = b + n * step < count;
      for (int k = 0; k < K; ++k) next[n].v[k] = is_there ? __ldcg(sums + (b + n * step) * K + k) : 0;
    }
#pragma unroll
    for (unsigned n = 0; n < loads; ++n) {
      if (b + n * step < count) total += next[n];
    }
  }
}

/// What one thread block makes of a sum of which each thread has a part: into the slots and f.
template <class F, class Result>
__device__ void finish_lanes(F& f, const Result& of_lane, double* slots) {
  static_assert(block_threads == detail::sum_lanes);
  const Result total = block_sum(of_lane);
  if (threadIdx.x != 0) return;
  if (slots != nullptr) {
    for (int k = 0; k < Result::count; ++k) slots[k] = total.v[k];
  }
  if constexpr (requires { f.finish(total); }) f.finish(total);
}

/// Makes one sum of those that groups of lanes have: of_lane(group) in each thread. The first thread blocks share the
/// groups; the last of them to end has the sum. Returns whether this is the one.
template <class F, class Add>
__device__ bool join_groups(F& f, unsigned groups, const Reduction& to, Add of_lane) {
  using Result = decltype(of_lane(groups));
  __shared__ bool last;
  const unsigned joiners = min(groups, gridDim.x);
  if (blockIdx.x >= joiners) return false;
  if (groups == 1) {
    finish_lanes(f, of_lane(0), to.slots);
    return true;
  }
  for (unsigned group = blockIdx.x; group < groups; group += joiners) {
    const Result sum = block_sum(of_lane(group));
    if (threadIdx.x != 0) continue;
    for (int k = 0; k < Result::count; ++k) to.partial[group * Result::count + k] = sum.v[k];
  }
  if (threadIdx.x == 0) last = arrives_last(to.arrived, joiners);
  __syncthreads();
  if (!last) return false;
  Result of_group{};
  if (threadIdx.x < groups) {
    for (int k = 0; k < Result::count; ++k) of_group.v[k] = __ldcg(to.partial + threadIdx.x * Result::count + k);
  }
  if (threadIdx.x == 0) *to.arrived = 0;
  finish_lanes(f, of_group, to.slots);
  return true;
}

/// The first block of a lane among those of a rank, where `before` are those of the ranks before it.
__device__ inline unsigned first_of_lane(unsigned group, unsigned groups, unsigned before) {
  const unsigned all = groups * block_threads;
  return (group * block_threads + threadIdx.x + all - before % all) % all;
}

/// One thread block for each group. The sums may lie in the memory of other GPUs.
template <class F, class Result>
__global__ void __launch_bounds__(block_threads) finish_sum_kernel(F f, detail::SumParts<Result> parts, Reduction to) {
  pdl_trigger_and_wait();
  if (!prepare(f)) return;
  const unsigned groups = gridDim.x;
  join_groups(f, groups, to, [&](unsigned group) {
    Result total{};
    unsigned before = 0;
    for (int part = 0; part < parts.count; before += parts.blocks[part++])
      add_in_order(total, parts.sums[part]->v, first_of_lane(group, groups, before), parts.blocks[part],
                   groups * block_threads);
    return total;
  });
}

/// Adds every step-th of the sums that a rank gives, in order. Several are looked at before the first is added.
template <int K>
__device__ void add_from_rank(Sums<K>& total, const detail::RendezvousView& at, std::uint64_t met, int rank,
                              unsigned begin, unsigned blocks, unsigned step) {
  constexpr unsigned looks = K < 4 ? 4 / K : 1;
  const Numbered* const sums = reinterpret_cast<const Numbered*>(room_from(at, met, rank)) + 1;
  for (unsigned b = begin; b < blocks; b += looks * step) {
    Numbered seen[looks * K];
#pragma unroll
    for (unsigned n = 0; n < looks * K; ++n) {
      const unsigned block = b + n / K * step;
      if (block < blocks) seen[n] = look(sums + block * K + n % K);
    }
#pragma unroll
    for (unsigned n = 0; n < looks * K; ++n) {
      const unsigned block = b + n / K * step;
      if (block < blocks) total.v[n % K] += get(at, met, sums + block * K + n % K, seen[n]);
    }
  }
}

/// Both in one kernel, which meets those of the other ranks. Each thread block gives its sums to all ranks, behind the
/// number of blocks of the rank. The first thread blocks add up those of all ranks as they come. Each of these gives a
/// block, too (unless the rank has none): so it has read how often ranks have met before the last one ends the meeting.
template <class F, class Result>
__global__ void __launch_bounds__(block_threads, sum_blocks_of_rank<F>())
    sum_over_ranks_kernel(std::size_t n, F f, const __grid_constant__ detail::RendezvousView at, Reduction to) {
  __shared__ unsigned blocks_of[detail::most_sum_parts];
  pdl_trigger_and_wait();
  if (!prepare(f)) return;
  const std::uint64_t met = times_met(at);
  const int rank = static_cast<int>(threadIdx.x);
  const auto room = [&](int of) { return reinterpret_cast<Numbered*>(room_of(at, met, of)); };
  if (blockIdx.x == 0 && rank < at.ranks) put(room(rank), static_cast<double>((n + sum_block - 1) / sum_block), met);
  give_blocks<Result>(f, 0, n, [&](std::size_t block, const Result& sum) {
    for (int r = 0; r < at.ranks; ++r) {
      for (int k = 0; k < Result::count; ++k) put(room(r) + 1 + block * Result::count + k, sum.v[k], met);
    }
  });
  if (blockIdx.x >= detail::most_sum_groups) return;
  if (rank < at.ranks) {
    const auto* const said = reinterpret_cast<const Numbered*>(room_from(at, met, rank));
    blocks_of[rank] = static_cast<unsigned>(get(at, met, said, look(said)));
  }
  __syncthreads();
  unsigned blocks = 0;
  for (int r = 0; r < at.ranks; ++r) blocks += blocks_of[r];
  const unsigned groups = detail::sum_groups(blocks);
  const bool ends = join_groups(f, groups, to, [&](unsigned group) {
    Result total{};
    unsigned before = 0;
    for (int r = 0; r < at.ranks; before += blocks_of[r++])
      add_from_rank(total, at, met, r, first_of_lane(group, groups, before), blocks_of[r], groups * block_threads);
    return total;
  });
  __syncthreads();
  if (ends && threadIdx.x == 0) part(at, met);
}

/// How thread blocks cut a grid: into tiles of 256 columns, along x first. A column is one point, or four along the
/// last axis when the grid is large. Sides of tiles are powers of two.
struct Tiles {
  Extents grid;
  unsigned log_x, log_y, log_z;  ///< the sides of a tile are 2^log_x, 2^log_y and 2^log_z columns
  unsigned along_x, along_y, along_z;
  Index deep_y = 1, deep_z = 1;  ///< the points of a column along y (two dimensions) and along z (three)

  Tiles(const Extents& e, int multiprocessors) : grid(e) {
    const auto log_of = [](Index extent, unsigned most) {
      unsigned log = 0;
      while (log < most && (Index{1} << log) < extent) ++log;
      return log;
    };
    constexpr unsigned all = 8;
    static_assert(1 << all == block_threads);
    constexpr std::size_t busy = 2048;  // threads that keep a multiprocessor busy
    if (e.points() >= static_cast<std::size_t>(multiprocessors) * busy * column_points)
      (e.z > 1 ? deep_z : deep_y) = column_points;
    log_x = log_of(e.x, e.y > 1 ? 6 : all);
    log_y = log_of(e.y, e.z > 1 ? std::min(all - log_x, 2u) : all - log_x);
    log_z = all - log_x - log_y;
    const auto count = [](Index extent, unsigned log, Index deep) {
      return (static_cast<unsigned>((extent - 1) / deep) + (1u << log)) >> log;
    };
    along_x = count(e.x, log_x, 1);
    along_y = count(e.y, log_y, deep_y);
    along_z = count(e.z, log_z, deep_z);
  }

  std::size_t count() const { return std::size_t{along_x} * along_y * along_z; }

  /// Calls f(x, y, z) for the points of the calling thread's column of a tile that are in the grid; f.column(x, y, z)
  /// instead for a column of four points, if f has that.
  template <class F, class Use>
  __device__ void visit(unsigned tile, const F& f, Use use) const {
    const unsigned t = threadIdx.x, row = tile / along_x, layer = row / along_y;
    const auto x = static_cast<Index>(((tile - row * along_x) << log_x) + (t & ((1u << log_x) - 1)));
    const auto y0 =
        static_cast<Index>(((row - layer * along_y) << log_y) + ((t >> log_x) & ((1u << log_y) - 1))) * deep_y;
    const auto z0 = static_cast<Index>((layer << log_z) + (t >> (log_x + log_y))) * deep_z;
    if (x >= grid.x || y0 >= grid.y || z0 >= grid.z) return;
    if constexpr (requires { f.column(x, y0, z0); }) {
      if (f.column_axis() == (deep_z > 1 ? 2 : 1) && deep_y * deep_z == column_points && y0 + deep_y <= grid.y &&
          z0 + deep_z <= grid.z) {
        use([&] { return f.column(x, y0, z0); });
        return;
      }
    }
    for (Index y = y0; y < min(y0 + deep_y, grid.y); ++y) {
      for (Index z = z0; z < min(z0 + deep_z, grid.z); ++z) use([&] { return f(x, y, z); });
    }
  }
};

template <class F>
__global__ void __launch_bounds__(block_threads) for_grid_kernel(Tiles tiles, F f) {
  pdl_trigger_and_wait();
  tiles.visit(blockIdx.x, f, [](auto call) { call(); });
}

/// Thread blocks of sum_grid on a multiprocessor: few, so that a column has registers for its loads.
inline constexpr int sum_grid_blocks = 4;

template <class F>
__global__ void __launch_bounds__(block_threads, sum_grid_blocks) sum_grid_kernel(Tiles tiles, F f, Reduction to) {
  using Result = std::remove_cvref_t<decltype(f(Index{}, Index{}, Index{}))>;
  static_assert(Result::count <= Cuda::State::max_sums);
  pdl_trigger_and_wait();
  Result mine{};
  const unsigned count = tiles.along_x * tiles.along_y * tiles.along_z;
  for (unsigned tile = blockIdx.x; tile < count; tile += gridDim.x)
    tiles.visit(tile, f, [&](auto call) { mine += call(); });
  grid_sum(mine, to, [](const Result&) {});
}

}  // namespace cuda

template <class F>
void for_grid(const Cuda& space, const Extents& grid, F f) {
  if (grid.points() == 0) return;
  const cuda::Tiles tiles(grid, space.multiprocessors());
  cuda::launch(space, cuda::for_grid_kernel<F>, static_cast<unsigned>(tiles.count()), cuda::block_threads, 0, tiles, f);
}

template <class F>
void sum_grid(const Cuda& space, const Extents& grid, F f, double* slots) {
  const cuda::Tiles tiles(grid, space.multiprocessors());
  const int blocks = cuda::resident_blocks(space, tiles.count() * cuda::block_threads, cuda::sum_grid_blocks);
  cuda::launch(space, cuda::sum_grid_kernel<F>, blocks, cuda::block_threads, 0, tiles, f,
               cuda::reduction(space, slots));
}

template <class F>
void for_each(const Cuda& space, std::size_t n, F f) {
  cuda::launch(space, cuda::for_each_kernel<F>, cuda::resident_blocks(space, n), cuda::block_threads, 0, n, f);
}

template <class F>
void sum(const Cuda& space, std::size_t n, F f, double* slots) {
  const int blocks = cuda::resident_blocks(space, n, cuda::sum_blocks_of_multiprocessor<F>());
  cuda::launch(space, cuda::sum_kernel<F>, blocks, cuda::block_threads, 0, n, f, cuda::reduction(space, slots));
}

namespace detail {

template <class F, class Result>
void sum_blocks(const Cuda& space, std::size_t begin, std::size_t end, F f, Result* sums) {
  if (begin == end) return;
  cuda::launch(space, cuda::sum_blocks_kernel<F, Result>, cuda::block_givers<F>(space, end - begin),
               cuda::block_threads, 0, begin, end, f, sums);
}

template <class F, class Result>
void finish_sum(const Cuda& space, F f, const SumParts<Result>& parts, double* slots) {
  std::size_t blocks = 0;
  for (int part = 0; part < parts.count; ++part) blocks += parts.blocks[part];
  cuda::launch(space, cuda::finish_sum_kernel<F, Result>, sum_groups(blocks), cuda::block_threads, 0, f, parts,
               cuda::reduction(space, slots));
}

template <class F, class Result>
void sum_over_ranks(const Cuda& space, std::size_t n, F f, const RendezvousView& at, double* slots, Result*) {
  cuda::launch(space, cuda::sum_over_ranks_kernel<F, Result>, cuda::block_givers<F>(space, n), cuda::block_threads, 0,
               n, f, at, cuda::reduction(space, slots));
}

}  // namespace detail

template <>
struct Atomic<Cuda> {
  __device__ static int add(int* p, int v) { return atomicAdd(p, v); }
  __device__ static void max(int* p, int v) { atomicMax(p, v); }
  __device__ static void max(Offset* p, Offset v) {
    atomicMax(reinterpret_cast<long long*>(p), static_cast<long long>(v));
  }
  __device__ static void set_bit(std::uint32_t* p, std::uint32_t bit) { atomicOr(p, bit); }
  template <class I>
  __device__ static void store(I* p, I v) {
    *const_cast<volatile I*>(p) = v;
  }
  template <class I>
  __device__ static I load(const I* p) {
    return *const_cast<const volatile I*>(p);
  }
  /// A load that may return an outdated value from the first-level cache. For flags that many threads read repeatedly
  /// and that are only ever set. This is a weak load; PTX's memory model says that a weak load that races with stores
  /// returns one of the stored values.
  template <class I>
  __device__ static I peek(const I* p) {
    return *p;
  }
};

}  // namespace ostinato

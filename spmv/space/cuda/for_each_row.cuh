// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// for_each_row and sum_rows on Cuda. The contract of the functors is in spmv/space/for_each_row.hpp.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/for_each_row.hpp>

namespace ostinato {

namespace cuda {

/// A value that another lane of the warp holds, word by word: shuffle(word) is one of CUDA's shuffles.
template <class V, class Shuffle>
__device__ V shuffled(const V& v, Shuffle shuffle) {
  static_assert(std::is_trivially_copyable_v<V> && sizeof(V) % 4 == 0);
  std::uint32_t words[sizeof(V) / 4];
  memcpy(words, &v, sizeof v);
#pragma unroll
  for (std::uint32_t& word : words) word = shuffle(word);
  V other;
  memcpy(&other, words, sizeof other);
  return other;
}

/// The rows that a warp visits: each of its groups of lanes visits `turns` rows, at most as many as it has lanes.
struct RowsOfWarp {
  std::size_t rows;
  int turns;

  template <int Lanes>
  OSTINATO_FUNCTION static constexpr int groups() {
    return 32 / Lanes;
  }

  /// Groups take fewer turns where the GPU wouldn't be full otherwise.
  template <int Lanes>
  static RowsOfWarp of(const Cuda& space, std::size_t rows) {
    const std::size_t filling = static_cast<std::size_t>(space.multiprocessors() * blocks_per_multiprocessor) *
                                (block_threads / 32) * groups<Lanes>();
    int turns = Lanes;
    while (turns > 1 && rows / static_cast<std::size_t>(turns) < filling) turns /= 2;
    return {rows, turns};
  }

  template <int Lanes>
  int blocks(const Cuda& space) const {
    const auto of_warp = static_cast<std::size_t>(turns * groups<Lanes>());
    return resident_blocks(space, (rows + of_warp - 1) / of_warp * 32);
  }
};

/// A warp visits some rows: each lane begins a row of its own, as far as there are turns, then groups of lanes go over
/// the entries of one row after the other, those of the lanes of the group. So a row without entries to visit takes one
/// lane's time. Calls use(i, v) with the value of the calling lane's row i, where the lane has one. All lanes of the
/// warp have to call this. `number`: of the warp.
template <int Lanes, class F, class Use>
__device__ void visit_rows(const F& f, std::size_t number, const RowsOfWarp& all_rows, Use use) {
  using Value = typename F::Value;
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x % 32), first = lane / Lanes * Lanes;
  const std::size_t of_group = (number * RowsOfWarp::groups<Lanes>() + static_cast<std::size_t>(lane / Lanes)) *
                               static_cast<std::size_t>(all_rows.turns);
  const std::size_t i = of_group + static_cast<std::size_t>(lane - first);
  const bool has_row = lane - first < all_rows.turns && i < all_rows.rows;
  Value own{};
  EntryRange own_range{0, 0};
  if (has_row) {
    own = f.initial(i);
    own_range = f.entries(i, own);
  }
  for (int turn = 0; turn < all_rows.turns; ++turn) {
    const auto of_owner = [owner = first + turn](std::uint32_t word) { return __shfl_sync(all, word, owner); };
    const EntryRange range = shuffled(own_range, of_owner);
    if (!__any_sync(all, range.begin < range.end)) continue;
    const std::size_t row = of_group + static_cast<std::size_t>(turn);
    Value v = shuffled(own, of_owner);
    for (Offset k = range.begin + lane % Lanes; k < range.end; k += Lanes) f.add(row, k, v);
#pragma unroll
    for (int d = Lanes / 2; d > 0; d /= 2) {
      const Value other = shuffled(v, [d](std::uint32_t word) { return __shfl_down_sync(all, word, d, Lanes); });
      if (lane - first < d) f.merge(v, other);
    }
    v = shuffled(v, [first](std::uint32_t word) { return __shfl_sync(all, word, first); });
    if constexpr (requires { f.each(row, range.begin, v); }) {
      for (Offset k = range.begin + lane % Lanes; k < range.end; k += Lanes) f.each(row, k, v);
    }
    if (lane - first == turn && range.begin < range.end) own = v;
  }
  if (has_row) use(i, own);
}

/// Calls visit(number) for the warps that the calling warp stands for.
template <int Lanes, class Visit>
__device__ void for_warps(const RowsOfWarp& rows, Visit visit) {
  constexpr std::size_t warps = block_threads / 32;
  const auto of_warp = static_cast<std::size_t>(rows.turns * RowsOfWarp::groups<Lanes>());
  for (std::size_t number = blockIdx.x * warps + threadIdx.x / 32; number * of_warp < rows.rows;
       number += gridDim.x * warps)
    visit(number);
}

template <int Lanes, class F>
__global__ void __launch_bounds__(block_threads) for_each_row_kernel(RowsOfWarp rows, F f) {
  pdl_trigger_and_wait();
  for_warps<Lanes>(rows, [&](std::size_t number) {
    visit_rows<Lanes>(f, number, rows, [&](std::size_t i, const auto& v) { f.finish(i, v); });
  });
}

template <int Lanes, class F>
__global__ void __launch_bounds__(block_threads) sum_rows_kernel(RowsOfWarp rows, F f, Reduction to) {
  using Result = decltype(f.finish(std::size_t{}, f.initial(std::size_t{})));
  static_assert(Result::count <= Cuda::State::max_sums);
  pdl_trigger_and_wait();
  Result mine{};
  for_warps<Lanes>(rows, [&](std::size_t number) {
    visit_rows<Lanes>(f, number, rows, [&](std::size_t i, const auto& v) { mine += f.finish(i, v); });
  });
  grid_sum(mine, to, [](const Result&) {});
}

/// Calls use(lanes), a constant, with the lanes for rows of average length: a lane takes some four entries.
template <class Use>
void with_lanes_of_row(std::size_t rows, Offset entries, Use use) {
  const Offset length = entries / static_cast<Offset>(rows > 0 ? rows : 1);
  if (length <= 8) return use(std::integral_constant<int, 2>{});
  if (length <= 64) return use(std::integral_constant<int, 8>{});
  use(std::integral_constant<int, 32>{});
}

}  // namespace cuda

template <class F>
void for_each_row(const Cuda& space, std::size_t rows, Offset entries, F f) {
  cuda::with_lanes_of_row(rows, entries, [&](auto lanes) {
    const auto of_warp = cuda::RowsOfWarp::of<lanes>(space, rows);
    cuda::launch(space, cuda::for_each_row_kernel<lanes, F>, of_warp.template blocks<lanes>(space), cuda::block_threads,
                 0, of_warp, f);
  });
}

template <class F>
void sum_rows(const Cuda& space, std::size_t rows, Offset entries, F f, double* slots) {
  cuda::with_lanes_of_row(rows, entries, [&](auto lanes) {
    const auto of_warp = cuda::RowsOfWarp::of<lanes>(space, rows);
    cuda::launch(space, cuda::sum_rows_kernel<lanes, F>, of_warp.template blocks<lanes>(space), cuda::block_threads, 0,
                 of_warp, f, cuda::reduction(space, slots));
  });
}

}  // namespace ostinato

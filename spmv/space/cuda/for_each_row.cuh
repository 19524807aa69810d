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

/// A warp visits 32 rows: each lane begins a row of its own, then groups of lanes go over the entries of one row after
/// the other, those of the lanes of the group. So a row without entries to visit takes one lane's time. Calls use(v)
/// with the value of the calling lane's row i, where that is one of the rows. All lanes of the warp have to call this.
template <int Lanes, class F, class Use>
__device__ void visit_rows(const F& f, std::size_t i, std::size_t rows, Use use) {
  using Value = typename F::Value;
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x % 32), first = lane / Lanes * Lanes;
  Value own{};
  EntryRange own_range{0, 0};
  if (i < rows) {
    own = f.initial(i);
    own_range = f.entries(i, own);
  }
  for (int owner = first; owner < first + Lanes; ++owner) {
    const auto of_owner = [owner](std::uint32_t word) { return __shfl_sync(all, word, owner); };
    const EntryRange range = shuffled(own_range, of_owner);
    if (!__any_sync(all, range.begin < range.end)) continue;
    const std::size_t row = i - static_cast<std::size_t>(lane) + static_cast<std::size_t>(owner);
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
    if (lane == owner && range.begin < range.end) own = v;
  }
  if (i < rows) use(own);
}

template <int Lanes, class F>
__global__ void __launch_bounds__(block_threads) for_each_row_kernel(std::size_t rows, F f) {
  pdl_trigger_and_wait();
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * block_threads;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * block_threads + threadIdx.x / 32 * 32;
  for (std::size_t of_warp = first; of_warp < rows; of_warp += stride) {
    const std::size_t i = of_warp + threadIdx.x % 32;
    visit_rows<Lanes>(f, i, rows, [&](const auto& v) { f.finish(i, v); });
  }
}

template <int Lanes, class F>
__global__ void __launch_bounds__(block_threads) sum_rows_kernel(std::size_t rows, F f, Reduction to) {
  using Result = decltype(f.finish(rows, f.initial(rows)));
  static_assert(Result::count <= Cuda::State::max_sums);
  pdl_trigger_and_wait();
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * block_threads;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * block_threads + threadIdx.x / 32 * 32;
  Result mine{};
  for (std::size_t of_warp = first; of_warp < rows; of_warp += stride) {
    const std::size_t i = of_warp + threadIdx.x % 32;
    visit_rows<Lanes>(f, i, rows, [&](const auto& v) { mine += f.finish(i, v); });
  }
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
    cuda::launch(space, cuda::for_each_row_kernel<lanes, F>, cuda::resident_blocks(space, rows), cuda::block_threads, 0,
                 rows, f);
  });
}

template <class F>
void sum_rows(const Cuda& space, std::size_t rows, Offset entries, F f, double* slots) {
  cuda::with_lanes_of_row(rows, entries, [&](auto lanes) {
    cuda::launch(space, cuda::sum_rows_kernel<lanes, F>, cuda::resident_blocks(space, rows), cuda::block_threads, 0,
                 rows, f, cuda::reduction(space, slots));
  });
}

}  // namespace ostinato

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

/// The rows that a warp visits: `turns` for each of its groups of lanes, at most as many as it has lanes.
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

/// The place of the bit of a word that has `rank` set bits below it; 31 where there are fewer.
__device__ inline int place_of_bit(unsigned word, int rank) {
  int place = 0;
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
    const int below = __popc(word >> place & ((1u << half) - 1));
    if (rank >= below) {
      rank -= below;
      place += half;
    }
  }
  return place;
}

/// Takes every Lanes-th entry of a range into v, from one of them on. Loads for several entries are under way at once.
template <int Lanes, class F>
__device__ void take_entries(const F& f, std::size_t row, const EntryRange& range, int lane, typename F::Value& v) {
  if constexpr (detail::LoadsEntries<F>) {
    constexpr int at_once = 2;
    for (Offset k = range.begin + lane; k < range.end; k += at_once * Lanes) {
      decltype(f.load(row, k)) entry[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) entry[u] = f.load(row, min(k + u * Lanes, range.end - 1));
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        if (k + u * Lanes < range.end) f.take(row, entry[u], v);
      }
    }
  } else {
    for (Offset k = range.begin + lane; k < range.end; k += Lanes) f.add(row, k, v);
  }
}

/// A warp visits some rows: each lane begins a row of its own, as far as there are turns, then groups of lanes go over
/// the entries of those rows that have any to visit, one after the other. So a row without entries to visit takes one
/// lane's time. Calls use(i, v) with the value of the calling lane's row i, where the lane has one. All lanes of the
/// warp have to call this. `number`: of the warp.
template <int Lanes, class F, class Use>
__device__ void visit_rows(const F& f, std::size_t number, const RowsOfWarp& all_rows, Use use) {
  using Value = typename F::Value;
  constexpr unsigned all = 0xffffffffu;
  constexpr int groups = RowsOfWarp::groups<Lanes>();
  const int lane = static_cast<int>(threadIdx.x % 32), in_group = lane % Lanes;
  const int of_warp = all_rows.turns * groups;
  const std::size_t first = number * static_cast<std::size_t>(of_warp), i = first + static_cast<std::size_t>(lane);
  const bool has_row = lane < of_warp && i < all_rows.rows;
  Value own{};
  EntryRange own_range{0, 0};
  if (has_row) {
    own = f.initial(i);
    own_range = f.entries(i, own);
  }
  const bool waits = own_range.begin < own_range.end;
  const unsigned waiting = __ballot_sync(all, waits);
  const int count = __popc(waiting), rank = __popc(waiting & ((1u << lane) - 1)), of_rank = place_of_bit(waiting, lane);
  for (int done = 0; done < count; done += groups) {
    const int mine = done + lane / Lanes, owner = __shfl_sync(all, of_rank, mine % 32);
    const auto of_owner = [owner](std::uint32_t word) { return __shfl_sync(all, word, owner); };
    const std::size_t row = first + static_cast<std::size_t>(owner);
    EntryRange range = shuffled(own_range, of_owner);
    if (mine >= count) range.end = range.begin;
    Value v = shuffled(own, of_owner);
    take_entries<Lanes>(f, row, range, in_group, v);
#pragma unroll
    for (int d = Lanes / 2; d > 0; d /= 2) {
      const Value other = shuffled(v, [d](std::uint32_t word) { return __shfl_down_sync(all, word, d, Lanes); });
      if (in_group < d) f.merge(v, other);
    }
    if constexpr (requires { f.each(row, range.begin, v); }) {
      v = shuffled(v, [](std::uint32_t word) { return __shfl_sync(all, word, 0, Lanes); });
      for (Offset k = range.begin + in_group; k < range.end; k += Lanes) f.each(row, k, v);
    }
    const Value found =
        shuffled(v, [at = rank % groups * Lanes](std::uint32_t word) { return __shfl_sync(all, word, at); });
    if (waits && rank / groups == done / groups) own = found;
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

/// Thread blocks on a multiprocessor: enough threads to wait for loads at once, with registers for them.
inline constexpr int row_blocks = 4;

template <int Lanes, class F>
__global__ void __launch_bounds__(block_threads, row_blocks) for_each_row_kernel(RowsOfWarp rows, F f) {
  pdl_trigger_and_wait();
  for_warps<Lanes>(rows, [&](std::size_t number) {
    visit_rows<Lanes>(f, number, rows, [&](std::size_t i, const auto& v) { f.finish(i, v); });
  });
}

template <int Lanes, class F>
__global__ void __launch_bounds__(block_threads, row_blocks) sum_rows_kernel(RowsOfWarp rows, F f, Reduction to) {
  using Result = decltype(f.finish(std::size_t{}, f.initial(std::size_t{})));
  static_assert(Result::count <= Cuda::State::max_sums);
  pdl_trigger_and_wait();
  Result mine{};
  for_warps<Lanes>(rows, [&](std::size_t number) {
    visit_rows<Lanes>(f, number, rows, [&](std::size_t i, const auto& v) { mine += f.finish(i, v); });
  });
  grid_sum(mine, to, [](const Result&) {});
}

/// Calls use(lanes), a constant, with the lanes for rows of average length: a lane takes some four entries, or all of a
/// short row.
template <class F, class Use>
void with_lanes_of_row(std::size_t rows, Offset entries, Use use) {
  constexpr int of_short_row = requires { F::visits_most_rows; }
  ? 1 : 2;
  const Offset length = entries / static_cast<Offset>(rows > 0 ? rows : 1);
  if (length <= 8) return use(std::integral_constant<int, of_short_row>{});
  if (length <= 20) return use(std::integral_constant<int, 4>{});
  if (length <= 64) return use(std::integral_constant<int, 8>{});
  use(std::integral_constant<int, 32>{});
}

}  // namespace cuda

template <class F>
void for_each_row(const Cuda& space, std::size_t rows, Offset entries, F f) {
  cuda::with_lanes_of_row<F>(rows, entries, [&](auto lanes) {
    if constexpr (lanes == 1) {
      for_each(space, rows, detail::WholeRow<F>{f});
    } else {
      const auto of_warp = cuda::RowsOfWarp::of<lanes>(space, rows);
      cuda::launch(space, cuda::for_each_row_kernel<lanes, F>, of_warp.template blocks<lanes>(space),
                   cuda::block_threads, 0, of_warp, f);
    }
  });
}

template <class F>
void sum_rows(const Cuda& space, std::size_t rows, Offset entries, F f, double* slots) {
  cuda::with_lanes_of_row<F>(rows, entries, [&](auto lanes) {
    if constexpr (lanes == 1) {
      sum(space, rows, detail::WholeRow<F>{f}, slots);
    } else {
      const auto of_warp = cuda::RowsOfWarp::of<lanes>(space, rows);
      cuda::launch(space, cuda::sum_rows_kernel<lanes, F>, of_warp.template blocks<lanes>(space), cuda::block_threads,
                   0, of_warp, f, cuda::reduction(space, slots));
    }
  });
}

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The phases of zero_fill.hpp whose rows wait for each other, one kernel each (zero_fill_rows.hpp, waiting_rows.cuh).

#include <algorithm>

#include <ostinato/preconditioners/ilu/zero_fill_phases.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_steps.hpp>
#include <ostinato/preconditioners/triangular/waiting_rows.cuh>
#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato::detail {

namespace {

constexpr int threads = 128;

/// Neighbouring lanes of a warp: 4, 8, 16 or 32. Groups of a warp may go in step: then each waits until all have what
/// they need, but the warp doesn't do their work one after the other.
template <bool LooksAhead>
class RowGroup {
 public:
  static constexpr bool looks_ahead = LooksAhead;

  /// `all`: the lanes of the groups that go in step.
  __device__ RowGroup(int lanes, unsigned all) : lanes_(lanes), mask_(cuda::lanes_of_row(lanes)), all_(all) {}

  __device__ int lane() const { return static_cast<int>(threadIdx.x) & (lanes_ - 1); }
  __device__ int lanes() const { return lanes_; }
  __device__ void sync() const { __syncwarp(mask_); }
  template <class V>
  __device__ static bool look(const V* p, V& v) {
    return cuda::look(p, v);
  }
  template <class V>
  __device__ static void publish(V* p, V v) {
    cuda::publish(p, v);
  }
  template <class V>
  __device__ V largest(V v) const {
    sync();
    for (int step = lanes_ / 2; step > 0; step /= 2) {
      const V other = __shfl_xor_sync(mask_, v, step);
      v = other > v ? other : v;
    }
    return v;
  }
  __device__ bool any(bool v) const { return __any_sync(all_, v); }
  __device__ static void raise(Index* p, Index v) {
    if (v > *static_cast<volatile Index*>(p)) atomicMax(p, v);
  }
  __device__ static double minus_product(double a, double b, double c) { return __dsub_rn(a, __dmul_rn(b, c)); }

 private:
  int lanes_;
  unsigned mask_, all_;
};

/// All lanes of a warp.
struct WarpGroup : RowGroup<true> {
  __device__ WarpGroup() : RowGroup(32, cuda::all_lanes) {}

  __device__ static constexpr int lanes() { return 32; }
  template <class V>
  __device__ static V of_lane(V v, int lane) {
    return __shfl_sync(cuda::all_lanes, v, lane);
  }
  __device__ static unsigned all_bits(unsigned v) { return __reduce_or_sync(cuda::all_lanes, v); }
};

/// Every second thread block takes rows of the upper triangle, so that the two chains of waiting rows run at once. A
/// warp takes 32 rows.
__global__ void __launch_bounds__(threads)
    level_kernel(Triangle lower, Index* lower_level, Index* upper_level, Index* latest, unsigned* ticket) {
  const unsigned block = cuda::begun_block(ticket);
  const Offset first = static_cast<Offset>(block / 2) * threads + static_cast<int>(threadIdx.x) / 32 * 32;
  if (first >= lower.a.rows) return;
  const bool is_upper = block % 2 == 1;
  const Triangle triangle{lower.a, lower.after, is_upper};
  find_levels_of_rows(WarpGroup{}, triangle, static_cast<Index>(first), is_upper ? upper_level : lower_level,
                      is_upper ? latest + 1 : latest);
}

constexpr int factor_threads = PartOfTile::threads;
constexpr int entries_of_block = 256;  ///< of rows that a thread block has in its memory

/// The memory of a thread block for the rows that it factors at once.
struct BlockRoom {
  double value[entries_of_block], diagonal[factor_threads / 4];
  UpperEntries upper[entries_of_block];
  Index col[entries_of_block];

  /// The part of one of `rows` rows.
  __device__ RowRoom part(int row, int rows) {
    const int size = entries_of_block / rows, first = row * size;
    return {diagonal + row, size, value + first, col + first, upper + first};
  }
};

/// The rows that a thread block factors at once, a few lanes for each.
struct BlockRows {
  const Index* order;
  Index first, end;  ///< the places of the rows, at most so many as there is room for
  int lanes, most;
};

/// In the order of the lower sweep, where `parts` thread blocks share a tile.
__device__ BlockRows rows_of_tile(const FactorOrder& order, unsigned parts, unsigned block) {
  const SweepTile* const tile = order.tile + block / parts;
  const PartOfTile own(tile->log_lanes, parts);
  return {order.row, tile->first + static_cast<Index>(block % parts) * own.rows, tile[1].first, own.lanes, own.rows};
}

/// In the order of the matrix, with a warp for each row: no warp waits for itself.
__device__ BlockRows rows_in_turn(Index rows, unsigned block) {
  constexpr int most = factor_threads / 32;
  return {nullptr, static_cast<Index>(block) * most, rows, 32, most};
}

template <ZeroFillKind Kind, bool LooksAhead>
__global__ void __launch_bounds__(factor_threads)
    factor_kernel(FactoredRows factored, FactorOrder order, unsigned parts, double parameter, FactorCounts* counts) {
  __shared__ BlockRoom room;
  const unsigned block = cuda::begun_block(&counts->ticket);
  const BlockRows rows =
      order.tile == nullptr ? rows_in_turn(factored.a.rows, block) : rows_of_tile(order, parts, block);
  const int lanes = rows.lanes, own = static_cast<int>(threadIdx.x) / lanes;
  const Index at = rows.first + own;
  const bool is_row = own < rows.most && at < rows.end;
  const unsigned rows_of_warp = __ballot_sync(cuda::all_lanes, is_row);
  if (!is_row) return;
  // The shortest rows are much alike, and there are eight of them in a warp.
  const bool in_step = LooksAhead && lanes == 4;
  const RowGroup<LooksAhead> group(lanes, in_step ? rows_of_warp : cuda::lanes_of_row(lanes));
  const RowRoom part = room.part(own, rows.most);
  const auto i = static_cast<std::size_t>(rows.order == nullptr ? at : rows.order[at]);
  bool counted;
  if constexpr (Kind == ZeroFillKind::ilu) {
    counted = factored.eliminate(group, i, parameter, part);
  } else {
    counted = factored.decompose(group, i, parameter, part);
  }
  if (counted && group.lane() == 0) atomicAdd(&counts->bad, 1);
}

/// Rows that the GPU factors at once, with a warp each.
std::size_t rows_at_once(const Cuda& space) {
  return static_cast<std::size_t>(space.state().properties.multiProcessorCount) * 32;
}

/// Whether rows go through several strips at once. This pays where short rows wait for each other in a long chain; one
/// strip after the other leaves registers to more rows (H100, 2026-11: 0.62 ms instead of 1.13 for poisson3d:64 with
/// 190 levels, but 0.34 instead of 0.25 in nested dissection with 14, and 5.0 instead of 3.3 for rows of 81 entries).
bool looks_ahead(const FactorOrder& order) {
  constexpr Index many_levels = 32;
  return order.levels > many_levels && !order.has_long_rows;
}

/// The thread blocks that share a tile: the more, the more lanes a row has. Many lanes pay where rows are long and
/// levels short, so that the GPU has room for them (H100, 2026-11, values of ILU(0): fem27:36 0.77 ms instead of 1.35,
/// but 0.45 instead of 0.38 in nested dissection). Most of the longer rows have a warp with two parts, too; what eight
/// bring then goes both ways (fem27:32:unknowns=3 2.87 instead of 3.24, in nested dissection 3.27 instead of 3.09).
unsigned parts_of_tile(const Cuda& space, const FactorOrder& order, std::size_t rows, Offset entries) {
  constexpr std::size_t levels_at_work = 10, most_of_row = 32;
  constexpr std::size_t most_tiles = std::size_t{1} << 27;  // a launch may have less than 2^31 blocks
  const bool has_short_levels = rows * levels_at_work < static_cast<std::size_t>(order.levels) * rows_at_once(space);
  const bool has_fitting_rows = order.has_long_rows && static_cast<std::size_t>(entries) <= most_of_row * rows;
  return has_fitting_rows && has_short_levels && order.tiles < most_tiles ? 8 : 2;
}

}  // namespace

/// This is faster than by levels until the rows are many times what the GPU holds at once. (H200, 2026-11: fem27:24,
/// 13,824 rows, 0.40 ms instead of 0.85; memplus, 17,758 rows, 0.71 instead of 0.89; but wang3, 26,064 rows, 0.36
/// instead of 0.26, and poisson3d:64 4.3 instead of 0.6.) The order that isn't at hand takes time, too (H100, 2026-11,
/// factors alone: fem27:36, 46,656 rows, 1.09 ms instead of 1.29; poisson3d:36 0.66 instead of 0.61).
bool factors_in_turn(const Cuda& space, std::size_t rows, bool at_hand) {
  const std::size_t times = at_hand ? 5 : 12;
  return rows <= times * rows_at_once(space);
}

Vector<Cuda, Index> find_levels(const Cuda& space, const Triangle& lower) {
  const auto n = static_cast<std::size_t>(lower.a.rows);
  const OnDevice here(space);
  Vector<Cuda, Index> level(space, 2 * n + 3);
  OSTINATO_CUDA(cudaMemsetAsync(level.data(), 0xff, level.bytes(), space.stream()));
  if (n == 0) return level;
  Index *const upper_level = level.data() + n, *const latest = level.data() + 2 * n;
  const auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
  cuda::launch_in_order(space, level_kernel, 2 * blocks, threads, lower, level.data(), upper_level, latest,
                        reinterpret_cast<unsigned*>(latest + 2));
  return level;
}

void factor_rows(const Cuda& space, const FactoredRows& rows, Offset entries, const FactorOrder& order,
                 ZeroFillKind kind, double parameter, FactorCounts* counts) {
  const OnDevice here(space);
  const auto n = static_cast<std::size_t>(rows.a.rows);
  const std::size_t published = (static_cast<std::size_t>(entries) + n) * sizeof(double) + sizeof(FactorCounts);
  OSTINATO_CUDA(cudaMemsetAsync(rows.upper, 0xff, published, space.stream()));
  if (n == 0) return;
  constexpr auto ilu = ZeroFillKind::ilu, ic = ZeroFillKind::ic;
  const auto kernel = looks_ahead(order) ? (kind == ilu ? factor_kernel<ilu, true> : factor_kernel<ic, true>)
                                         : (kind == ilu ? factor_kernel<ilu, false> : factor_kernel<ic, false>);
  const unsigned parts = parts_of_tile(space, order, n, entries);
  const std::size_t blocks =
      order.tile == nullptr ? (n + factor_threads / 32 - 1) / (factor_threads / 32) : order.tiles * parts;
  cuda::launch_in_order(space, kernel, static_cast<unsigned>(blocks), factor_threads, rows, order, parts, parameter,
                        counts);
}

}  // namespace ostinato::detail

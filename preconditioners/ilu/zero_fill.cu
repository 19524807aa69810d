// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The phases of zero_fill.hpp whose rows wait for each other, one kernel each (zero_fill_rows.hpp, waiting_rows.cuh).

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include <ostinato/preconditioners/ilu/waiting_rows.cuh>
#include <ostinato/preconditioners/ilu/zero_fill_phases.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_steps.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato::detail {

namespace {

constexpr int threads = 128;

/// Neighbouring lanes of a warp: 4, 8, 16 or 32.
class RowGroup {
 public:
  __device__ explicit RowGroup(int lanes) : lanes_(lanes), mask_(cuda::lanes_of_row(lanes)) {}

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
  __device__ static void raise(Index* p, Index v) {
    if (v > *static_cast<volatile Index*>(p)) atomicMax(p, v);
  }
  __device__ static double minus_product(double a, double b, double c) { return __dsub_rn(a, __dmul_rn(b, c)); }

 private:
  int lanes_;
  unsigned mask_;
};

/// All lanes of a warp.
struct WarpGroup : RowGroup {
  __device__ WarpGroup() : RowGroup(32) {}

  __device__ static constexpr int lanes() { return 32; }
  template <class V>
  __device__ static V of_lane(V v, int lane) {
    return __shfl_sync(cuda::all_lanes, v, lane);
  }
  __device__ static unsigned all_bits(unsigned v) { return __reduce_or_sync(cuda::all_lanes, v); }
};

constexpr int lanes_of_level = 4;  ///< that share a row, where rows take their levels one by one

/// Every second thread block takes rows of the upper triangle, so that the two chains of waiting rows run at once.
/// InWarps: a warp takes 32 rows together.
template <bool InWarps>
__global__ void __launch_bounds__(threads)
    level_kernel(Triangle lower, Index* lower_level, Index* upper_level, Index* most, unsigned* ticket) {
  constexpr int rows = InWarps ? threads : threads / lanes_of_level;
  const unsigned block = cuda::begun_block(ticket);
  const int own = static_cast<int>(threadIdx.x);
  const Offset first = static_cast<Offset>(block / 2) * rows + (InWarps ? own / 32 * 32 : own / lanes_of_level);
  if (first >= lower.a.rows) return;
  const bool is_upper = block % 2 == 1;
  const Triangle triangle{lower.a, lower.after, is_upper};
  Index *const level = is_upper ? upper_level : lower_level, *const latest = is_upper ? most + 1 : most;
  if constexpr (InWarps) {
    find_levels_of_rows(WarpGroup{}, triangle, static_cast<Index>(first), level, latest);
  } else {
    find_level_of_row(RowGroup(lanes_of_level), triangle, static_cast<Index>(first), level, latest);
  }
}

/// Whether most rows wait for neighbouring ones, as on a grid that is numbered line by line: then a warp takes such
/// rows together. Otherwise its rows would wait for all that any of them waits for (H200, 2026-11: nested dissection of
/// 128^3 points, 103 ms; one by one 1.4).
bool wait_for_neighbours(const Cuda& space, const Triangle& lower) {
  const auto n = static_cast<std::size_t>(lower.a.rows);
  Vector<Cuda, double> count(space, 1);
  sum(space, n, CountNeighbours{lower}, count.data());
  return count.download()[0] > 0.5 * static_cast<double>(n);
}

/// A thread block takes a tile of the lower sweep: rows of one level, none of which waits for another. A row has four
/// times the lanes that it has in the sweep.
template <ZeroFillKind Kind>
__global__ void __launch_bounds__(threads)
    factor_kernel(FactoredRows factored, const Index* order, const SweepTile* tiles, double parameter, Index* bad,
                  unsigned* ticket) {
  __shared__ double diagonal[threads];
  const unsigned number = cuda::begun_block(ticket);
  const SweepTile tile = tiles[number];
  const int lanes = min(4 << tile.log_lanes, 32);
  const Index at = tile.first + static_cast<Index>(threadIdx.x) / lanes;
  if (at >= tiles[number + 1].first) return;
  const RowGroup group(lanes);
  const auto i = static_cast<std::size_t>(order[at]);
  bool counts;
  if constexpr (Kind == ZeroFillKind::ilu) {
    counts = factored.eliminate(group, i, parameter, diagonal + threadIdx.x / lanes);
  } else {
    counts = factored.decompose(group, i, parameter);
  }
  if (counts && group.lane() == 0) atomicAdd(bad, 1);
}

/// A ticket before the first thread block.
Vector<Cuda, unsigned> new_ticket(const Cuda& space) {
  Vector<Cuda, unsigned> ticket(space, 1);
  OSTINATO_CUDA(cudaMemsetAsync(ticket.data(), 0xff, ticket.bytes(), space.stream()));
  return ticket;
}

}  // namespace

void find_levels(const Cuda& space, const Triangle& lower, const Triangle&, Index* lower_level, Index* upper_level,
                 Index* most) {
  if (lower.a.rows == 0) return;
  const OnDevice here(space);
  const std::size_t bytes = static_cast<std::size_t>(lower.a.rows) * sizeof(Index);
  OSTINATO_CUDA(cudaMemsetAsync(lower_level, 0xff, bytes, space.stream()));
  OSTINATO_CUDA(cudaMemsetAsync(upper_level, 0xff, bytes, space.stream()));
  Vector<Cuda, unsigned> ticket = new_ticket(space);
  const bool in_warps = wait_for_neighbours(space, lower);
  const Offset rows = in_warps ? threads : threads / lanes_of_level;
  const auto blocks = static_cast<unsigned>((lower.a.rows + rows - 1) / rows);
  const auto kernel = in_warps ? level_kernel<true> : level_kernel<false>;
  kernel<<<2 * blocks, threads, 0, space.stream()>>>(lower, lower_level, upper_level, most, ticket.data());
  OSTINATO_CUDA(cudaGetLastError());
}

void sort_by_group(const Cuda& space, std::span<Index> group, Index count, std::span<Index> rows) {
  if (rows.empty()) return;
  const OnDevice here(space);
  const int bits = std::max(static_cast<int>(std::bit_width(static_cast<unsigned>(count - 1))), 1);
  Vector<Cuda, Index> sorted_group(space, rows.size()), sorted(space, rows.size());
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    OSTINATO_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, group.data(), sorted_group.data(), rows.data(),
                                                  sorted.data(), static_cast<Offset>(rows.size()), 0, bits,
                                                  space.stream()));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  Vector<Cuda, char> scratch(space, std::max<std::size_t>(bytes, 1));
  sort(scratch.data(), bytes);
  space.copy(rows.data(), sorted.data(), sorted.bytes());
  space.copy(group.data(), sorted_group.data(), sorted_group.bytes());
}

void factor_rows(const Cuda& space, const FactoredRows& rows, Offset entries, const FactorOrder& order,
                 ZeroFillKind kind, double parameter, Index* bad) {
  const OnDevice here(space);
  OSTINATO_CUDA(cudaMemsetAsync(bad, 0, sizeof(Index), space.stream()));
  if (rows.a.rows == 0) return;
  const auto n = static_cast<std::size_t>(rows.a.rows);
  OSTINATO_CUDA(cudaMemsetAsync(rows.pivot, 0xff, n * sizeof(double), space.stream()));
  OSTINATO_CUDA(cudaMemsetAsync(rows.upper, 0xff, static_cast<std::size_t>(entries) * sizeof(double), space.stream()));
  Vector<Cuda, unsigned> ticket = new_ticket(space);
  const auto launch = [&](auto kernel) {
    kernel<<<static_cast<unsigned>(order.tiles), threads, 0, space.stream()>>>(rows, order.row, order.tile, parameter,
                                                                               bad, ticket.data());
    OSTINATO_CUDA(cudaGetLastError());
  };
  if (kind == ZeroFillKind::ilu) {
    launch(factor_kernel<ZeroFillKind::ilu>);
  } else {
    launch(factor_kernel<ZeroFillKind::ic>);
  }
}

}  // namespace ostinato::detail

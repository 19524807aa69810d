// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The phases of zero_fill.hpp whose rows wait for each other, one kernel each (zero_fill_rows.hpp, waiting_rows.cuh).

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include <ostinato/preconditioners/ilu/waiting_rows.cuh>
#include <ostinato/preconditioners/ilu/zero_fill_phases.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato::detail {

namespace {

constexpr int threads = 128;

/// `Lanes` neighbouring lanes of a warp.
template <int Lanes>
struct RowGroup {
  __device__ static int lane() { return static_cast<int>(threadIdx.x % Lanes); }
  __device__ static constexpr int lanes() { return Lanes; }
  __device__ static void sync() { __syncwarp(cuda::lanes_of_row<Lanes>()); }
  template <class V>
  __device__ static V wait(const V* p) {
    return cuda::wait_for(p);
  }
  template <class V>
  __device__ static void publish(V* p, V v) {
    cuda::publish(p, v);
  }
  template <class V>
  __device__ static V largest(V v) {
    sync();
    for (int step = Lanes / 2; step > 0; step /= 2) {
      const V other = __shfl_xor_sync(cuda::lanes_of_row<Lanes>(), v, step);
      v = other > v ? other : v;
    }
    return v;
  }
  __device__ static void raise(Index* p, Index v) {
    if (v > *static_cast<volatile Index*>(p)) atomicMax(p, v);
  }
  __device__ static double minus_product(double a, double b, double c) { return __dsub_rn(a, __dmul_rn(b, c)); }
};

/// Every second thread block takes rows of the upper triangle, so that the two chains of waiting rows run at once.
template <int Lanes>
__global__ void __launch_bounds__(threads) level_kernel(Triangle lower, Triangle upper, Index* lower_level,
                                                        Index* upper_level, Index* most, unsigned* ticket) {
  constexpr unsigned rows = threads / Lanes;
  const unsigned block = cuda::begun_block(ticket);
  const auto turn = static_cast<Offset>(block / 2) * rows + threadIdx.x / Lanes;
  if (turn >= lower.a.rows) return;
  const bool is_upper = block % 2 == 1;
  find_level(RowGroup<Lanes>{}, is_upper ? upper : lower, static_cast<Index>(turn),
             is_upper ? upper_level : lower_level, is_upper ? most + 2 : most);
}

template <int Lanes, ZeroFillKind Kind>
__global__ void __launch_bounds__(threads)
    factor_kernel(FactoredRows factored, const Index* order, double parameter, Index* bad, unsigned* ticket) {
  constexpr unsigned rows = threads / Lanes;
  __shared__ double diagonal[rows];
  const auto at = static_cast<Offset>(cuda::begun_block(ticket)) * rows + threadIdx.x / Lanes;
  if (at >= factored.a.rows) return;
  const RowGroup<Lanes> group;
  const auto i = static_cast<std::size_t>(order[at]);
  bool counts;
  if constexpr (Kind == ZeroFillKind::ilu) {
    counts = factored.eliminate(group, i, parameter, diagonal + threadIdx.x / Lanes);
  } else {
    counts = factored.decompose(group, i, parameter);
  }
  if (counts && group.lane() == 0) atomicAdd(bad, 1);
}

template <int Lanes, ZeroFillKind Kind>
void launch_factor(const Cuda& space, const FactoredRows& rows, const Index* order, double parameter, Index* bad,
                   unsigned* ticket) {
  constexpr Index of_block = threads / Lanes;
  const auto blocks = static_cast<unsigned>((static_cast<Offset>(rows.a.rows) + of_block - 1) / of_block);
  factor_kernel<Lanes, Kind><<<blocks, threads, 0, space.stream()>>>(rows, order, parameter, bad, ticket);
  OSTINATO_CUDA(cudaGetLastError());
}

template <int Lanes>
void launch_levels(const Cuda& space, const Triangle& lower, const Triangle& upper, Index* lower_level,
                   Index* upper_level, Index* most, unsigned* ticket) {
  constexpr Index of_block = threads / Lanes;
  const auto blocks = static_cast<unsigned>((static_cast<Offset>(lower.a.rows) + of_block - 1) / of_block);
  level_kernel<Lanes><<<2 * blocks, threads, 0, space.stream()>>>(lower, upper, lower_level, upper_level, most, ticket);
  OSTINATO_CUDA(cudaGetLastError());
}

/// A ticket before the first thread block.
Vector<Cuda, unsigned> new_ticket(const Cuda& space) {
  Vector<Cuda, unsigned> ticket(space, 1);
  OSTINATO_CUDA(cudaMemsetAsync(ticket.data(), 0xff, ticket.bytes(), space.stream()));
  return ticket;
}

}  // namespace

void find_levels(const Cuda& space, const Triangle& lower, const Triangle& upper, Index* lower_level,
                 Index* upper_level, Index* most) {
  if (lower.a.rows == 0) return;
  const OnDevice here(space);
  const std::size_t bytes = static_cast<std::size_t>(lower.a.rows) * sizeof(Index);
  OSTINATO_CUDA(cudaMemsetAsync(lower_level, 0xff, bytes, space.stream()));
  OSTINATO_CUDA(cudaMemsetAsync(upper_level, 0xff, bytes, space.stream()));
  Vector<Cuda, unsigned> ticket = new_ticket(space);
  launch_levels<4>(space, lower, upper, lower_level, upper_level, most, ticket.data());
}

void sort_by_level(const Cuda& space, std::span<const Index> level, Index levels, std::span<Index> rows) {
  if (rows.empty()) return;
  const OnDevice here(space);
  const int bits = std::max(static_cast<int>(std::bit_width(static_cast<unsigned>(levels - 1))), 1);
  Vector<Cuda, Index> sorted_level(space, rows.size()), sorted(space, rows.size());
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    OSTINATO_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, level.data(), sorted_level.data(), rows.data(),
                                                  sorted.data(), static_cast<Offset>(rows.size()), 0, bits,
                                                  space.stream()));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  Vector<Cuda, char> scratch(space, std::max<std::size_t>(bytes, 1));
  sort(scratch.data(), bytes);
  space.copy(rows.data(), sorted.data(), sorted.bytes());
}

void factor_rows(const Cuda& space, const FactoredRows& rows, Offset entries, const Index* order, ZeroFillKind kind,
                 double parameter, Index* bad) {
  const OnDevice here(space);
  OSTINATO_CUDA(cudaMemsetAsync(bad, 0, sizeof(Index), space.stream()));
  if (rows.a.rows == 0) return;
  const auto n = static_cast<std::size_t>(rows.a.rows);
  OSTINATO_CUDA(cudaMemsetAsync(rows.pivot, 0xff, n * sizeof(double), space.stream()));
  OSTINATO_CUDA(cudaMemsetAsync(rows.upper, 0xff, static_cast<std::size_t>(entries) * sizeof(double), space.stream()));
  Vector<Cuda, unsigned> ticket = new_ticket(space);
  const auto launch = [&]<int Lanes>(std::integral_constant<int, Lanes>) {
    if (kind == ZeroFillKind::ilu) {
      launch_factor<Lanes, ZeroFillKind::ilu>(space, rows, order, parameter, bad, ticket.data());
    } else {
      launch_factor<Lanes, ZeroFillKind::ic>(space, rows, order, parameter, bad, ticket.data());
    }
  };
  // Lanes share the entries of a row past its diagonal, about half of them.
  const double mean = static_cast<double>(entries) / static_cast<double>(n);
  if (mean <= 10) return launch(std::integral_constant<int, 4>{});
  if (mean <= 40) return launch(std::integral_constant<int, 16>{});
  launch(std::integral_constant<int, 32>{});
}

}  // namespace ostinato::detail

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <ostinato/spmv/formats/row_value.cuh>
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/cuda/rendezvous.cuh>
#include <ostinato/spmv/team/halo_steps.hpp>

namespace ostinato {

namespace {

/// Thread blocks that wait for other ranks: few, since those may need the same GPU.
constexpr unsigned most_blocks = 64;

unsigned blocks_for(std::size_t elements) {
  const std::size_t blocks = (elements + cuda::block_threads - 1) / cuda::block_threads;
  return static_cast<unsigned>(std::clamp<std::size_t>(blocks, 1, most_blocks));
}

/// blockIdx.y is the number of a share.
template <class T>
__global__ void __launch_bounds__(cuda::block_threads)
    give_kernel(const __grid_constant__ detail::RendezvousView at, const __grid_constant__ detail::Shares shares,
                const Index* given, const T* x) {
  cuda::pdl_trigger_and_wait();
  const std::uint64_t met = cuda::times_met(at);
  const int s = static_cast<int>(blockIdx.y);
  if (s < shares.count) {
    T* const to = reinterpret_cast<T*>(cuda::room_of(at, met, shares.rank[s]));
    for (unsigned k = blockIdx.x * cuda::block_threads + threadIdx.x; k < shares.length[s];
         k += gridDim.x * cuda::block_threads)
      to[k] = x[given[shares.begin[s] + k]];
  }
  cuda::is_written_for_ranks();
  if (!cuda::is_last_to_leave(at)) return;
  const int rank = static_cast<int>(threadIdx.x);
  if (rank < at.ranks && cuda::is_partner(at, rank)) cuda::say(at, met, rank);
  if (threadIdx.x == 0) *at.arrived = 0;
}

/// blockIdx.y is the number of a share, or the number of shares for own elements.
template <class T>
__global__ void __launch_bounds__(cuda::block_threads)
    receive_kernel(const __grid_constant__ detail::RendezvousView at, const __grid_constant__ detail::Shares shares,
                   detail::BoundaryX<T> boundary) {
  cuda::pdl_trigger_and_wait();
  const std::uint64_t met = cuda::times_met(at);
  const int s = static_cast<int>(blockIdx.y), rank = static_cast<int>(threadIdx.x);
  const unsigned first = blockIdx.x * cuda::block_threads + threadIdx.x, stride = gridDim.x * cuda::block_threads;
  if (s == shares.count) {
    for (std::size_t k = first; k < boundary.owns; k += stride)
      boundary.to[boundary.below + k] = boundary.x[boundary.own[k]];
  }
  if (rank < at.ranks && cuda::is_partner(at, rank)) cuda::hear(at, met, rank);
  __syncthreads();
  if (s < shares.count) {
    const std::size_t begin = shares.begin[s];
    T* const to = boundary.to + (begin < boundary.below ? begin : boundary.owns + begin);
    const T* const from = reinterpret_cast<const T*>(cuda::room_from(at, met, shares.rank[s]));
    for (unsigned k = first; k < shares.length[s]; k += stride) to[k] = __ldcg(from + k);
  }
  if (cuda::is_last_to_leave(at) && threadIdx.x == 0) cuda::part(at, met);
}

/// Where the x of each partner is, once it says so, or where ghost 0 would be beside those that it gave.
template <class T>
__device__ void hear_ghosts(const detail::Ghosts<T>& ghosts, std::uint64_t met, const T** of_rank) {
  if (!ghosts.are_given) return cuda::hear_where(ghosts.at, met, of_rank);
  const int rank = static_cast<int>(threadIdx.x);
  if (rank < ghosts.at.ranks && cuda::is_partner(ghosts.at, rank)) {
    cuda::hear(ghosts.at, met, rank);
    of_rank[rank] = reinterpret_cast<const T*>(cuda::room_from(ghosts.at, met, rank)) - ghosts.begin[rank];
  }
  __syncthreads();
}

/// Thread blocks of the boundary on a multiprocessor, which wait for other ranks.
constexpr int boundary_blocks = 2;

/// A row of the boundary times x, where ghost(g) gives ghosts.
template <class T, class G>
__device__ T row_times(const detail::BoundaryRows<T>& rows, std::size_t k, const T* x, G ghost) {
  constexpr int loads = 8;
  const Offset end = __ldg(rows.ptr + k + 1);
  T sum = 0;
  for (Offset e = __ldg(rows.ptr + k); e < end; e += loads) {
    T value[loads], factor[loads];
#pragma unroll
    for (int n = 0; n < loads; ++n) {
      if (e + n >= end) continue;
      const Index column = __ldg(rows.col + e + n);
      value[n] = __ldg(rows.val + e + n);
      factor[n] = column >= 0 ? x[column] : ghost(~column);
    }
#pragma unroll
    for (int n = 0; n < loads; ++n) {
      if (e + n < end) sum = fma(value[n], factor[n], sum);
    }
  }
  return sum;
}

/// One thread per row, or for several.
template <class T>
__global__ void __launch_bounds__(cuda::block_threads)
    boundary_kernel(detail::BoundaryRows<T> rows, const __grid_constant__ detail::Ghosts<T> ghosts, const T* x, T* y) {
  __shared__ const T* of_rank[detail::most_sum_parts];
  const bool meets = ghosts.at.ranks != 0;
  cuda::pdl_trigger_and_wait();
  const std::uint64_t met = meets ? cuda::times_met(ghosts.at) : 0;
  if (meets && !ghosts.are_given && blockIdx.x == 0) cuda::say_where(ghosts.at, met, x);
  if (meets) hear_ghosts(ghosts, met, of_rank);
  const auto ghost = [&](Index g) {
    if (meets) {
      const T* const from = of_rank[__ldg(ghosts.rank + g)];  // a rank that is late has said nothing
      return from == nullptr ? T{0} : __ldcg(from + (ghosts.are_given ? g : __ldg(ghosts.place + g)));
    }
    const auto at = static_cast<std::size_t>(g);
    return __ldcg(ghosts.gathered + (at < ghosts.below ? at : ghosts.gap + at));
  };
  for (std::size_t k = blockIdx.x * cuda::block_threads + threadIdx.x; k < static_cast<std::size_t>(rows.count);
       k += static_cast<std::size_t>(gridDim.x) * cuda::block_threads) {
    const T sum = row_times(rows, k, x, ghost);
    T* const to = y + rows.row[k];
    const T* const before = rows.before == nullptr ? to : rows.before + k;
    *to = cuda::row_value(Product<T>{rows.alpha, x, rows.beta, before, to}, 0, sum);
  }
  if (meets && cuda::is_last_to_leave(ghosts.at) && threadIdx.x == 0) cuda::part(ghosts.at, met);
}

unsigned longest(const detail::Shares& shares) {
  return *std::max_element(shares.length, shares.length + detail::most_sum_parts);
}

}  // namespace

static_assert(sum_block == 64 * warp_rows);

/// The sum of a block whose warps have left theirs, valid in the first lane. All lanes of a warp call the function.
template <class T>
__device__ Sums<1> detail::DotOfProduct<T>::of_warps(std::size_t block, std::size_t rows) const {
  const std::size_t warps = (rows + warp_rows - 1) / warp_rows, k = 64 * block + threadIdx.x % 32;
  const double low = k < warps ? __ldcg(sums + k) : 0, high = k + 32 < warps ? __ldcg(sums + k + 32) : 0;
  return cuda::warp_sum(Sums<1>{{low + high}});
}

/// The same from w and y, with the same bits, valid in thread 0. All threads of the thread block call the function.
template <class T>
__device__ Sums<1> detail::DotOfProduct<T>::made_anew(std::size_t block, std::size_t rows) const {
  constexpr unsigned rounds = sum_block / cuda::block_threads, warps = cuda::block_threads / 32;
  __shared__ double of_warp[rounds * warps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T of_w[rounds] = {}, of_y[rounds] = {};
#pragma unroll
  for (unsigned n = 0; n < rounds; ++n) {
    const std::size_t i = block * sum_block + n * cuda::block_threads + threadIdx.x;
    if (i < rows) of_w[n] = w[i], of_y[n] = y[i];
  }
#pragma unroll
  for (unsigned n = 0; n < rounds; ++n) {
    const Sums<1> sum = cuda::warp_sum(Sums<1>{{fma(static_cast<double>(of_w[n]), static_cast<double>(of_y[n]), 0.0)}});
    if (lane == 0) of_warp[n * warps + warp] = sum.v[0];
  }
  __syncthreads();
  Sums<1> sum{};
  if (warp == 0) sum = cuda::warp_sum(Sums<1>{{of_warp[lane] + of_warp[lane + 32]}});
  __syncthreads();
  return sum;
}

/// Blocks beside each other belong to different thread blocks, since those of the boundary lie beside each other.
template <class T>
template <class Give>
__device__ void detail::DotOfProduct<T>::give_blocks(std::size_t, std::size_t rows, Give give) const {
  static_assert(blocks_at_once == cuda::block_threads / 32);
  const std::size_t blocks = (rows + sum_block - 1) / sum_block;
  const auto has_boundary = [&](std::size_t block) { return __ldg(first + block) != __ldg(first + block + 1); };
  for (std::size_t base = blockIdx.x; base < blocks; base += blocks_at_once * gridDim.x) {
    const std::size_t mine = base + threadIdx.x / 32 * gridDim.x;
    if (mine < blocks && !has_boundary(mine)) {
      const Sums<1> sum = of_warps(mine, rows);
      if (threadIdx.x % 32 == 0) give(mine, sum);
    }
    for (std::size_t block = base; block < min(blocks, base + blocks_at_once * gridDim.x); block += gridDim.x) {
      if (!has_boundary(block)) continue;
      const Sums<1> sum = made_anew(block, rows);
      if (threadIdx.x == 0) give(block, sum);
    }
  }
}

template <class T>
void detail::multiply_boundary(const Cuda& space, const BoundaryRows<T>& rows, const Ghosts<T>& ghosts, const T* x,
                               T* y) {
  if (rows.count == 0 && ghosts.at.partners == 0) return;
  const int blocks = cuda::resident_blocks(space, static_cast<std::size_t>(rows.count), boundary_blocks);
  cuda::launch(space, boundary_kernel<T>, blocks, cuda::block_threads, 0, rows, ghosts, x, y);
}

template <class T>
void detail::give_ghosts(const Cuda& space, const RendezvousView& at, const Shares& shares, const Index* given,
                         const T* x) {
  const dim3 grid(blocks_for(longest(shares)), static_cast<unsigned>(std::max(1, shares.count)));
  cuda::launch(space, give_kernel<T>, grid, cuda::block_threads, 0, at, shares, given, x);
}

template <class T>
void detail::receive_ghosts(const Cuda& space, const RendezvousView& at, const Shares& shares,
                            const BoundaryX<T>& boundary) {
  const std::size_t most = std::max<std::size_t>(longest(shares), boundary.owns);
  const dim3 grid(blocks_for(most), static_cast<unsigned>(shares.count + 1));
  cuda::launch(space, receive_kernel<T>, grid, cuda::block_threads, 0, at, shares, boundary);
}

OSTINATO_FOR_EACH_ON_CUDA(detail::Pick)
OSTINATO_FOR_EACH_ON_CUDA(detail::Put)
OSTINATO_PARTS_ON_CUDA(detail::DotOfProduct)
#define OSTINATO_INSTANTIATE(T)                                                                                 \
  template void detail::multiply_boundary(const Cuda&, const BoundaryRows<T>&, const Ghosts<T>&, const T*, T*); \
  template void detail::give_ghosts(const Cuda&, const RendezvousView&, const Shares&, const Index*, const T*); \
  template void detail::receive_ghosts(const Cuda&, const RendezvousView&, const Shares&, const BoundaryX<T>&)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// BCCOO on Cuda: one kernel, in which a workgroup is a thread block. Each value type has an object file of its own,
// because the kernels take long to compile.

#include <algorithm>

#include <ostinato/spmv/formats/bccoo/bccoo_blocks.cuh>
#include <ostinato/spmv/formats/row_value.cuh>
#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>

namespace ostinato::formats {

namespace {

using detail::Columns;
using detail::Cursor;
using detail::Values;

/// Most threads of a workgroup. With hot columns one workgroup fills a multiprocessor.
constexpr int most_threads = 512, most_threads_hot = 1024;

/// Threads of the workgroups that choose_bccoo() takes. Kernels for this number have the stride between a thread's
/// blocks as a constant.
constexpr int usual_threads(bool hot, int area) { return hot ? 1024 : area > 1 ? 128 : 256; }

/// Launch bounds, which set the registers of a thread: threads of a workgroup, and workgroups of a multiprocessor.
constexpr int bound_threads(bool hot, int fixed) { return fixed > 0 ? fixed : hot ? most_threads_hot : most_threads; }
constexpr int bound_groups(int fixed) { return fixed == 128 ? 5 : fixed == 256 ? 4 : 1; }

template <int Fixed, class T>
__device__ int threads_of(const BccooView<T>& a) {
  return Fixed > 0 ? Fixed : a.shape.threads;
}
constexpr unsigned all_lanes = 0xffffffffu;

/// Blocks that a thread has in flight: as many as its registers hold. With x in shared memory, columns aren't loaded
/// ahead, which leaves registers for more blocks.
template <bool Hot>
__host__ __device__ constexpr int in_flight(int area) {
  return Hot ? 8 : area <= 4 ? 4 : area <= 9 ? 2 : 1;
}

template <class T, int H>
struct BlockRowSum {
  T v[H];

  __device__ void operator+=(const BlockRowSum& other) {
#pragma unroll
    for (int r = 0; r < H; ++r) v[r] += other.v[r];
  }
  __device__ BlockRowSum from_lane_above(int distance) const {
    BlockRowSum above;
#pragma unroll
    for (int r = 0; r < H; ++r) above.v[r] = __shfl_up_sync(all_lanes, v[r], distance);
    return above;
  }
};

template <class T, int H>
__device__ void store_block_row(const BccooView<T>& a, const Product<T>& p, Index result,
                                const BlockRowSum<T, H>& sum) {
  const Offset begin = static_cast<Offset>(a.block_row(result)) * H;
#pragma unroll
  for (int r = 0; r < H; ++r) {
    if (H > 1 && begin + r >= a.rows) return;
    p.y[begin + r] = cuda::row_value(p, begin + r, sum.v[r]);
  }
}

/// Stores sums of block rows. The sums go through the workgroup's cache in shared memory while there is room, so that
/// writes to y are coalesced.
template <class T, int H>
struct Results {
  T* cache;
  Index first;  ///< first result of the workgroup

  __device__ void put(const BccooView<T>& a, const Product<T>& p, Index result, const BlockRowSum<T, H>& sum) const {
    const Index place = result - first;
    if (place >= a.shape.cache) return store_block_row(a, p, result, sum);
#pragma unroll
    for (int r = 0; r < H; ++r) cache[place * H + r] = sum.v[r];
  }

  /// Stores the cached results from number `skip` to `count` - 1. All threads call this function after the last put().
  __device__ void flush(const BccooView<T>& a, const Product<T>& p, int skip, int count) const {
    const int end = min(count, a.shape.cache) * H;
    for (int i = skip * H + static_cast<int>(threadIdx.x); i < end; i += static_cast<int>(blockDim.x)) {
      const Offset row = static_cast<Offset>(a.block_row(first + i / H)) * H + i % H;
      if (H > 1 && row >= a.rows) continue;
      p.y[row] = cuda::row_value(p, row, cache[i]);
    }
  }
};

/// The sums of a thread's tile.
template <class T, int H>
struct TileSums {
  BlockRowSum<T, H> head{};  ///< up to the first row end
  BlockRowSum<T, H> tail{};  ///< after the last row end; the whole tile when no row ends
  bool stopped = false;

  /// Ends a row, whose sum goes to the results if the row began in the tile. `result` becomes the next one.
  __device__ __forceinline__ void end_row(const BccooView<T>& a, const Product<T>& p, const Results<T, H>& results,
                                          Index& result) {
    if (stopped) {
      results.put(a, p, result, tail);
    } else {
      head = tail;
      stopped = true;
    }
    ++result;
    tail = {};
  }
};

/// Loads x for the columns of a block. `cut` says that the last block column reaches past the matrix. With hot columns,
/// the x of the other columns is too large for the first-level cache, so these loads bypass it.
template <bool Hot, class T, int W>
__device__ void load_x(const BccooView<T>& a, const T* x, const T* hot_x, bool cut, Index col, T (&to)[W]) {
  if constexpr (Hot) {
    to[0] = col < a.shape.hot ? hot_x[col] : __ldcg(x + (col - a.shape.hot));
  } else {
    const Index first = col * W;
    const T* const from = x + first;
#pragma unroll
    for (int w = 0; w < W; ++w) to[w] = W > 1 && cut && first + w >= a.cols ? T{0} : from[w];
  }
}

template <class T, int H, int W>
__device__ void add_block(const T (&block)[H * W], const T (&x)[W], BlockRowSum<T, H>& sum) {
#pragma unroll
  for (int r = 0; r < H; ++r) {
#pragma unroll
    for (int w = 0; w < W; ++w) sum.v[r] = fma(block[r * W + w], x[w], sum.v[r]);
  }
}

/// Adds up a tile, block by block; sums of rows that begin and end in the tile go to the results. `wait` is called once
/// the loads of the first blocks are issued. Columns are loaded one round ahead, so that the loads of x and of the
/// values overlap.
template <bool Hot, int Fixed, class T, int H, int W, class Wait>
__device__ TileSums<T, H> sum_tile(const BccooView<T>& a, const Product<T>& p, Index group, const T* hot_x,
                                   const Results<T, H>& results, Index result, Wait wait) {
  constexpr int round = in_flight<Hot>(H * W);
  const int t = static_cast<int>(threadIdx.x), threads = threads_of<Fixed>(a);
  const Offset tile = static_cast<Offset>(group) * threads + t;
  const Offset first = static_cast<Offset>(group) * a.shape.tile * threads;
  const std::uint32_t* bits = a.bits + static_cast<Offset>(group) * a.shape.words() * threads + t;
  Columns<round> next;
  if (!Hot) next.load(a, first + t, threads);
  Cursor cursor;
  if (a.base != nullptr) cursor = {a.base[tile], a.escape != nullptr ? a.escape[tile] : 0};
  const bool cut = W > 1 && a.cols % W != 0;
  TileSums<T, H> sums;
  std::uint32_t flags = 0;
  for (int j = 0; j < a.shape.tile; j += round) {
    if (Hot) next.load(a, first + j * threads + t, threads);
    Values<T, round, H * W> values;
    values.load(a, (first + j * threads) * (H * W) + t, threads);
    Columns<round> columns = next;
    columns.resolve(a, cursor);
    if (j % 32 == 0) flags = bits[j / 32 * threads];
    if (j == 0) wait();
    T x[round][W];
#pragma unroll
    for (int u = 0; u < round; ++u) load_x<Hot, T, W>(a, p.x, hot_x, cut, columns.at[u], x[u]);
    if (!Hot && j + round < a.shape.tile) next.load(a, first + (j + round) * threads + t, threads);
    values.look_up(a);
#pragma unroll
    for (int u = 0; u < round; ++u) {
      add_block<T, H, W>(values.of[u], x[u], sums.tail);
      const bool stop = (flags & 1u) == 0;
      flags >>= 1;
      if (!stop) continue;
      sums.end_row(a, p, results, result);
    }
  }
  return sums;
}

/// The last partial sum of each warp of a workgroup.
template <class T, int H>
struct WarpTails {
  BlockRowSum<T, H> sum[most_threads_hot / 32];
  bool stopped[most_threads_hot / 32];
};

/// Adds to `sum` the tails of the preceding warps, back to the nearest warp with a row end. Returns true when there is
/// such a warp.
template <class T, int H>
__device__ bool add_warps_before(const WarpTails<T, H>& tails, int warp, BlockRowSum<T, H>& sum) {
  for (int w = warp - 1; w >= 0; --w) {
    sum += tails.sum[w];
    if (tails.stopped[w]) return true;
  }
  return false;
}

/// Segmented scan of the tails over a warp. The scan is skipped when a row ends in every lane, since then no row lies
/// in more than two lanes.
template <class T, int H>
__device__ void scan_tails(BlockRowSum<T, H>& tail, bool& stopped) {
  if (__all_sync(all_lanes, stopped)) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const bool above_stopped = __shfl_up_sync(all_lanes, stopped, d);
    const BlockRowSum<T, H> above = tail.from_lane_above(d);
    if (lane < d) continue;
    if (!stopped) tail += above;
    stopped |= above_stopped;
  }
}

/// Counts a group's part of a row that lies in several groups as done; the row begins in group `first`. The group that
/// finishes last adds the parts up in their order. A whole warp calls this function, after the group's part was
/// written.
template <class T, int H>
__device__ void join_parts(const BccooView<T>& a, const Product<T>& p, Index first) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Index parts = a.span[first];
  const bool last = lane == 0 && cuda::arrives_last(a.arrived + first, static_cast<unsigned>(parts));
  if (!__shfl_sync(all_lanes, last, 0)) return;
  __syncwarp();  // a shuffle doesn't order memory accesses
  BlockRowSum<T, H> sum{};
  for (Index i = lane; i < parts; i += 32) {
    const T* part = a.part + (2 * static_cast<Offset>(first + i) + (i == 0 ? 1 : 0)) * H;
#pragma unroll
    for (int r = 0; r < H; ++r) sum.v[r] += __ldcg(part + r);
  }
#pragma unroll
  for (int r = 0; r < H; ++r) {
    for (int d = 16; d > 0; d /= 2) sum.v[r] += __shfl_down_sync(all_lanes, sum.v[r], d);
  }
  if (lane != 0) return;
  a.arrived[first] = 0;
  store_block_row(a, p, a.first[static_cast<Offset>(first + 1) * a.shape.threads], sum);
}

/// Joins the threads' sums of rows that lie in several tiles, and writes y.
template <class T, int H>
__device__ void join_tiles(const BccooView<T>& a, const Product<T>& p, Index group, const Results<T, H>& results,
                           TileSums<T, H> sums, Index result, WarpTails<T, H>& tails) {
  const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32, warps = static_cast<int>(blockDim.x) / 32;
  const Index begin = a.begin[group];
  const int count = a.first[static_cast<Offset>(group + 1) * a.shape.threads] - results.first;
  const bool has_stop = sums.stopped, goes_on = a.span[group] > 1;
  bool scanned = sums.stopped;
  scan_tails(sums.tail, scanned);
  if (lane == 31) {
    tails.sum[warp] = sums.tail;
    tails.stopped[warp] = scanned;
  }
  const BlockRowSum<T, H> before = sums.tail.from_lane_above(1);
  // The row that ends at the thread's first row end begins in this group.
  bool begins_here = __shfl_up_sync(all_lanes, scanned, 1) && lane > 0;
  if (lane > 0) sums.head += before;
  __syncthreads();
  T* const parts = a.part + 2 * static_cast<Offset>(group) * H;
  if (has_stop) {
    if (!begins_here) begins_here = add_warps_before(tails, warp, sums.head);
    if (begins_here || begin == group) {
      results.put(a, p, result, sums.head);
    } else {
#pragma unroll
      for (int r = 0; r < H; ++r) parts[r] = sums.head.v[r];
    }
  }
  if (t + 1 == static_cast<int>(blockDim.x) && (goes_on || count == 0)) {
    if (!scanned) add_warps_before(tails, warp, sums.tail);
    const int part = begin == group || count > 0 ? H : 0;
#pragma unroll
    for (int r = 0; r < H; ++r) parts[part + r] = sums.tail.v[r];
  }
  __syncthreads();
  if (warp == 0 && begin != group) join_parts<T, H>(a, p, begin);
  if (warp == warps - 1 && goes_on) join_parts<T, H>(a, p, group);
  results.flush(a, p, begin == group ? 0 : 1, count);
}

/// Copies the x of the hot columns to shared memory. The gather is scattered, so a thread has as many loads in flight
/// as its registers hold beside its first blocks.
template <class T>
__device__ void fill_hot(const BccooView<T>& a, const T* x, T* hot_x) {
  constexpr int under_way = 4;
  const int threads = static_cast<int>(blockDim.x);
  for (int first = static_cast<int>(threadIdx.x); first < a.shape.hot; first += under_way * threads) {
    T found[under_way];
#pragma unroll
    for (int u = 0; u < under_way; ++u) {
      const int i = first + u * threads;
      if (i < a.shape.hot) found[u] = x[a.hot_columns[i]];
    }
#pragma unroll
    for (int u = 0; u < under_way; ++u) {
      const int i = first + u * threads;
      if (i < a.shape.hot) hot_x[i] = found[u];
    }
  }
}

template <bool Hot, int Fixed, class T, int H, int W>
__global__ void __launch_bounds__(bound_threads(Hot, Fixed), bound_groups(Fixed))
    product_kernel(BccooView<T> a, Product<T> p) {
  extern __shared__ double shared[];
  __shared__ WarpTails<T, H> tails;
  T* const hot_x = reinterpret_cast<T*>(shared);
  T* const cache = hot_x + (Hot ? a.shape.hot : 0);
  bool waited = false;
  const auto wait = [&] {
    if (waited) return;
    waited = true;
    cuda::pdl_trigger();
    cuda::pdl_wait();
    if constexpr (Hot) {
      fill_hot(a, p.x, hot_x);
      __syncthreads();
    }
  };
  const Index stride = static_cast<Index>(gridDim.x);
  for (Index group = static_cast<Index>(blockIdx.x); group < a.groups; group += stride) {
    const Offset tile = static_cast<Offset>(group) * a.shape.threads;
    const Index result = a.first[tile + threadIdx.x];
    const Results<T, H> results{cache, a.first[tile]};
    const TileSums<T, H> sums = sum_tile<Hot, Fixed, T, H, W>(a, p, group, hot_x, results, result, wait);
    join_tiles(a, p, group, results, sums, result, tails);
    if (group + stride < a.groups) __syncthreads();
  }
  wait();
  const Index threads = stride * static_cast<Index>(blockDim.x);
  for (Offset i = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x; i < a.empty_rows; i += threads) {
    detail::store_empty_row(p, static_cast<std::size_t>(a.empty[i]));
  }
}

/// Workgroups loop over the groups only with hot columns, where each workgroup first copies the hot part of x.
template <bool Hot, int Fixed, class T, int H, int W>
void launch_threads(const Cuda& space, const BccooView<T>& a, const Product<T>& p) {
  const auto kernel = product_kernel<Hot, Fixed, T, H, W>;
  const std::size_t shared =
      (static_cast<std::size_t>(a.shape.hot) + static_cast<std::size_t>(a.shape.cache) * H) * sizeof(T);
  if (shared > 32 * 1024) {
    // All launches set the same maximum, so they don't disturb other users of the kernel.
    const auto most = static_cast<int>(space.shared_bytes() - sizeof(WarpTails<T, H>) - 256);
    OSTINATO_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  }
  const auto fill = static_cast<Index>(space.multiprocessors());
  const Offset of_block = Offset{8} * a.shape.threads;
  const auto for_empty = static_cast<Index>((a.empty_rows + of_block - 1) / of_block);
  const Index groups = std::max({a.groups, std::min(for_empty, 8 * fill), Index{1}});
  cuda::launch(space, kernel, dim3(static_cast<unsigned>(Hot ? std::min(groups, fill) : groups)),
               dim3(static_cast<unsigned>(a.shape.threads)), shared, a, p);
}

template <bool Hot, class T, int H, int W>
void launch(const Cuda& space, const BccooView<T>& a, const Product<T>& p) {
  constexpr int usual = usual_threads(Hot, H * W);
  if (a.shape.threads == usual) {
    launch_threads<Hot, usual, T, H, W>(space, a, p);
  } else {
    launch_threads<Hot, 0, T, H, W>(space, a, p);
  }
}

}  // namespace

template <class T>
void bccoo_apply(const Cuda& space, const BccooView<T>& a, const Product<T>& p) {
  if (a.groups == 0 && a.empty_rows == 0) return;
  const OnDevice here(space);
  if (a.shape.hot > 0) {
    launch<true, T, 1, 1>(space, a, p);
  } else {
    with_block_size(a.shape, [&]<int H, int W>() { launch<false, T, H, W>(space, a, p); });
  }
}

}  // namespace ostinato::formats

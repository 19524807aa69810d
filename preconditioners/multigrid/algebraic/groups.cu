// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/groups_rows.hpp>

#include <algorithm>

#include <ostinato/spmv/space/cuda/for_each_row.cuh>
#include <ostinato/spmv/space/cuda/lane_group.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>

namespace ostinato::algebraic {

namespace {

using cuda::block_threads;

constexpr int warp_threads = 32, warps_of_block = block_threads / warp_threads;
constexpr unsigned all_lanes = 0xffffffffu;

/// The tables of a thread block's warps, for rows of at most `Most` terms each.
template <class T, int Most>
struct WarpTables {
  static constexpr int stride = Most + 4;  // so that the tables begin in different banks
  alignas(16) Index col[warps_of_block * stride], first[warps_of_block * stride];
  T val[warps_of_block * stride];

  /// Makes row i. All lanes of the warp call this function.
  __device__ void collapse(const CollapseRow<T>& f, std::size_t i) {
    const int mine = static_cast<int>(threadIdx.x) / warp_threads * stride;
    if (f.begin[i + 1] - f.begin[i] <= Most) {
      TermTable<T>{col + mine, val + mine, first + mine}.collapse(cuda::LaneGroup<warp_threads>(), f, i);
    } else if (threadIdx.x % warp_threads == 0) {
      f(i);
    }
  }
};

/// Each warp has one row. Thread blocks that begin one after the other were faster than as many as the GPU holds at
/// once, going on from row to row (H100, 2026-11: 2.8 ms instead of 3.1 for the first pass of poisson3d:256).
template <class T>
__global__ void __launch_bounds__(block_threads) collapse_long_kernel(std::size_t rows, CollapseRow<T> f) {
  __shared__ WarpTables<T, 256> tables;
  cuda::pdl_trigger_and_wait();
  const std::size_t i = std::size_t{blockIdx.x} * warps_of_block + threadIdx.x / warp_threads;
  if (i < rows) tables.collapse(f, i);
}

/// Where the terms of a row are.
struct alignas(16) RowTerms {
  Offset table;          ///< the row's place in the tables of CollapseRow
  Offset first, second;  ///< term t of the first member is entry first + t, of the second one entry second + t
  int terms, of_first, of_both;
  Index row, next;  ///< the first two members

  /// A row has one member at least, unless it has no terms.
  template <class T>
  __device__ static RowTerms of(const CollapseRow<T>& f, std::size_t i) {
    constexpr Offset many = 1 << 30;
    const Offset table = f.begin[i], m = f.members.row_ptr[i], last = f.members.row_ptr[i + 1] - 1;
    const auto terms = static_cast<int>(min(f.begin[i + 1] - table, many));
    if (terms == 0) return {table, 0, 0, 0, 0, 0, 0, 0};
    const Index row = f.members.col[m], next = f.members.col[min(m + 1, last)];
    const Offset begin = f.a.row_ptr[row], length = f.a.row_ptr[row + 1] - begin, next_begin = f.a.row_ptr[next];
    const Offset both = length + (m < last ? f.a.row_ptr[next + 1] - next_begin : 0);
    return {table, begin, next_begin - length, terms, static_cast<int>(length), static_cast<int>(min(both, many)),
            row,   next};
  }

  /// Calls use(row, entry) with the place of a term of row i.
  template <class T, class Use>
  __device__ void find(const CollapseRow<T>& f, std::size_t i, int term, Use use) const {
    if (term < of_both) return term < of_first ? use(row, first + term) : use(next, second + term);
    Offset left = term - of_both;
    for (Offset m = f.members.row_ptr[i] + 2;; ++m) {
      const Index member = f.members.col[m];
      const Offset begin = f.a.row_ptr[member], length = f.a.row_ptr[member + 1] - begin;
      if (left < length) return use(member, begin + left);
      left -= length;
    }
  }
};

/// A warp makes rows in registers, each with a term on each of `Lanes` lanes at most, some rows at once so that their
/// loads overlap. The bits are those of CollapseRow.
template <class T, int Lanes>
struct LaneTerms {
  static constexpr int at_once = 4, groups = warp_threads / Lanes;
  using Group = cuda::LaneGroup<Lanes>;
  using Quad = typename TermTable<T>::Quad;

  const CollapseRow<T>& f;
  std::size_t first_row;  ///< of the warp's rows
  const RowTerms* rows;   ///< of each of them
  Index* columns;         ///< at_once * 32 elements, aligned as quads are

  Index to[at_once];  ///< the column of each term; -1: none
  T sum[at_once];
  bool is_first[at_once];

  /// Makes those of the warp's rows whose bits are set. All lanes call this function.
  __device__ void collapse(unsigned which) {
    const int lane = static_cast<int>(threadIdx.x) % warp_threads, count = __popc(which);
    const int of_rank = cuda::place_of_bit(which, lane);
    for (int done = 0; done < count; done += groups * at_once) {
      int place[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const int mine = done + u * groups + lane / Lanes, of_mine = __shfl_sync(all_lanes, of_rank, mine % 32);
        place[u] = mine < count ? of_mine : -1;
      }
      load(place);
#pragma unroll
      for (int u = 0; u < at_once; ++u) add_up(u);
      __syncwarp();
#pragma unroll
      for (int u = 0; u < at_once; ++u) write(place[u], u);
      __syncwarp();  // before `columns` is written again
    }
  }

 private:
  __device__ void load(const int (&place)[at_once]) {
    Index row[at_once], j[at_once];
    Offset entry[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      row[u] = 0;
      entry[u] = -1;
      if (place[u] < 0 || Group::lane() >= rows[place[u]].terms) continue;
      rows[place[u]].find(f, first_row + static_cast<std::size_t>(place[u]), Group::lane(), [&](Index of, Offset k) {
        row[u] = of;
        entry[u] = k;
      });
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      j[u] = entry[u] >= 0 ? f.a.col[entry[u]] : -1;
      sum[u] = entry[u] >= 0 ? f.val[entry[u]] : T{0};
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) to[u] = j[u] >= 0 ? f.column_from(row[u], j[u]) : -1;
  }

  /// Adds the later terms of its column to the term of a lane, if that is the first one.
  __device__ void add_up(int u) {
    const int lane = static_cast<int>(threadIdx.x) % warp_threads;
    const unsigned own = 1u << lane, same = __match_any_sync(all_lanes, to[u]) & Group::mask();
    const T v = sum[u];
    is_first[u] = to[u] >= 0 && (same & (own - 1)) == 0;
    unsigned later = is_first[u] ? same ^ own : 0;
    while (__any_sync(all_lanes, later != 0)) {
      const T next = __shfl_sync(all_lanes, v, later != 0 ? Group::lowest_bit(later) : lane);
      if (later != 0) sum[u] += next;
      later &= later - 1;
    }
    columns[u * warp_threads + lane] = is_first[u] ? to[u] : TermTable<T>::none;
  }

  /// The place of an entry is the number of entries before its column.
  __device__ void write(int place, int u) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_threads;
    const unsigned entries = __ballot_sync(all_lanes, is_first[u]) & Group::mask();
    if (is_first[u]) {
      const Quad* const quads = reinterpret_cast<const Quad*>(columns + u * warp_threads + lane / Lanes * Lanes);
      Offset at = rows[place].table;
#pragma unroll
      for (int q = 0; q < Lanes / 4; ++q) {
        const Quad four = quads[q];
#pragma unroll
        for (int k = 0; k < 4; ++k) at += four.v[k] < to[u] ? 1 : 0;
      }
      f.col[at] = to[u];
      f.sum[at] = sum[u];
    }
    if (place >= 0 && Group::lane() == 0) f.count[first_row + static_cast<std::size_t>(place)] = __popc(entries);
  }
};

/// A warp has some rows: rows of at most `Lanes` terms are made by as many lanes, others by all of them.
template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads, 4) collapse_kernel(cuda::RowsOfWarp of_warp, CollapseRow<T> f) {
  __shared__ WarpTables<T, 128> tables;
  __shared__ RowTerms of_row[block_threads];
  __shared__ alignas(16) Index columns[LaneTerms<T, Lanes>::at_once * block_threads];
  cuda::pdl_trigger_and_wait();
  const int warp = static_cast<int>(threadIdx.x) / warp_threads, lane = static_cast<int>(threadIdx.x) % warp_threads;
  const int count = of_warp.turns * cuda::RowsOfWarp::groups<Lanes>();
  const std::size_t number = std::size_t{blockIdx.x} * warps_of_block + static_cast<unsigned>(warp);
  const std::size_t first = number * static_cast<std::size_t>(count), i = first + static_cast<unsigned>(lane);
  const bool has_row = lane < count && i < of_warp.rows;
  if (has_row) of_row[threadIdx.x] = RowTerms::of(f, i);
  __syncwarp();
  const int terms = has_row ? of_row[threadIdx.x].terms : 0;
  const unsigned there = __ballot_sync(all_lanes, has_row), fits = __ballot_sync(all_lanes, terms <= Lanes) & there,
                 is_short = __ballot_sync(all_lanes, terms <= warp_threads) & there;
  const RowTerms* const rows = of_row + warp * warp_threads;
  Index* const of_columns = columns + warp * LaneTerms<T, Lanes>::at_once * warp_threads;
  LaneTerms<T, Lanes>{f, first, rows, of_columns, {}, {}, {}}.collapse(fits);
  if constexpr (Lanes < warp_threads)
    LaneTerms<T, warp_threads>{f, first, rows, of_columns, {}, {}, {}}.collapse(is_short & ~fits);
  for (unsigned longer = there & ~is_short; longer != 0; longer &= longer - 1)
    tables.collapse(f, first + static_cast<unsigned>(__ffs(static_cast<int>(longer)) - 1));
}

template <int Lanes>
constexpr int groups_of_block = block_threads / Lanes;

/// The row of the calling thread's group of lanes; there may be none.
template <int Lanes>
__device__ std::size_t row_of_group() {
  return std::size_t{blockIdx.x} * groups_of_block<Lanes> + threadIdx.x / Lanes;
}

template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads) move_kernel(std::size_t rows, MoveRow<T> f) {
  cuda::pdl_trigger_and_wait();
  const std::size_t i = row_of_group<Lanes>();
  if (i < rows) f.move(i, cuda::LaneGroup<Lanes>::lane(), Lanes);
}

template <int Lanes>
unsigned blocks_of(std::size_t rows) {
  return static_cast<unsigned>((rows + groups_of_block<Lanes> - 1) / groups_of_block<Lanes>);
}

unsigned blocks_of_warps(std::size_t warps) {
  return static_cast<unsigned>((warps + warps_of_block - 1) / warps_of_block);
}

}  // namespace

template <class T>
void collapse_rows(const Cuda& space, std::size_t rows, Offset terms, const CollapseRow<T>& f) {
  if (rows == 0) return;
  const Offset mean = terms / static_cast<Offset>(rows);
  if (mean > warp_threads)
    return cuda::launch(space, collapse_long_kernel<T>, blocks_of_warps(rows), block_threads, 0, rows, f);
  cuda::with_lanes(cuda::lanes_for(mean, 4), [&](auto lanes) {
    constexpr int count = std::max(4, static_cast<int>(lanes));
    const auto of_warp = cuda::RowsOfWarp::of<count>(space, rows);
    const auto each = static_cast<std::size_t>(of_warp.turns * cuda::RowsOfWarp::groups<count>());
    cuda::launch(space, collapse_kernel<T, count>, blocks_of_warps((rows + each - 1) / each), block_threads, 0, of_warp,
                 f);
  });
}

template <class T>
void move_rows(const Cuda& space, std::size_t rows, Offset entries, const MoveRow<T>& f) {
  if (rows == 0) return;
  // A lane takes two entries.
  cuda::with_lanes(cuda::lanes_for(entries / static_cast<Offset>(rows) / 2, 4), [&](auto lanes) {
    constexpr int count = std::max(4, static_cast<int>(lanes));
    cuda::launch(space, move_kernel<T, count>, blocks_of<count>(rows), block_threads, 0, rows, f);
  });
}

#define OSTINATO_INSTANTIATE(T)                                                         \
  template void collapse_rows(const Cuda&, std::size_t, Offset, const CollapseRow<T>&); \
  template void move_rows(const Cuda&, std::size_t, Offset, const MoveRow<T>&)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::algebraic

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/groups_rows.hpp>

#include <algorithm>

#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>
#include <ostinato/spmv/space/cuda/for_each_row.cuh>
#include <ostinato/spmv/space/cuda/lane_group.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/cuda/sort_pairs.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::algebraic {

namespace {

using cuda::block_threads;

constexpr int warp_threads = 32, warps_of_block = block_threads / warp_threads;
constexpr unsigned all_lanes = 0xffffffffu;

/// Columns that are read at once.
struct alignas(16) Quad {
  Index v[4];
};
constexpr Index none = 0x7fffffff;  ///< comes after all columns

/// The number of columns before column j in `quads` quads.
__device__ int columns_before(const Quad* columns, int quads, Index j) {
  int count = 0;
  for (int q = 0; q < quads; ++q) {
    const Quad four = columns[q];
#pragma unroll
    for (int k = 0; k < 4; ++k) count += four.v[k] < j ? 1 : 0;
  }
  return count;
}

/// Adds the values of the later lanes in `same`, each lane's own, to `sum`, one after the other. All lanes of the warp
/// call this function, with the lanes whose values belong together; the lowest of these adds up.
template <class T>
__device__ void add_later(unsigned same, bool adds, T v, T& sum) {
  const int lane = static_cast<int>(threadIdx.x) % warp_threads;
  unsigned later = adds ? same & ~((2u << lane) - 1) : 0;
  while (__any_sync(all_lanes, later != 0)) {
    const T next = __shfl_sync(all_lanes, v, later != 0 ? __ffs(static_cast<int>(later)) - 1 : lane);
    if (later != 0) sum += next;
    later &= later - 1;
  }
}

/// The sum of the parts of OwnColumn, one on each of `Lanes` lanes, on the first of them.
template <int Lanes, class T>
__device__ T sum_of_parts(T part) {
#pragma unroll
  for (int half = Lanes / 2; half > 0; half /= 2) part += __shfl_down_sync(all_lanes, part, half, Lanes);
  return part;
}

/// The table of a warp that makes a row of any number of terms, but of at most Most - 32 columns.
template <class T, int Most>
struct ColumnTable {
  static constexpr int at_once = 4;  ///< terms that a lane loads at once, so that the loads overlap

  alignas(16) Index listed[Most];
  Index col[Most];  ///< -1: free
  T sum[Most];
  /// Of some members: the term that each begins with, its entry less that term, its row.
  int first[warp_threads];
  Offset entry[warp_threads];
  Index row[warp_threads];

  /// Makes row i with the bits of CollapseRow. All lanes of the warp call this function.
  __device__ void collapse(const CollapseRow<T>& f, std::size_t i) {
    const Offset terms = f.begin[i + 1] - f.begin[i];
    constexpr Offset most_terms = 1 << 30;
    if (terms > most_terms) {
      if (lane() == 0) f(i);
      return;
    }
    // A small table takes less time to clear and to read; most rows have far fewer columns than terms.
    const int slots = terms <= 96 ? 64 : 128;
    int filled = gather(f, i, slots);
    if (filled < 0 && slots < Most) filled = gather(f, i, Most);
    if (filled < 0) {
      if (lane() == 0) f(i);
    }
    __syncwarp();  // before the table is cleared again
  }

 private:
  /// A lane's part of the terms of the row's own column.
  struct Own {
    Index col;
    T part = 0;
    bool has_terms = false;
  };

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_threads; }

  /// Makes row i in `slots` elements of the table, a power of two. Returns the number of its columns; -1 where there is
  /// no room for them.
  __device__ int gather(const CollapseRow<T>& f, std::size_t i, int slots) {
    __syncwarp();
    for (int p = lane(); p < slots; p += warp_threads) col[p] = -1;
    Own own{static_cast<Index>(i)};
    int filled = 0;
    const Offset end = f.members.row_ptr[i + 1];
    for (Offset m = f.members.row_ptr[i]; m < end; m += warp_threads) {
      const int terms = begin_members(f, m, end);
      for (int t = 0; t < terms; t += at_once * warp_threads) {
        filled = take(f, t, terms, filled, slots, own);
        if (filled < 0) return filled;
      }
    }
    if (__any_sync(all_lanes, own.has_terms)) {
      if (filled == slots) return -1;
      const T total = sum_of_parts<warp_threads>(own.part);
      filled += insert(lane() == 0 ? own.col : -1, total, slots);
    }
    write(f, i, filled, slots);
    return filled;
  }

  /// Prepares for the members m, m + 1, ..., as many as the warp has lanes. Returns the number of their terms.
  __device__ int begin_members(const CollapseRow<T>& f, Offset m, Offset end) {
    const Offset mine = m + lane();
    const Index of_mine = mine < end ? f.members.col[mine] : 0;
    const Offset begin = f.a.row_ptr[of_mine];
    const int length = mine < end ? static_cast<int>(f.a.row_ptr[of_mine + 1] - begin) : 0;
    int up_to = length;
#pragma unroll
    for (int d = 1; d < warp_threads; d *= 2) {
      const int before = __shfl_up_sync(all_lanes, up_to, d);
      if (lane() >= d) up_to += before;
    }
    __syncwarp();  // the terms of the members before are taken
    first[lane()] = up_to - length;
    entry[lane()] = begin - (up_to - length);
    row[lane()] = of_mine;
    __syncwarp();
    return __shfl_sync(all_lanes, up_to, warp_threads - 1);
  }

  /// Takes some terms from term t on. Returns the number of columns that are in the table then; -1 where there is no
  /// room for more.
  __device__ int take(const CollapseRow<T>& f, int t, int terms, int filled, int slots, Own& own) {
    Index to[at_once];
    T v[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      to[u] = -1;
      const int term = t + u * warp_threads + lane();
      if (term >= terms) continue;
      const int q = member_of(term);
      const Offset k = entry[q] + term;
      to[u] = f.column_of(row[q], k);
      v[u] = f.val[k];
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      if (t + u * warp_threads >= terms) break;
      if (filled > slots - warp_threads) return -1;
      if (to[u] == own.col) {
        own.part += v[u];
        own.has_terms = true;
        to[u] = -1;
      }
      filled += insert(to[u], v[u], slots);
    }
    return filled;
  }

  /// The member that a term belongs to.
  __device__ int member_of(int term) const {
    int q = 0;
#pragma unroll
    for (int half = warp_threads / 2; half > 0; half /= 2) {
      if (first[q + half] <= term) q += half;
    }
    return q;
  }

  /// Adds a term of each lane, lane by lane; none where `to` is negative. Returns how many columns are new.
  __device__ int insert(Index to, T v, int slots) {
    const unsigned same = __match_any_sync(all_lanes, to);
    const bool adds = to >= 0 && (same & ((1u << lane()) - 1)) == 0;
    bool is_new = false;
    unsigned p = 0;
    if (adds) {
      p = static_cast<unsigned>(to) * 2654435769u >> 16 & static_cast<unsigned>(slots - 1);
      while (true) {
        Index held = *const_cast<volatile Index*>(col + p);
        if (held < 0) held = atomicCAS(col + p, -1, to);
        is_new = held < 0;
        if (is_new || held == to) break;
        p = (p + 1) & static_cast<unsigned>(slots - 1);
      }
    }
    T total = adds && !is_new ? sum[p] + v : v;
    add_later(same, adds, v, total);
    if (adds) sum[p] = total;
    __syncwarp();
    return __popc(__ballot_sync(all_lanes, is_new));
  }

  /// The place of an entry is the number of entries before its column.
  __device__ void write(const CollapseRow<T>& f, std::size_t i, int filled, int slots) {
    const int quads = (filled + 3) / 4;
    int count = 0;
    for (int p = lane(); p < slots; p += warp_threads) {
      const bool has = col[p] >= 0;
      const unsigned all = __ballot_sync(all_lanes, has);
      if (has) listed[count + __popc(all & ((1u << lane()) - 1))] = col[p];
      count += __popc(all);
    }
    if (lane() < quads * 4 - filled) listed[filled + lane()] = none;
    __syncwarp();
    for (int p = lane(); p < slots; p += warp_threads) {
      if (col[p] < 0) continue;
      const Offset at = f.begin[i] + columns_before(reinterpret_cast<const Quad*>(listed), quads, col[p]);
      f.col[at] = col[p];
      f.sum[at] = sum[p];
    }
    if (lane() == 0) f.count[i] = filled;
  }
};

/// Each warp has one row. Thread blocks that begin one after the other were faster than as many as the GPU holds at
/// once, going on from row to row (H100, 2026-11: 2.8 ms instead of 3.1 for the first pass of poisson3d:256).
template <class T>
__global__ void __launch_bounds__(block_threads) collapse_long_kernel(std::size_t rows, CollapseRow<T> f) {
  __shared__ ColumnTable<T, 256> tables[warps_of_block];
  cuda::pdl_trigger_and_wait();
  const std::size_t warp = threadIdx.x / warp_threads, i = std::size_t{blockIdx.x} * warps_of_block + warp;
  if (i < rows) tables[warp].collapse(f, i);
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
      for (int u = 0; u < at_once; ++u) add_up(u, place[u] < 0 ? none : static_cast<Index>(first_row) + place[u]);
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

  /// Adds the later terms of its column to the term of a lane, if that is the first one; those of the row's own column
  /// by parts.
  __device__ void add_up(int u, Index own) {
    const int lane = static_cast<int>(threadIdx.x) % warp_threads;
    const unsigned same = __match_any_sync(all_lanes, to[u]) & Group::mask();
    is_first[u] = to[u] >= 0 && (same & ((1u << lane) - 1)) == 0;
    const bool is_own = to[u] == own;
    const T total = __shfl_sync(all_lanes, sum_of_parts<Lanes>(T{0} + (is_own ? sum[u] : T{0})), 0, Lanes);
    add_later(same, is_first[u] && !is_own, sum[u], sum[u]);
    if (is_own) sum[u] = total;
    columns[u * warp_threads + lane] = is_first[u] ? to[u] : none;
  }

  /// The place of an entry is the number of entries before its column.
  __device__ void write(int place, int u) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_threads;
    const unsigned entries = __ballot_sync(all_lanes, is_first[u]) & Group::mask();
    if (is_first[u]) {
      const auto* const quads = reinterpret_cast<const Quad*>(columns + u * warp_threads + lane / Lanes * Lanes);
      const Offset at = rows[place].table + columns_before(quads, Lanes / 4, to[u]);
      f.col[at] = to[u];
      f.sum[at] = sum[u];
    }
    if (place >= 0 && Group::lane() == 0) f.count[first_row + static_cast<std::size_t>(place)] = __popc(entries);
  }
};

/// A warp has some rows: rows of at most `Lanes` terms are made by as many lanes, others by all of them.
template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads, 4) collapse_kernel(cuda::RowsOfWarp of_warp, CollapseRow<T> f) {
  __shared__ ColumnTable<T, 128> tables[warps_of_block];
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
    tables[warp].collapse(f, first + static_cast<unsigned>(__ffs(static_cast<int>(longer)) - 1));
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

/// begin[g] = the number of sorted rows before those of group g
struct FindBegins {
  const Index* sorted;  ///< group of each row; -1 comes last
  Offset rows;
  Offset* begin;

  __device__ void operator()(std::size_t g) const {
    const auto group = static_cast<unsigned>(g);
    begin[g] = detail::bisect(Offset{0}, rows, [&](Offset k) { return static_cast<unsigned>(sorted[k]) >= group; });
  }
};

/// number[i] = i
struct NumberRows {
  Index* number;

  __device__ void operator()(std::size_t i) const { number[i] = static_cast<Index>(i); }
};

}  // namespace

template <>
Members<Cuda> members_of(const Cuda& space, const Vector<Cuda, Index>& of, Index count) {
  const auto n = static_cast<std::size_t>(count);
  Members<Cuda> made{Vector<Cuda, Offset>(space, n + 1), Vector<Cuda, Index>(space, of.size())};
  Vector<Cuda, Index> number(space, of.size()), sorted(space, of.size());
  for_each(space, of.size(), NumberRows{number.data()});
  cuda::sort_pairs(space, of.data(), sorted, number.data(), made.rows, static_cast<unsigned>(count));
  for_each(space, n + 1, FindBegins{sorted.data(), static_cast<Offset>(of.size()), made.begin.data()});
  return made;
}

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
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::algebraic

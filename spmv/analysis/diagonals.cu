// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/cuda/slot_atomic.cuh>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/together.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace {

using cuda::block_threads;

constexpr int warp_threads = 32;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int stretches = 32;  ///< parts of the matrix in which diagonals are combined at the same time
constexpr Index no_offset = std::numeric_limits<Index>::max();  // greater than any offset

using CudaAtomics = SlotAtomic<Cuda>;
using Distinct = detail::Distinct<CudaAtomics>;

/// The results of the kernels, except the pieces; copied to the host. All members are 0 before the first kernel.
template <class T>
struct Found {
  int classes, values;  ///< numbers of different rows and values counted
  Offset class_slots[Distinct::capacity], value_slots[Distinct::capacity];
  Index class_entries[Distinct::capacity];
  T value[Distinct::capacity];
  detail::Stretch whole[DiagonalCensus::max_diagonals];
  T first[DiagonalCensus::max_diagonals];  ///< first value of each diagonal
  unsigned misfit[DiagonalCensus::max_diagonals];
};

/// The offsets of the used diagonals, ascending, in device memory.
struct Listed {
  const Index* offsets;
  int count;

  /// The first diagonal from d on whose offset is at least `offset`. All lanes of a warp call this function with the
  /// same arguments.
  __device__ int find(int d, Index offset) const {
    for (;; d += warp_threads) {
      const int at = d + static_cast<int>(threadIdx.x % warp_threads);
      const unsigned there = __ballot_sync(all_lanes, at >= count || offsets[at] >= offset);
      if (there != 0) return d + __ffs(static_cast<int>(there)) - 1;
    }
  }
};

/// Walks through the rows of a warp, one row per lane, diagonal by diagonal. All lanes call f(d, mine, k) for each
/// diagonal d on which some lane has an entry. `mine` says whether this lane has an entry on d, and k is the position
/// of that entry. The walk ends when f returns false, which f must do in all lanes at once. All lanes call walk(); a
/// lane without a row passes begin == end.
template <class F>
__device__ void walk(const Index* col, Offset begin, Offset end, Offset row, const Listed& listed, F f) {
  const auto offset_at = [=](Offset k) { return k < end ? static_cast<Index>(col[k] - row) : no_offset; };
  Offset k = begin;
  Index next = offset_at(k);
  for (int d = 0;; ++d) {
    const Index offset = __reduce_min_sync(all_lanes, next);
    if (offset == no_offset) return;
    d = listed.find(d, offset);
    if (d >= listed.count) return;
    const bool mine = next == offset;
    if (!f(d, mine, k)) return;
    if (mine) next = offset_at(++k);
  }
}

/// Each thread block counts one row piece. Per diagonal, each warp does one atomic operation on each counter.
template <class T>
__global__ void __launch_bounds__(block_threads)
    count_kernel(detail::Rows<T> a, Index rows, Index rows_in_piece, Listed listed, PieceDiagonal* pieces,
                 std::uint16_t* fewest) {
  extern __shared__ int counters[];
  __shared__ int fewest_here;
  cuda::pdl_trigger_and_wait();
  int *const entries = counters, *const first = entries + listed.count, *const last = first + listed.count;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_threads;
  for (int d = thread; d < listed.count; d += block_threads) {
    entries[d] = 0;
    first[d] = rows_in_piece;
    last[d] = 0;
  }
  if (thread == 0) fewest_here = rows_in_piece;
  __syncthreads();
  const Offset piece_begin = static_cast<Offset>(blockIdx.x) * rows_in_piece;
  const int length = static_cast<int>(min(static_cast<Offset>(rows_in_piece), rows - piece_begin));
  for (int base = thread - lane; base < length; base += block_threads) {
    const bool there = base + lane < length;
    const Offset row = piece_begin + base + lane;
    walk(a.col, there ? a.begin(row) : 0, there ? a.end(row) : 0, row, listed, [=](int d, bool mine, Offset) {
      const unsigned lanes = __ballot_sync(all_lanes, mine);
      if (lane != 0) return true;
      atomicAdd(entries + d, __popc(lanes));
      atomicMin(first + d, base + __ffs(static_cast<int>(lanes)) - 1);
      atomicMax(last + d, base + warp_threads - 1 - __clz(static_cast<int>(lanes)));
      return true;
    });
  }
  __syncthreads();
  PieceDiagonal* const out = pieces + static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(listed.count);
  for (int d = thread; d < listed.count; d += block_threads) {
    const bool some = entries[d] != 0;
    out[d] = {static_cast<std::uint16_t>(entries[d]), static_cast<std::uint16_t>(some ? first[d] : 0),
              static_cast<std::uint16_t>(last[d])};
    atomicMin(&fewest_here, entries[d]);
  }
  __syncthreads();
  if (thread == 0) fewest[blockIdx.x] = static_cast<std::uint16_t>(fewest_here);
}

/// Each thread block combines the pieces of one diagonal in one of `stretches` parts of the matrix.
__global__ void __launch_bounds__(block_threads) stretch_kernel(Index rows_in_piece, Offset piece_count, int diagonals,
                                                                const PieceDiagonal* pieces, detail::Stretch* parts) {
  __shared__ detail::Stretch of_thread[block_threads];
  cuda::pdl_trigger_and_wait();
  const Offset in_part = (piece_count + stretches - 1) / stretches,
               share = (in_part + block_threads - 1) / block_threads;
  const Offset part_begin = in_part * (blockIdx.x / diagonals), part_end = min(part_begin + in_part, piece_count);
  const Offset begin = part_begin + share * threadIdx.x, end = min(begin + share, part_end);
  const Offset d = blockIdx.x % diagonals;
  detail::Stretch mine{};
  for (Offset p = begin; p < end; ++p) mine.append(detail::Stretch::of(pieces[p * diagonals + d], p * rows_in_piece));
  of_thread[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int t = 1; t < block_threads && part_begin + t * share < part_end; ++t) mine.append(of_thread[t]);
  parts[blockIdx.x] = mine;
}

/// Combines the parts of each diagonal.
template <class T>
struct WholeDiagonal {
  detail::Rows<T> a;
  Listed listed;
  const detail::Stretch* parts;
  Found<T>* found;

  __device__ void operator()(std::size_t d) const {
    detail::Stretch whole{};
    for (int part = 0; part < stretches; ++part) whole.append(parts[static_cast<std::size_t>(part * listed.count) + d]);
    found->whole[d] = whole;
    if (whole.entries > 0) found->first[d] = a.value(whole.first, listed.offsets[d]);
  }
};

/// Clears the thread block's copy of the slots.
__device__ void clear(Offset* cache, int* stop) {
  for (int s = static_cast<int>(threadIdx.x); s < Distinct::capacity; s += block_threads) cache[s] = 0;
  if (threadIdx.x == 0) *stop = 0;
  __syncthreads();
}

/// A warp compares its rows with a row that it has added before first, because most rows of a stencil are of one class.
/// The very first row of a warp is added by one lane: were all lanes to add theirs, they would queue at one slot.
template <class T>
__global__ void __launch_bounds__(block_threads) class_kernel(detail::Rows<T> a, Index rows, Found<T>* found) {
  __shared__ Offset cache[Distinct::capacity];
  __shared__ int stop;
  cuda::pdl_trigger_and_wait();
  clear(cache, &stop);
  const Distinct distinct{found->class_slots, &found->classes};
  const Offset stride = static_cast<Offset>(gridDim.x) * block_threads;
  const int lane = static_cast<int>(threadIdx.x % warp_threads);
  const auto add = [&](Offset row) {
    const auto same = [&](Offset other) { return a.same(row, other); };
    if (!distinct.add(a.hash(row), row, same, cache)) atomicExch(&stop, 1);  // as in profile.cu
  };
  const Offset first = static_cast<Offset>(blockIdx.x) * block_threads + threadIdx.x - lane;
  if (first < rows && lane == 0) add(first);
  Offset usual = first;
  for (Offset base = first; base < rows; base += stride) {
    if (__any_sync(all_lanes, CudaAtomics::load(&stop) != 0)) return;
    const Offset row = base + lane;
    const bool is_other = row < rows && !a.same(row, usual);
    if (is_other) add(row);
    const unsigned others = __ballot_sync(all_lanes, is_other);
    if (__popc(others) > warp_threads / 2) usual = base + __ffs(static_cast<int>(others)) - 1;
  }
}

/// The misfits that a thread block knows. The block writes a misfit to global memory only once.
struct Known {
  unsigned* misfit;  ///< in shared memory, one word per diagonal
  int* open;         ///< in shared memory: number of diagonals whose properties can still change

  __device__ void tell(int d, unsigned found, unsigned all, unsigned* everywhere) const {
    if ((found & ~CudaAtomics::load(misfit + d)) == 0) return;
    const unsigned before = atomicOr(misfit + d, found);
    if ((before & all) != all && ((before | found) & all) == all) atomicSub(open, 1);
    if ((found & ~CudaAtomics::load(everywhere + d)) != 0) atomicOr(everywhere + d, found);
  }
};

/// Inspects the values of one row per row class when there are few classes, otherwise of all rows.
template <class T>
__global__ void __launch_bounds__(block_threads)
    value_kernel(detail::Rows<T> a, Index rows, Listed listed, Found<T>* found) {
  extern __shared__ unsigned misfits_here[];
  __shared__ Offset cache[Distinct::capacity];
  __shared__ int stop, open;
  cuda::pdl_trigger_and_wait();
  for (int d = static_cast<int>(threadIdx.x); d < listed.count; d += block_threads) misfits_here[d] = 0;
  if (threadIdx.x == 0) open = listed.count;
  clear(cache, &stop);
  const Distinct distinct{found->value_slots, &found->values};
  const Known known{misfits_here, &open};
  const bool few = found->classes <= Distinct::limit;
  const Offset count = few ? Distinct::capacity : rows, stride = static_cast<Offset>(gridDim.x) * block_threads;
  const int lane = static_cast<int>(threadIdx.x % warp_threads);
  const auto is_settled = [&] {
    return __all_sync(all_lanes, CudaAtomics::load(&open) == 0 && CudaAtomics::load(&stop) != 0) != 0;
  };
  for (Offset base = static_cast<Offset>(blockIdx.x) * block_threads + threadIdx.x - lane; base < count;
       base += stride) {
    if (is_settled()) return;
    const Offset i = base + lane, row = few ? found->class_slots[i] - 1 : i < count ? i : -1;
    walk(a.col, row < 0 ? 0 : a.begin(row), row < 0 ? 0 : a.end(row), row, listed, [&](int d, bool mine, Offset k) {
      if (is_settled()) return false;
      unsigned misfit = 0;
      if (mine) {
        const T v = a.val[k];
        misfit = detail::misfits(v, found->first[d]);
        const auto same = [&](Offset other) { return detail::bits_of(a.val[other]) == detail::bits_of(v); };
        if (CudaAtomics::load(&stop) == 0 && !distinct.add(a.mixed(detail::bits_of(v)), k, same, cache))
          atomicExch(&stop, 1);
      }
      misfit = __reduce_or_sync(all_lanes, misfit);
      if (lane == 0) known.tell(d, misfit, detail::all_misfits<T>, found->misfit);
      return true;
    });
  }
}

/// Looks up the lengths of the class rows and the different values, for the host.
template <class T>
struct LookUp {
  detail::Rows<T> a;
  Found<T>* found;

  __device__ void operator()(std::size_t s) const {
    if (const Offset held = found->class_slots[s]; held != 0)
      found->class_entries[s] = static_cast<Index>(a.length(held - 1));
    if (const Offset held = found->value_slots[s]; held != 0) found->value[s] = a.val[held - 1];
  }
};

/// The arrays of the space that the census is taken with.
template <class T>
struct Taken {
  Vector<Cuda, Index> offsets;
  Vector<Cuda, PieceDiagonal> pieces;
  Vector<Cuda, std::uint16_t> fewest;
  Vector<Cuda, detail::Stretch> parts;
  Vector<Cuda, Found<T>> found;

  Taken(const Cuda& space, std::span<const Index> listed, std::size_t piece_count)
      : offsets(space, listed),
        pieces(space, piece_count * listed.size()),
        fewest(space, piece_count),
        parts(space, stretches * listed.size()),
        found(space, 1) {
    space.zero(found.data(), found.bytes());
  }
};

template <class T>
void enqueue(const Cuda& space, const CsrView<T>& a, Index rows_in_piece, Taken<T>& to) {
  const detail::Rows<T> rows{a.row_ptr.data(), a.col.data(), a.val.data()};
  const Listed listed{to.offsets.data(), static_cast<int>(to.offsets.size())};
  Found<T>* const found = to.found.data();
  const auto diagonals = static_cast<unsigned>(listed.count);
  const std::size_t piece_count = to.fewest.size();
  const int blocks = cuda::resident_blocks(space, static_cast<std::size_t>(a.rows));
  cuda::launch(space, count_kernel<T>, static_cast<unsigned>(piece_count), block_threads, 3 * diagonals * sizeof(int),
               rows, a.rows, rows_in_piece, listed, to.pieces.data(), to.fewest.data());
  cuda::launch(space, stretch_kernel, stretches * diagonals, block_threads, 0, rows_in_piece,
               static_cast<Offset>(piece_count), listed.count, to.pieces.data(), to.parts.data());
  for_each(space, diagonals, WholeDiagonal<T>{rows, listed, to.parts.data(), found});
  cuda::launch(space, class_kernel<T>, blocks, block_threads, 0, rows, a.rows, found);
  cuda::launch(space, value_kernel<T>, blocks, block_threads, diagonals * sizeof(unsigned), rows, a.rows, listed,
               found);
  for_each(space, Distinct::capacity, LookUp<T>{rows, found});
}

template <class T>
void unpack(const Found<T>& found, std::span<const Index> offsets, DiagonalCensus& census) {
  for (std::size_t d = 0; d < offsets.size(); ++d)
    census.diagonals[d] = detail::finished(offsets[d], found.whole[d], found.misfit[d], found.first[d]);
  std::vector<detail::ClassRow> classes;
  std::vector<T> values;
  for (int s = 0; s < Distinct::capacity; ++s) {
    if (found.class_slots[s] != 0)
      classes.push_back({static_cast<Index>(found.class_slots[s] - 1), found.class_entries[s]});
    if (found.value_slots[s] != 0) values.push_back(found.value[s]);
  }
  if (found.classes <= Distinct::limit) census.class_rows = detail::in_order(std::move(classes));
  if (found.values <= Distinct::limit) census.values = detail::in_order(std::move(values));
}

}  // namespace

template <class T>
DiagonalCensus take_census(const Cuda& space, const CsrView<T>& a, std::span<const Index> offsets,
                           Index rows_in_piece) {
  DiagonalCensus census = detail::blank_census(a, offsets, rows_in_piece);
  if (a.rows == 0 || offsets.empty()) return census;
  Taken<T> taken(space, offsets, detail::piece_count(census));
  enqueue(space, a, rows_in_piece, taken);
  // While the kernels run, the host gets the memory of the counts, and writes to each page.
  const auto counts = std::make_shared<PieceCounts>(
      PieceCounts{std::vector<PieceDiagonal>(taken.pieces.size()), std::vector<std::uint16_t>(taken.fewest.size())});
  const auto found = std::make_unique<Found<T>>();
  download(space, {copied(*found, taken.found.data()),
                   {counts->of_diagonals.data(), taken.pieces.data(), taken.pieces.bytes()},
                   {counts->fewest.data(), taken.fewest.data(), taken.fewest.bytes()}});
  census.counts = counts;
  unpack(*found, offsets, census);
  return census;
}

#define OSTINATO_INSTANTIATE(T) \
  template DiagonalCensus take_census(const Cuda&, const CsrView<T>&, std::span<const Index>, Index)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato

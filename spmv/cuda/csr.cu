// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <ostinato/spmv/cuda/csr.hpp>
#include <ostinato/spmv/cuda/parallel.cuh>

namespace ostinato::formats {

namespace {

/// Entries that a thread takes of a row at most; longer rows go to whole blocks. They wait less then, above all for cold
/// caches, but many blocks for a row each keep others waiting: memplus, with 165 rows past 8 entries a thread, takes
/// 3.5 us in a graph and 7.6 cold, 4.8 and 13.1 with 32; c-62, with 1344 of them, 8.5 with 8, 5.2 with 16 (H200,
/// 2026-11).
constexpr int share_count = 3;
__host__ __device__ constexpr int longest_share(int k) { return 8 << k; }

/// Threads for a row. Mukunoki & Takahashi take 2^ceil(log2(mean)) on Kepler; Hopper's first-level cache keeps the
/// sectors that a thread walks along, so that about four entries a thread are better: 1.1 to 2.4 times on stencils
/// and FEM (H200, 2026-11). Columns far apart and rows of uneven length want more threads in flight, and so does a
/// matrix too small to fill the GPU, down to two entries a thread: nos3, with 16 a row, takes 0.9 us in a graph with
/// 8 of them, 1.3 with 4.
int threads_for(const Cuda& space, const Structure& s) {
  const auto power_below = [](double value) {
    return value < 2 ? 1 : 1 << std::min(5, static_cast<int>(std::log2(value)));
  };
  int threads = power_below(s.mean_row / 4);
  if (s.diagonals > s.rows / 4) threads *= 2;
  if (s.row_deviation > s.mean_row) threads *= 2;
  const double half_full = 1024.0 * space.multiprocessors();
  const int most_to_fill = std::max(8, power_below(s.mean_row / 2));
  while (threads < most_to_fill && static_cast<double>(s.rows) * threads < half_full) threads *= 2;
  threads = std::min(threads, power_below(s.mean_row));
  // Small matrices wait for their longest row, as long as the GPU isn't full: add20 takes 2.2 us with 32 threads, 4.0
  // with 4.
  while (threads < 32 && threads * 4 < s.longest_row && static_cast<double>(s.rows) * threads < half_full) threads *= 2;
  return threads;
}

template <class From>
struct Narrow {
  const From* from;
  std::int32_t* to;
  __device__ void operator()(std::size_t i) const { to[i] = static_cast<std::int32_t>(from[i]); }
};

/// Rows that are long for each of the shares.
struct CountLong {
  const Offset* row_ptr;
  int threads;
  __device__ Sums<share_count> operator()(std::size_t i) const {
    const Offset length = row_ptr[i + 1] - row_ptr[i];
    Sums<share_count> longer{};
    for (int k = 0; k < share_count; ++k) longer.v[k] = length > longest_share(k) * threads ? 1.0 : 0.0;
    return longer;
  }
};

struct LongRow {
  Offset begin;
  Index row;
  int length;
};

struct ListLong {
  const Offset* row_ptr;
  int longest_short;
  int* listed;
  LongRow* list;
  __device__ void operator()(std::size_t i) const {
    const Offset length = row_ptr[i + 1] - row_ptr[i];
    if (length > longest_short)
      list[atomicAdd(listed, 1)] = {row_ptr[i], static_cast<Index>(i), static_cast<int>(length)};
  }
};

struct LongRows {
  int longest_short;
  std::vector<LongRow> rows;
};

/// The smallest share that leaves no more than two rows a multiprocessor to whole blocks, else the largest.
LongRows find_long_rows(const Cuda& space, const Offset* row_ptr, std::size_t rows, int threads) {
  Vector<Cuda, double> counts(space, share_count);
  sum(space, rows, CountLong{row_ptr, threads}, counts.data());
  const std::vector<double> count = counts.download();
  int k = 0;
  while (k + 1 < share_count && count[static_cast<std::size_t>(k)] > 2.0 * space.multiprocessors()) ++k;
  LongRows found{longest_share(k) * threads, {}};
  Vector<Cuda, LongRow> list(space, static_cast<std::size_t>(count[static_cast<std::size_t>(k)]));
  if (list.size() == 0) return found;
  Vector<Cuda, int> listed(space, 1);
  space.zero(listed.data(), listed.bytes());
  for_each(space, rows, ListLong{row_ptr, found.longest_short, listed.data(), list.data()});
  found.rows = list.download();
  std::sort(found.rows.begin(), found.rows.end(), [](const LongRow& a, const LongRow& b) { return a.row < b.row; });
  return found;
}

std::vector<CsrPlan<Cuda>::Piece> cut_rows(const std::vector<LongRow>& rows) {
  constexpr int length = CsrPlan<Cuda>::piece_length;
  std::vector<CsrPlan<Cuda>::Piece> cut;
  for (const LongRow& r : rows) {
    const int first = static_cast<int>(cut.size()), count = (r.length + length - 1) / length;
    for (int k = 0; k < count; ++k)
      cut.push_back({r.begin + k * Offset{length}, std::min(length, r.length - k * length), r.row, first, count});
  }
  return cut;
}

template <class T, class Pointer>
struct Args {
  Index rows;
  const Pointer* row_ptr;
  const Index* col;
  const T* val;
  T alpha;
  const T* x;
  T beta;
  T* y;
};

template <class T, class Pointer>
__device__ void store(const Args<T, Pointer>& a, Index row, T sum) {
  a.y[row] = a.beta == T{0} ? a.alpha * sum : a.alpha * sum + a.beta * a.y[row];
}

/// What a lane adds up of a row. Its first `Ahead` entries are fetched at once, before x is asked for.
template <int NT, int Ahead, class T, class Pointer>
struct Share {
  Pointer begin, end;
  bool is_short;
  Index col[Ahead > 0 ? Ahead : 1];
  T val[Ahead > 0 ? Ahead : 1];

  /// `row` may lie past the end.
  __device__ void fetch(const Args<T, Pointer>& a, Offset row, int lane, int longest_short) {
    begin = end = 0;
    if (row >= a.rows) return;
    begin = __ldg(a.row_ptr + row);
    end = __ldg(a.row_ptr + row + 1);
    is_short = end - begin <= longest_short;
    if (!is_short) end = begin;
    begin += lane;
#pragma unroll
    for (int u = 0; u < Ahead; ++u) {
      if (begin + u * NT >= end) continue;
      col[u] = __ldg(a.col + begin + u * NT);
      val[u] = __ldg(a.val + begin + u * NT);
    }
  }

  __device__ T sum(const Args<T, Pointer>& a) const {
    T factor[Ahead > 0 ? Ahead : 1], sum = 0;
#pragma unroll
    for (int u = 0; u < Ahead; ++u) factor[u] = begin + u * NT < end ? a.x[col[u]] : T{0};
#pragma unroll
    for (int u = 0; u < Ahead; ++u) sum = begin + u * NT < end ? fma(val[u], factor[u], sum) : sum;
#pragma unroll 4
    for (Pointer k = begin + Ahead * NT; k < end; k += NT) sum = fma(__ldg(a.val + k), a.x[__ldg(a.col + k)], sum);
    return sum;
  }
};

/// Block `block` takes its share of the short rows, NT threads of a warp to a row. With Dotted, adds w . y up on the
/// way. With Strided, the `blocks` take turns until all rows are done: then more threads at a time, with fewer
/// registers, are worth more than entries fetched ahead.
template <int NT, bool Strided, bool Dotted, class T, class Pointer>
__device__ void short_rows(const Args<T, Pointer>& a, int longest_short, int block, int blocks, const T* w,
                           Sums<1>& dot) {
  constexpr int rows_per_block = cuda::block_threads / NT;
  const int lane = threadIdx.x % NT, place = threadIdx.x % 32 / NT;
  Offset first = static_cast<Offset>(block) * rows_per_block + threadIdx.x / 32 * (32 / NT);
  Share<NT, Strided ? 0 : 4, T, Pointer> share;
  share.fetch(a, first + place, lane, longest_short);
  cuda::take_turn();
  // All lanes of a warp stay in the loop until its last row is done: they take part in the shuffles.
  do {
    const Offset row = first + place;
    T sum = share.sum(a);
#pragma unroll
    for (int d = NT / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, NT);
    if (row < a.rows && lane == 0) {
      if (share.is_short) store(a, static_cast<Index>(row), sum);
      if constexpr (Dotted) {
        dot.v[0] += static_cast<double>(w[row]) * static_cast<double>(share.is_short ? sum : a.y[row]);
      }
    }
    first += static_cast<Offset>(blocks) * rows_per_block;
    if (Strided) share.fetch(a, first + place, lane, longest_short);
  } while (Strided && first < a.rows);
}

struct Pieces {
  int count;
  const CsrPlan<Cuda>::Piece* piece;
  double* partial;
  std::uint32_t* arrived;
};

/// One block for each piece of a long row; the block that comes last adds the row's pieces up in their order.
template <class T, class Pointer>
__device__ void long_row_piece(const Args<T, Pointer>& a, const Pieces& rows, int number) {
  __shared__ bool last;
  cuda::take_turn();
  const CsrPlan<Cuda>::Piece piece = rows.piece[number];
  const Pointer begin = static_cast<Pointer>(piece.begin), end = begin + piece.length;
  Sums<1> sum{};
#pragma unroll 4
  for (Pointer k = begin + static_cast<int>(threadIdx.x); k < end; k += cuda::block_threads) {
    sum.v[0] += static_cast<double>(__ldg(a.val + k)) * static_cast<double>(a.x[__ldg(a.col + k)]);
  }
  sum = cuda::block_sum(sum);
  if (threadIdx.x == 0) {
    rows.partial[number] = sum.v[0];
    last = cuda::arrives_last(rows.arrived + piece.first, static_cast<unsigned>(piece.pieces));
  }
  __syncthreads();
  if (!last) return;
  Sums<1> total{};
  for (int p = static_cast<int>(threadIdx.x); p < piece.pieces; p += cuda::block_threads) {
    total.v[0] += __ldcg(rows.partial + piece.first + p);
  }
  total = cuda::block_sum(total);
  if (threadIdx.x != 0) return;
  store(a, piece.row, static_cast<T>(total.v[0]));
  rows.arrived[piece.first] = 0;
}

/// y = alpha A x + beta y in one launch: the blocks that come first take the long rows, which take longest.
template <int NT, class T, class Pointer>
__global__ void __launch_bounds__(cuda::block_threads)
    product_kernel(Args<T, Pointer> a, int longest_short, Pieces rows) {
  const int block = static_cast<int>(blockIdx.x);
  if (block < rows.count) {
    long_row_piece(a, rows, block);
  } else {
    Sums<1> unused;
    short_rows<NT, false, false>(a, longest_short, block - rows.count, static_cast<int>(gridDim.x) - rows.count,
                                 static_cast<const T*>(nullptr), unused);
  }
}

template <class T, class Pointer>
__global__ void __launch_bounds__(cuda::block_threads) long_rows_kernel(Args<T, Pointer> a, Pieces rows) {
  long_row_piece(a, rows, static_cast<int>(blockIdx.x));
}

/// y = A x of the short rows, and w . y of all; long rows have their y already.
template <int NT, bool Strided, class T, class Pointer>
__global__ void __launch_bounds__(cuda::block_threads)
    dotted_kernel(Args<T, Pointer> a, int longest_short, const T* w, cuda::Reduction to) {
  Sums<1> dot{};
  short_rows<NT, Strided, true>(a, longest_short, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), w, dot);
  cuda::grid_sum(dot, to, [](const Sums<1>&) {});
}

template <int NT, bool Dotted, class T, class Pointer>
void launch_rows(const Cuda& space, const Args<T, Pointer>& a, int longest_short, const Pieces& rows, const T* w,
                 double* slot) {
  const std::size_t threads = static_cast<std::size_t>(a.rows) * NT;
  if constexpr (Dotted) {
    if (rows.count > 0) {
      cuda::launch(space, long_rows_kernel<T, Pointer>, rows.count, cuda::block_threads, 0, a, rows);
    }
    const int blocks = cuda::resident_blocks(space, threads);
    const bool strided = static_cast<std::size_t>(blocks) * cuda::block_threads < threads;
    cuda::launch(space, strided ? dotted_kernel<NT, true, T, Pointer> : dotted_kernel<NT, false, T, Pointer>, blocks,
                 cuda::block_threads, 0, a, longest_short, w, cuda::reduction(space, slot));
  } else {
    const std::size_t blocks =
        (threads + cuda::block_threads - 1) / cuda::block_threads + static_cast<std::size_t>(rows.count);
    cuda::launch(space, product_kernel<NT, T, Pointer>, static_cast<unsigned>(blocks), cuda::block_threads, 0, a,
                 longest_short, rows);
  }
}

template <bool Dotted, class T, class Pointer>
void launch(const Cuda& space, const CsrPlan<Cuda>& plan, const Args<T, Pointer>& a, const T* w, double* slot) {
  space.state().activate();
  const Pieces rows{static_cast<int>(plan.pieces.size()), plan.pieces.data(), const_cast<double*>(plan.partial.data()),
                    const_cast<std::uint32_t*>(plan.arrived.data())};
  const auto with = [&]<int NT>() { launch_rows<NT, Dotted>(space, a, plan.longest_short, rows, w, slot); };
  switch (plan.threads_per_row) {
    case 1:
      with.template operator()<1>();
      break;
    case 2:
      with.template operator()<2>();
      break;
    case 4:
      with.template operator()<4>();
      break;
    case 8:
      with.template operator()<8>();
      break;
    case 16:
      with.template operator()<16>();
      break;
    default:
      with.template operator()<32>();
      break;
  }
}

template <bool Dotted, class T>
void run(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y,
         const T* w, double* slot) {
  if (plan.row_ptr.size() > 0) {
    launch<Dotted>(space, plan,
                   Args<T, std::int32_t>{a.rows, plan.row_ptr.data(), a.col.data(), a.val.data(), alpha, x, beta, y}, w,
                   slot);
  } else {
    launch<Dotted>(space, plan,
                   Args<T, Offset>{a.rows, a.row_ptr.data(), a.col.data(), a.val.data(), alpha, x, beta, y}, w, slot);
  }
}

}  // namespace

template <class T>
CsrPlan<Cuda>::CsrPlan(const Cuda& space, const CsrView<T>& a, const Structure& s)
    : threads_per_row(threads_for(space, s)), longest_short(longest_share(share_count - 1) * threads_per_row) {
  const std::size_t rows = static_cast<std::size_t>(a.rows);
  // A step past the end of a row has to fit, too.
  if (a.nonzeros() <= std::numeric_limits<std::int32_t>::max() - cuda::block_threads) {
    row_ptr = Vector<Cuda, std::int32_t>(space, rows + 1);
    for_each(space, rows + 1, Narrow<Offset>{a.row_ptr.data(), row_ptr.data()});
  }
  if (s.longest_row > longest_share(0) * threads_per_row) {
    const LongRows found = find_long_rows(space, a.row_ptr.data(), rows, threads_per_row);
    longest_short = found.longest_short;
    take_pieces(space, cut_rows(found.rows));
  }
  space.wait();  // products may read from then on what doesn't change any more (overlap.cuh)
}

void CsrPlan<Cuda>::take_pieces(const Cuda& space, const std::vector<Piece>& cut) {
  pieces = Vector<Cuda, Piece>(space, cut);
  partial = Vector<Cuda, double>(space, cut.size());
  arrived = Vector<Cuda, std::uint32_t>(space, cut.size());
  if (!cut.empty()) space.zero(arrived.data(), arrived.bytes());
}

template <class T>
void csr_apply(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y) {
  if (a.rows > 0) run<false>(space, plan, a, alpha, x, beta, y, static_cast<const T*>(nullptr), nullptr);
}

template <class T>
void csr_apply_dot(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, const T* x, T* y, const T* w,
                   double* slot) {
  run<true>(space, plan, a, T{1}, x, T{0}, y, w, slot);
}

#define OSTINATO_INSTANTIATE(T)                                                                      \
  template CsrPlan<Cuda>::CsrPlan(const Cuda&, const CsrView<T>&, const Structure&);                 \
  template void csr_apply(const Cuda&, const CsrPlan<Cuda>&, const CsrView<T>&, T, const T*, T, T*); \
  template void csr_apply_dot(const Cuda&, const CsrPlan<Cuda>&, const CsrView<T>&, const T*, T*, const T*, double*)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::formats

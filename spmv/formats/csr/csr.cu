// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/csr/csr_plan.hpp>
#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::formats {

namespace {

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
  formats::detail::store_row(Product<T>{a.alpha, a.x, a.beta, a.y, a.y}, static_cast<std::size_t>(row), sum);
}

/// The entries of a row that one lane adds up. Their first `Ahead` columns and values are loaded at once, before x is
/// gathered.
template <int NT, int Ahead, class T, class Pointer>
struct LaneEntries {
  Pointer begin, end;
  bool is_short;
  Index col[Ahead > 0 ? Ahead : 1];
  T val[Ahead > 0 ? Ahead : 1];

  /// Loads the first entries. `row` may lie past the end.
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

/// Computes the share of the short rows that belongs to thread block `block`; NT threads of a warp share a row. Dotted
/// adds up w . y, too. With Strided, `blocks` thread blocks loop until all rows are done: more threads in flight, with
/// fewer registers each, are then worth more than entries loaded ahead.
template <int NT, bool Strided, bool Dotted, class T, class Pointer>
__device__ void short_rows(const Args<T, Pointer>& a, int longest_short, int block, int blocks, const T* w,
                           Sums<1>& dot) {
  constexpr int rows_per_block = cuda::block_threads / NT;
  const int lane = threadIdx.x % NT, place = threadIdx.x % 32 / NT;
  Offset first = static_cast<Offset>(block) * rows_per_block + threadIdx.x / 32 * (32 / NT);
  LaneEntries<NT, Strided ? 0 : 4, T, Pointer> share;
  share.fetch(a, first + place, lane, longest_short);
  cuda::pdl_trigger_and_wait();
  // All lanes of a warp stay in the loop until the warp's last row is done, because all of them take part in the
  // shuffles.
  do {
    const Offset row = first + place;
    T sum = share.sum(a);
#pragma unroll
    for (int d = NT / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, NT);
    if (row < a.rows && lane == 0) {
      if (share.is_short) store(a, static_cast<Index>(row), sum);
      if constexpr (Dotted) {
        dot.v[0] += product_of(w[row], share.is_short ? sum : a.y[row]);
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

/// One thread block adds up one piece of a long row. The thread block that finishes last adds the sums of the row's
/// pieces in their order.
template <class T, class Pointer>
__device__ void long_row_piece(const Args<T, Pointer>& a, const Pieces& rows, int number) {
  __shared__ bool last;
  cuda::pdl_trigger_and_wait();
  const CsrPlan<Cuda>::Piece piece = rows.piece[number];
  const Pointer begin = static_cast<Pointer>(piece.begin), end = begin + piece.length;
  Sums<1> sum{};
#pragma unroll 4
  for (Pointer k = begin + static_cast<int>(threadIdx.x); k < end; k += cuda::block_threads) {
    sum.v[0] += product_of(__ldg(a.val + k), a.x[__ldg(a.col + k)]);
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

/// y = alpha A x + beta y in one launch. The first thread blocks take the long rows, because these take longest.
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

/// y = A x for the short rows, and w . y for all rows; long_rows_kernel has stored y of the long rows before.
template <int NT, bool Strided, class T, class Pointer>
__global__ void __launch_bounds__(cuda::block_threads)
    dotted_kernel(Args<T, Pointer> a, int longest_short, const T* w, cuda::Reduction to) {
  Sums<1> dot{};
  short_rows<NT, Strided, true>(a, longest_short, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), w, dot);
  cuda::grid_sum(dot, to, [](const Sums<1>&) {});
}

template <int NT, bool Dotted, class T, class Pointer>
void launch_rows(const Cuda& space, const Args<T, Pointer>& a, int longest_short, const Pieces& rows, const T* w,
                 Slot<T> slot) {
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
void launch(const Cuda& space, const CsrPlan<Cuda>& plan, const Args<T, Pointer>& a, const T* w, Slot<T> slot) {
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
         const T* w, Slot<T> slot) {
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
void csr_apply(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y) {
  if (a.rows > 0) run<false>(space, plan, a, alpha, x, beta, y, static_cast<const T*>(nullptr), nullptr);
}

template <class T>
void csr_apply_dot(const Cuda& space, const CsrPlan<Cuda>& plan, const CsrView<T>& a, const T* x, T* y, const T* w,
                   Slot<T> slot) {
  run<true>(space, plan, a, T{1}, x, T{0}, y, w, slot);
}

#define OSTINATO_INSTANTIATE(T)                                                                      \
  template void csr_apply(const Cuda&, const CsrPlan<Cuda>&, const CsrView<T>&, T, const T*, T, T*); \
  template void csr_apply_dot(const Cuda&, const CsrPlan<Cuda>&, const CsrView<T>&, const T*, T*, const T*, double*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::formats

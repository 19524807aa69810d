// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The textbook formats on Cuda: the kernels, and instances of the functors that for_each() and sum() run.

#include <ostinato/bench/formats/textbook/bsr_view.hpp>
#include <ostinato/bench/formats/textbook/coo_view.hpp>
#include <ostinato/bench/formats/textbook/csr_vector.hpp>
#include <ostinato/bench/formats/textbook/ell_view.hpp>
#include <ostinato/bench/formats/textbook/hdi_view.hpp>
#include <ostinato/bench/formats/textbook/hyb_view.hpp>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

namespace formats {

namespace {

constexpr int warp = 32;
constexpr unsigned all_lanes = 0xffffffffu;

/// The number of this warp in the grid.
__device__ Offset warp_number() { return (static_cast<Offset>(blockIdx.x) * cuda::block_threads + threadIdx.x) / warp; }

dim3 blocks_of_warps(Offset warps) {
  constexpr int per_block = cuda::block_threads / warp;
  return dim3(static_cast<unsigned>((warps + per_block - 1) / per_block));
}

template <class T>
__global__ void __launch_bounds__(cuda::block_threads) vector_kernel(detail::CsrArrays<T> a, Product<T> p) {
  cuda::pdl_trigger();
  const Offset row = warp_number();
  const int lane = threadIdx.x % warp;
  if (row >= a.rows) return cuda::pdl_wait();
  const Offset begin = a.row_ptr[row], end = a.row_ptr[row + 1];
  cuda::pdl_wait();
  T sum = 0;
  for (Offset k = begin + lane; k < end; k += warp) sum = fma(a.val[k], p.x[a.col[k]], sum);
  for (int d = warp / 2; d > 0; d /= 2) sum += __shfl_down_sync(all_lanes, sum, d);
  if (lane == 0) detail::store_row(p, static_cast<std::size_t>(row), sum);
}

/// Stores the sum of a row: in y when the row begins in the chunk, or else as the chunk's carry.
template <class T>
struct RowSums {
  Index carried;  ///< the row that began in an earlier chunk; -1 when there is none
  T alpha;
  T* y;
  T* carry;

  __device__ void close(Index row, T sum) const {
    if (row == carried) {
      *carry = sum;
    } else {
      y[row] += alpha * sum;
    }
  }
};

/// A segmented inclusive scan: the sum of `v` over the lanes up to this lane with the same row. Rows ascend from lane
/// to lane.
template <class T>
__device__ T sum_within_row(Index row, T v, int lane) {
  for (int d = 1; d < warp; d *= 2) {
    const T before = __shfl_up_sync(all_lanes, v, d);
    const Index its_row = __shfl_up_sync(all_lanes, row, d);
    if (lane >= d && its_row == row) v += before;
  }
  return v;
}

/// A warp adds up a chunk, 32 entries at a time. The last lane's row stays open: lane 0 adds the open sum to the next
/// 32 entries.
template <class T>
__global__ void __launch_bounds__(cuda::block_threads)
    coo_kernel(detail::CooView<T> a, T alpha, const T* x, T* y, T* carry) {
  cuda::pdl_trigger();
  const Offset chunk = warp_number(), begin = chunk * detail::coo_chunk;
  const int lane = threadIdx.x % warp;
  if (begin >= a.count) return cuda::pdl_wait();
  const Offset end = min(begin + detail::coo_chunk, a.count);
  const RowSums<T> sums{a.continues(chunk) ? a.row[begin] : -1, alpha, y, carry + chunk};
  cuda::pdl_wait();
  Index open_row = -1;
  T open_sum = 0;
  for (Offset first = begin; first < end; first += warp) {
    const Offset k = first + lane;
    const Index row = k < end ? a.row[k] : -1;
    T v = k < end ? a.val[k] * x[a.col[k]] : T{0};
    if (lane == 0 && row == open_row) v += open_sum;
    if (lane == 0 && row != open_row && open_row >= 0) sums.close(open_row, open_sum);
    v = sum_within_row(row, v, lane);
    const Index next = __shfl_down_sync(all_lanes, row, 1);
    if (lane < warp - 1 && row >= 0 && next != row) sums.close(row, v);
    open_row = __shfl_sync(all_lanes, row, warp - 1);
    open_sum = __shfl_sync(all_lanes, v, warp - 1);
  }
  if (lane == 0 && open_row >= 0) sums.close(open_row, open_sum);
}

}  // namespace

template <class T>
void csr_vector_apply(const Cuda& space, const detail::CsrArrays<T>& a, const Product<T>& p) {
  if (a.rows == 0) return;
  cuda::launch(space, vector_kernel<T>, blocks_of_warps(a.rows), dim3(cuda::block_threads), 0, a, p);
}

template <class T>
void coo_add(const Cuda& space, const detail::CooView<T>& a, T alpha, const T* x, T* y, T* carry) {
  if (a.count == 0) return;
  cuda::launch(space, coo_kernel<T>, blocks_of_warps(a.chunks()), dim3(cuda::block_threads), 0, a, alpha, x, y, carry);
  for_each(space, static_cast<std::size_t>(a.chunks()), detail::AddCarries<T>{a, carry, alpha, y});
}

}  // namespace formats

#define OSTINATO_EACH(...) template void for_each(const Cuda&, std::size_t, formats::detail::__VA_ARGS__)

#define OSTINATO_OVER_ENTRIES(...) OSTINATO_EACH(OverEntries<formats::detail::__VA_ARGS__>)

#define OSTINATO_INSTANTIATE_BASELINE_PATTERNS() \
  OSTINATO_EACH(FillRowOf);                      \
  OSTINATO_EACH(CountRest);                      \
  OSTINATO_EACH(CountBlocks);                    \
  OSTINATO_OVER_ENTRIES(MarkFirsts);             \
  OSTINATO_OVER_ENTRIES(FillBlockCol)

#define OSTINATO_INSTANTIATE_BASELINES(T)                                                                        \
  OSTINATO_EACH(PlainRow<T>);                                                                                    \
  OSTINATO_EACH(FillEll<T>);                                                                                     \
  OSTINATO_EACH(EllRow<T>);                                                                                      \
  OSTINATO_EACH(ScaleRow<T>);                                                                                    \
  OSTINATO_EACH(FillRest<T>);                                                                                    \
  OSTINATO_OVER_ENTRIES(FillBsr<T>);                                                                             \
  OSTINATO_EACH(BsrRow<2, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<3, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<4, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<5, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<6, T>);                                                                                   \
  OSTINATO_EACH(BsrRow<8, T>);                                                                                   \
  OSTINATO_EACH(FillHdi<T>);                                                                                     \
  OSTINATO_EACH(HdiRow<T>);                                                                                      \
  template void formats::csr_vector_apply(const Cuda&, const formats::detail::CsrArrays<T>&, const Product<T>&); \
  template void formats::coo_add(const Cuda&, const formats::detail::CooView<T>&, T, const T*, T*, T*)

OSTINATO_INSTANTIATE_BASELINE_PATTERNS();
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE_BASELINES);

}  // namespace ostinato

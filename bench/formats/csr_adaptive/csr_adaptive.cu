// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/bench/formats/csr_adaptive/row_blocks.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/int32_offsets.hpp>
#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

namespace formats {

namespace {

static_assert(stream_rows == cuda::block_threads);

/// CSR-Stream: the products of all entries go to shared memory, then threads add up the rows.
template <class T>
__device__ void stream(const RowBlockView<T>& a, const RowBlock& block, const Product<T>& p) {
  __shared__ T products[stream_entries];
  const int thread = static_cast<int>(threadIdx.x);
  for (int k = thread; k < block.length; k += cuda::block_threads)
    products[k] = a.val[block.begin + k] * p.x[a.col[block.begin + k]];
  __syncthreads();
  int lanes = 1;  // threads of a warp that share a row
  while (lanes < 32 && 2 * lanes * block.rows <= cuda::block_threads) lanes *= 2;
  const int row = thread / lanes, lane = thread % lanes;
  T sum = 0;
  if (row < block.rows) {
    const int end = a.row_ptr[block.row + row + 1] - block.begin;
    for (int k = a.row_ptr[block.row + row] - block.begin + lane; k < end; k += lanes) sum += products[k];
  }
  for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, lanes);
  if (row < block.rows && lane == 0) detail::store_row(p, static_cast<std::size_t>(block.row + row), sum);
}

/// CSR-Vector and CSR-VectorL: the thread block adds up a row or a piece of one. The thread block that finishes last
/// adds the sums of the row's pieces in their order.
template <class T>
__device__ void vector(const RowBlockView<T>& a, const RowBlock& block, const Product<T>& p) {
  __shared__ bool last;
  Sums<1> sum{};
  for (int k = static_cast<int>(threadIdx.x); k < block.length; k += cuda::block_threads)
    sum.v[0] += product_of(a.val[block.begin + k], p.x[a.col[block.begin + k]]);
  sum = cuda::block_sum(sum);
  const auto row = static_cast<std::size_t>(block.row);
  if (block.pieces == 1) {
    if (threadIdx.x == 0) detail::store_row(p, row, static_cast<T>(sum.v[0]));
    return;
  }
  if (threadIdx.x == 0) {
    a.partial[block.first + (block.begin - a.row_ptr[row]) / vector_entries] = sum.v[0];
    last = cuda::arrives_last(a.arrived + block.first, static_cast<unsigned>(block.pieces));
  }
  __syncthreads();
  if (!last) return;
  Sums<1> total{};
  for (int k = static_cast<int>(threadIdx.x); k < block.pieces; k += cuda::block_threads)
    total.v[0] += __ldcg(a.partial + block.first + k);
  total = cuda::block_sum(total);
  if (threadIdx.x != 0) return;
  detail::store_row(p, row, static_cast<T>(total.v[0]));
  a.arrived[block.first] = 0;
}

template <class T>
__global__ void __launch_bounds__(cuda::block_threads) adaptive_kernel(RowBlockView<T> a, Product<T> p) {
  cuda::pdl_trigger_and_wait();
  const RowBlock block = a.block[blockIdx.x];
  if (block.rows > 1) {
    stream(a, block, p);
  } else {
    vector(a, block, p);
  }
}

}  // namespace

template <class T>
void csr_adaptive_apply(const Cuda& space, const RowBlockView<T>& a, const Product<T>& p) {
  if (a.blocks == 0) return;
  cuda::launch(space, adaptive_kernel<T>, dim3(static_cast<unsigned>(a.blocks)), dim3(cuda::block_threads), 0, a, p);
}

#define OSTINATO_INSTANTIATE(T) template void csr_adaptive_apply(const Cuda&, const RowBlockView<T>&, const Product<T>&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace formats

template void for_each(const Cuda&, std::size_t, formats::detail::ToInt32);

}  // namespace ostinato

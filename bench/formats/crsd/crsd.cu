// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/bench/formats/crsd/crsd_view.hpp>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::formats {

namespace {

using namespace detail;

constexpr int segments_of_block = cuda::block_threads / segment_rows;
constexpr int staged = 32;  ///< adjacent diagonals for which x is copied to shared memory at once

/// Adds the terms of `count` adjacent diagonals to the sum of the lane's row, the first column of which is `column` in
/// row 0 of the segment. Every lane of the warp takes part.
template <class T>
__device__ void add_adjacent(Index rows, Index cols, Offset column, int count, const T* val, const T* x, T* window,
                             int lane, T& sum) {
  __syncwarp();
  for (int k = lane; k < rows + count - 1; k += segment_rows) {
    const Offset j = column + k;
    window[k] = j >= 0 && j < cols ? x[j] : T{0};
  }
  __syncwarp();
  if (lane >= rows) return;
  for (int c = 0; c < count; ++c) sum = fma(val[Offset{c} * rows], window[lane + c], sum);
}

/// The sum of the lane's row of a segment.
template <class T>
__device__ T segment_row(const CrsdView<T>& a, Offset segment, const T* x, T* window, int lane) {
  const Index rows = a.rows_of(segment), pattern = a.pattern[segment];
  const Offset first = segment * segment_rows;
  const T* val = a.val + a.start[segment] + lane;
  T sum = 0;
  for (Index g = a.group_ptr[pattern]; g < a.group_ptr[pattern + 1]; ++g) {
    const CrsdGroup group = a.group[g];
    const Offset column = first + group.offset;
    if (group.count == 1) {
      const Offset j = column + lane;
      if (lane < rows && j >= 0 && j < a.cols) sum = fma(*val, x[j], sum);
      val += rows;
      continue;
    }
    for (Index c = 0; c < group.count; c += staged) {
      const int count = min(staged, group.count - c);
      add_adjacent(rows, a.cols, column + c, count, val, x, window, lane, sum);
      val += Offset{count} * rows;
    }
  }
  return sum;
}

/// A warp takes a segment. Behind the thread blocks of the segments come those of the scattered rows, a thread a row.
template <class T>
__global__ void __launch_bounds__(cuda::block_threads) crsd_kernel(CrsdView<T> a, Product<T> p, unsigned of_segments) {
  __shared__ T windows[segments_of_block][segment_rows + staged - 1];
  cuda::pdl_trigger_and_wait();
  if (blockIdx.x >= of_segments) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x - of_segments) * cuda::block_threads + threadIdx.x;
    if (i < static_cast<std::size_t>(a.scattered)) CrsdScatterRow<T>{a, p}(i);
    return;
  }
  const int lane = static_cast<int>(threadIdx.x % segment_rows), warp = static_cast<int>(threadIdx.x / segment_rows);
  const Offset segment = static_cast<Offset>(blockIdx.x) * segments_of_block + warp;
  if (segment >= a.segments()) return;
  const T sum = segment_row(a, segment, p.x, windows[warp], lane);
  if (lane < a.rows_of(segment) && (a.taken[segment] >> lane & 1) == 0)
    store_row(p, static_cast<std::size_t>(segment * segment_rows + lane), sum);
}

unsigned blocks_of(Offset work, int of_block) { return static_cast<unsigned>((work + of_block - 1) / of_block); }

}  // namespace

template <class T>
void crsd_apply(const Cuda& space, const CrsdView<T>& a, const Product<T>& p) {
  if (a.rows == 0) return;
  const unsigned of_segments = blocks_of(a.segments(), segments_of_block);
  cuda::launch(space, crsd_kernel<T>, dim3(of_segments + blocks_of(a.scattered, cuda::block_threads)),
               dim3(cuda::block_threads), 0, a, p, of_segments);
}

#define OSTINATO_INSTANTIATE(T) template void crsd_apply(const Cuda&, const CrsdView<T>&, const Product<T>&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::formats

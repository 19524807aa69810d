// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/groups_rows.hpp>

#include <algorithm>

#include <ostinato/spmv/space/cuda/lane_group.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>

namespace ostinato::algebraic {

namespace {

using cuda::block_threads;

constexpr int terms_of_lane = 8;  // in the table of a row

// Each group of lanes has one row. Thread blocks that begin one after the other were faster than as many as the GPU
// holds at once, going on from row to row (H100, 2026-11: 2.8 ms instead of 3.1 for the first pass of poisson3d:256).

template <int Lanes>
constexpr int groups_of_block = block_threads / Lanes;

/// The row of the calling thread's group of lanes; there may be none.
template <int Lanes>
__device__ std::size_t row_of_group() {
  return std::size_t{blockIdx.x} * groups_of_block<Lanes> + threadIdx.x / Lanes;
}

template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads) collapse_kernel(std::size_t rows, CollapseRow<T> f) {
  constexpr int groups = groups_of_block<Lanes>, most = terms_of_lane * Lanes;
  constexpr int stride = most + 4;  // so that the tables of a warp begin in different banks
  __shared__ alignas(16) Index col[groups * stride], first[groups * stride];
  __shared__ T val[groups * stride];
  cuda::pdl_trigger_and_wait();
  const std::size_t i = row_of_group<Lanes>();
  if (i >= rows) return;
  const cuda::LaneGroup<Lanes> group;
  if (f.begin[i + 1] - f.begin[i] <= most) {
    const int mine = static_cast<int>(threadIdx.x) / Lanes * stride;
    TermTable<T>{col + mine, val + mine, first + mine}.collapse(group, f, i);
  } else if (group.lane() == 0) {
    f(i);
  }
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

/// Lanes for rows of `all` elements together, of which a lane takes two.
int lanes_of_row(Offset all, std::size_t rows) { return cuda::lanes_for(all / static_cast<Offset>(rows) / 2, 4); }

}  // namespace

template <class T>
void collapse_rows(const Cuda& space, std::size_t rows, Offset terms, const CollapseRow<T>& f) {
  if (rows == 0) return;
  cuda::with_lanes(lanes_of_row(terms, rows), [&](auto lanes) {
    constexpr int count = std::max(4, static_cast<int>(lanes));
    cuda::launch(space, collapse_kernel<T, count>, blocks_of<count>(rows), block_threads, 0, rows, f);
  });
}

template <class T>
void move_rows(const Cuda& space, std::size_t rows, Offset entries, const MoveRow<T>& f) {
  if (rows == 0) return;
  cuda::with_lanes(lanes_of_row(entries, rows), [&](auto lanes) {
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

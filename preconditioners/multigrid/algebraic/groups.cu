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

template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads) collapse_kernel(Index rows, CollapseRow<T> f) {
  constexpr int groups = block_threads / Lanes, most = terms_of_lane * Lanes;
  constexpr int stride = most + 1;  // so that the tables of a warp begin in different banks
  __shared__ Index col[groups * stride], first[groups * stride];
  __shared__ T val[groups * stride];
  cuda::pdl_trigger_and_wait();
  const cuda::LaneGroup<Lanes> group;
  const int mine = static_cast<int>(threadIdx.x) / Lanes;
  const TermTable<T> table{col + mine * stride, val + mine * stride, first + mine * stride};
  const Offset step = static_cast<Offset>(gridDim.x) * groups;
  for (Offset at = static_cast<Offset>(blockIdx.x) * groups + mine; at < rows; at += step) {
    const auto i = static_cast<std::size_t>(at);
    if (f.begin[i + 1] - f.begin[i] <= most) {
      table.collapse(group, f, i);
    } else if (group.lane() == 0) {
      f(i);
    }
  }
}

template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads) move_kernel(Index rows, MoveRow<T> f) {
  constexpr int groups = block_threads / Lanes;
  cuda::pdl_trigger_and_wait();
  const Offset step = static_cast<Offset>(gridDim.x) * groups;
  for (Offset at = static_cast<Offset>(blockIdx.x) * groups + static_cast<int>(threadIdx.x) / Lanes; at < rows;
       at += step)
    f.move(static_cast<std::size_t>(at), cuda::LaneGroup<Lanes>::lane(), Lanes);
}

/// Lanes for rows of `all` elements together, of which a lane takes two.
int lanes_of_row(Offset all, std::size_t rows) { return cuda::lanes_for(all / static_cast<Offset>(rows) / 2, 4); }

}  // namespace

template <class T>
void collapse_rows(const Cuda& space, std::size_t rows, Offset terms, const CollapseRow<T>& f) {
  if (rows == 0) return;
  cuda::with_lanes(lanes_of_row(terms, rows), [&](auto lanes) {
    constexpr int count = std::max(4, static_cast<int>(lanes));
    cuda::launch(space, collapse_kernel<T, count>,
                 cuda::blocks_for(space, static_cast<Offset>(rows), block_threads / count), block_threads, 0,
                 static_cast<Index>(rows), f);
  });
}

template <class T>
void move_rows(const Cuda& space, std::size_t rows, Offset entries, const MoveRow<T>& f) {
  if (rows == 0) return;
  cuda::with_lanes(lanes_of_row(entries, rows), [&](auto lanes) {
    constexpr int count = std::max(4, static_cast<int>(lanes));
    cuda::launch(space, move_kernel<T, count>,
                 cuda::blocks_for(space, static_cast<Offset>(rows), block_threads / count), block_threads, 0,
                 static_cast<Index>(rows), f);
  });
}

#define OSTINATO_INSTANTIATE(T)                                                         \
  template void collapse_rows(const Cuda&, std::size_t, Offset, const CollapseRow<T>&); \
  template void move_rows(const Cuda&, std::size_t, Offset, const MoveRow<T>&)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::algebraic

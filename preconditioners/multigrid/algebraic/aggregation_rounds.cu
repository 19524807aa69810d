// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggregation_rounds.hpp>

#include <algorithm>

#include <ostinato/spmv/space/cuda/for_each_row.cuh>

namespace ostinato::algebraic {

namespace {

constexpr int threads = 1024, warps = threads / 32, lanes = 4;

/// Calls use(i, v) for the rows of a functor of for_each_row. All threads of the block call this function.
template <class F, class Use>
__device__ void visit_all_rows(const F& f, const cuda::RowsOfWarp& rows, Use use) {
  const auto of_warp = static_cast<std::size_t>(rows.turns * cuda::RowsOfWarp::groups<lanes>());
  for (std::size_t number = threadIdx.x / 32; number * of_warp < rows.rows; number += warps)
    cuda::visit_rows<lanes>(f, number, rows, use);
}

__global__ void __launch_bounds__(threads)
    decide_kernel(cuda::RowsOfWarp rows, detail::CsrPattern graph, std::uint64_t* nearest, std::uint32_t* key) {
  cuda::pdl_trigger_and_wait();
  for (int round = 0;; ++round) {
    const FindNearest find{graph, key, nearest};
    visit_all_rows(find, rows, [&](std::size_t i, const FindNearest::Value& v) { find.finish(i, v); });
    __syncthreads();
    const DecideRoots decide{graph, nearest, round, key};
    bool is_left = false;
    visit_all_rows(decide, rows, [&](std::size_t i, const DecideRoots::Value& v) {
      is_left = decide.finish(i, v).v[0] > 0 || is_left;
    });
    if (__syncthreads_or(is_left) == 0) return;
  }
}

}  // namespace

void decide_all_roots(const Cuda& space, const detail::CsrPattern& graph, std::uint64_t* nearest, std::uint32_t* key) {
  const int rows_at_once = warps * cuda::RowsOfWarp::groups<lanes>();
  const int turns = std::clamp((graph.rows + rows_at_once - 1) / rows_at_once, 1, lanes);
  const cuda::RowsOfWarp rows{static_cast<std::size_t>(graph.rows), turns};
  cuda::launch(space, decide_kernel, 1, threads, 0, rows, graph, nearest, key);
}

}  // namespace ostinato::algebraic

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_steps.hpp>

#include <algorithm>

#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/cuda/rendezvous.cuh>

namespace ostinato {

namespace multigrid {

namespace {

/// The last thread block waits for the other ranks.
template <class Unit>
__global__ void __launch_bounds__(cuda::block_threads)
    copy_for_ranks_kernel(const __grid_constant__ ostinato::detail::RendezvousView at,
                          const __grid_constant__ CopyRuns<Unit> runs, std::size_t n) {
  cuda::pdl_trigger_and_wait();
  const std::uint64_t met = cuda::times_met(at);
  const int rank = static_cast<int>(threadIdx.x);
  const std::size_t stride = std::size_t{gridDim.x} * cuda::block_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * cuda::block_threads + threadIdx.x; i < n; i += stride) runs(i);
  cuda::is_written_for_ranks();
  if (!cuda::is_last_to_leave(at)) return;
  if (rank < at.ranks && cuda::is_partner(at, rank)) {
    cuda::say(at, met, rank);
    cuda::hear(at, met, rank);
  }
  __syncthreads();
  if (threadIdx.x == 0) cuda::part(at, met);
}

}  // namespace

template <class Unit>
void copy_for_ranks(const Cuda& space, const ostinato::detail::RendezvousView& at, const CopyRuns<Unit>& runs,
                    std::size_t n) {
  const auto most = static_cast<std::size_t>(space.multiprocessors());
  const std::size_t blocks = std::clamp<std::size_t>((n + cuda::block_threads - 1) / cuda::block_threads, 1, most);
  cuda::launch(space, copy_for_ranks_kernel<Unit>, static_cast<unsigned>(blocks), cuda::block_threads, 0, at, runs, n);
}

template void copy_for_ranks(const Cuda&, const ostinato::detail::RendezvousView&, const CopyRuns<float>&, std::size_t);
template void copy_for_ranks(const Cuda&, const ostinato::detail::RendezvousView&, const CopyRuns<SixteenBytes>&,
                             std::size_t);

__device__ Sums<1> SumsThere::sum_of_block(std::size_t begin, std::size_t) const {
  return {{__ldcg(sums + begin / sum_block)}};
}

}  // namespace multigrid

OSTINATO_PARTS_OF_ON_CUDA(multigrid::SumsThere)

OSTINATO_FOR_EACH_OF_ON_CUDA(multigrid::CopyRuns<float>)
OSTINATO_FOR_EACH_OF_ON_CUDA(multigrid::CopyRuns<multigrid::SixteenBytes>)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::OnSlab<multigrid::Enter<float>>)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::OnSlab<multigrid::Enter<double>>)

#define OSTINATO_ON_CUDA(...)                                                           \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::OnSlab<multigrid::Residual<__VA_ARGS__>>)     \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::OnSlab<multigrid::Smooth<__VA_ARGS__>>)       \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::OnSlab<multigrid::Leave<__VA_ARGS__, float>>) \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::OnSlab<multigrid::Leave<__VA_ARGS__, double>>)
OSTINATO_STENCIL_SHAPES(OSTINATO_ON_CUDA)
OSTINATO_ON_CUDA(multigrid::Wrapped)
#undef OSTINATO_ON_CUDA

#define OSTINATO_ON_CUDA(axes)                                               \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::OnSlab<multigrid::Restrict<axes>>) \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::OnSlab<multigrid::InterpolateNear<axes>>)
OSTINATO_MULTIGRID_HALVINGS(OSTINATO_ON_CUDA)
#undef OSTINATO_ON_CUDA

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_steps.hpp>

#include <algorithm>

#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/cuda/rendezvous.cuh>

namespace ostinato {

namespace multigrid {

namespace {

/// The last thread block waits for the other ranks; with `meets_first` all do, each of which has to know that it may
/// write.
template <class Unit>
__global__ void __launch_bounds__(cuda::block_threads)
    copy_for_ranks_kernel(const __grid_constant__ ostinato::detail::RendezvousView at,
                          const __grid_constant__ CopyRuns<Unit> runs, std::size_t n, bool meets_first) {
  cuda::pdl_trigger_and_wait();
  std::uint64_t met = cuda::times_met(at);
  const int rank = static_cast<int>(threadIdx.x);
  const bool has_partner = rank < at.ranks && cuda::is_partner(at, rank);
  if (meets_first) {
    if (has_partner && blockIdx.x == 0) cuda::say(at, met, rank);
    if (has_partner) cuda::hear(at, met, rank);
    ++met;
    __syncthreads();
  }
  const std::size_t stride = std::size_t{gridDim.x} * cuda::block_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * cuda::block_threads + threadIdx.x; i < n; i += stride) runs(i);
  cuda::is_written_for_ranks();
  if (!cuda::is_last_to_leave(at)) return;
  if (has_partner) {
    cuda::say(at, met, rank);
    cuda::hear(at, met, rank);
  }
  __syncthreads();
  if (threadIdx.x == 0) cuda::part(at, met);
}

}  // namespace

template <class Unit>
void copy_for_ranks(const Cuda& space, const ostinato::detail::RendezvousView& at, const CopyRuns<Unit>& runs,
                    std::size_t n, bool meets_first) {
  // Thread blocks that wait are few where kernels don't overlap, since the other ranks may need the same GPU.
  constexpr std::size_t few = 8;
  const auto most = meets_first && !space.state().overlaps ? few : static_cast<std::size_t>(space.multiprocessors());
  const std::size_t blocks = std::clamp<std::size_t>((n + cuda::block_threads - 1) / cuda::block_threads, 1, most);
  cuda::launch(space, copy_for_ranks_kernel<Unit>, static_cast<unsigned>(blocks), cuda::block_threads, 0, at, runs, n,
               meets_first);
}

template void copy_for_ranks(const Cuda&, const ostinato::detail::RendezvousView&, const CopyRuns<float>&, std::size_t,
                             bool);
template void copy_for_ranks(const Cuda&, const ostinato::detail::RendezvousView&, const CopyRuns<SixteenBytes>&,
                             std::size_t, bool);

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

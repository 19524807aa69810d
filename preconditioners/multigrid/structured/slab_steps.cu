// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

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

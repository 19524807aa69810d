// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_OF_ON_CUDA(multigrid::DenseProduct)
#define OSTINATO_INSTANTIATE(T) template void for_grid(const Cuda&, const Extents&, multigrid::Enter<T>)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::Unscale)
template void sum(const Cuda&, std::size_t, multigrid::RandomError, double*);
template void sum(const Cuda&, std::size_t, multigrid::Correct, double*);

#define OSTINATO_ON_CUDA(...)                                        \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::Residual<__VA_ARGS__>)     \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::Smooth<__VA_ARGS__>)       \
  OSTINATO_SUM_GRID_OF_ON_CUDA(multigrid::Leave<__VA_ARGS__, float>) \
  OSTINATO_SUM_GRID_OF_ON_CUDA(multigrid::Leave<__VA_ARGS__, double>)
OSTINATO_STENCIL_SHAPES(OSTINATO_ON_CUDA)
OSTINATO_ON_CUDA(multigrid::Wrapped)
#undef OSTINATO_ON_CUDA

#define OSTINATO_ON_CUDA(axes)                            \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::Restrict<axes>) \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::Interpolate<axes>)
OSTINATO_MULTIGRID_HALVINGS(OSTINATO_ON_CUDA)
#undef OSTINATO_ON_CUDA
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::RestrictAround)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::InterpolateAround)

}  // namespace ostinato

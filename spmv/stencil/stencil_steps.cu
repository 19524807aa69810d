// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/stencil/stencil_steps.hpp>

namespace ostinato {

#define OSTINATO_ON_CUDA(...)                                          \
  OSTINATO_STENCIL_ON_CUDA(detail::StencilProduct<__VA_ARGS__, float>) \
  OSTINATO_STENCIL_ON_CUDA(detail::StencilProduct<__VA_ARGS__, double>)
#define OSTINATO_STENCIL_ON_CUDA(...)       \
  OSTINATO_FOR_GRID_OF_ON_CUDA(__VA_ARGS__) \
  OSTINATO_SUM_GRID_OF_ON_CUDA(__VA_ARGS__)
#define OSTINATO_MIXED_ON_CUDA(...) OSTINATO_SUM_GRID_OF_ON_CUDA(detail::StencilProduct<__VA_ARGS__, double, float>)
OSTINATO_STENCIL_SHAPES(OSTINATO_ON_CUDA)
OSTINATO_STENCIL_SHAPES(OSTINATO_MIXED_ON_CUDA)
#define OSTINATO_FOURS_ON_CUDA(...) OSTINATO_SUM_GRID_OF_ON_CUDA(detail::StencilProductOfFours<__VA_ARGS__, double>)
OSTINATO_STENCIL_SHAPES(OSTINATO_FOURS_ON_CUDA)
#undef OSTINATO_FOURS_ON_CUDA
OSTINATO_ON_CUDA(detail::Wrapped)
OSTINATO_MIXED_ON_CUDA(detail::Wrapped)
#undef OSTINATO_MIXED_ON_CUDA
#undef OSTINATO_STENCIL_ON_CUDA
#undef OSTINATO_ON_CUDA
OSTINATO_SUM_GRID_OF_ON_CUDA(detail::AccurateStencilResidual<float>)
OSTINATO_SUM_GRID_OF_ON_CUDA(detail::AccurateStencilResidual<double>)

}  // namespace ostinato

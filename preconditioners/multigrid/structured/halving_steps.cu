// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/halving_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

#define OSTINATO_ON_CUDA(...) \
  template void for_grid(const Cuda&, const Extents&, multigrid::SolveHalvedWeights<__VA_ARGS__>);
OSTINATO_HALVED_SHAPES(OSTINATO_ON_CUDA)
#undef OSTINATO_ON_CUDA
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::GalerkinOfPoint<false>)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::GalerkinOfPoint<true>)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::ScaleHalvedWeights<2>)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::ScaleHalvedWeights<3>)

}  // namespace ostinato

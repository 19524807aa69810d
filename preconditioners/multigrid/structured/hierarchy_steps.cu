// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/hierarchy_steps.hpp>
#include <ostinato_generated/parallel_cuda.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(multigrid::ReadClasses)
OSTINATO_SUM_ON_CUDA(multigrid::CountDeviants)
OSTINATO_FOR_EACH_ON_CUDA(multigrid::FillStencil)
OSTINATO_SUM_GRID_OF_ON_CUDA(multigrid::MeasureStrength<Cuda>)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::SolveWeights)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::Galerkin)
OSTINATO_FOR_EACH_OF_ON_CUDA(multigrid::InverseRoot)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::ScaleStencil)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::ScaleWeights)
OSTINATO_FOR_EACH_ON_CUDA(multigrid::RoundScaled)

}  // namespace ostinato

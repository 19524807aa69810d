// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/hierarchy_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(multigrid::ReadClasses)
OSTINATO_SUM_ON_CUDA(multigrid::CountDeviants)
OSTINATO_SUM_ON_CUDA(multigrid::CountUneven)
OSTINATO_SUM_GRID_OF_ON_CUDA(multigrid::CountUnevenPoints<float>)
OSTINATO_SUM_GRID_OF_ON_CUDA(multigrid::CountUnevenPoints<double>)
OSTINATO_FOR_EACH_ON_CUDA(multigrid::FillStencil)
OSTINATO_SUM_GRID_OF_ON_CUDA(multigrid::MeasureStrength<Cuda>)
OSTINATO_FOR_EACH_OF_ON_CUDA(multigrid::CloseAxes)
OSTINATO_FOR_EACH_OF_ON_CUDA(multigrid::InverseRoot)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::GalerkinAround)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::RoundRows<float>)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::RoundRows<double>)

#define OSTINATO_ON_CUDA(wraps)                                \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::SolveWeights<wraps>) \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::ScaleStencil<wraps>) \
  OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::ScaleWeights<wraps>)
OSTINATO_ON_CUDA(false)
OSTINATO_ON_CUDA(true)
#undef OSTINATO_ON_CUDA

}  // namespace ostinato

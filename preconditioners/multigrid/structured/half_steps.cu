// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/half_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_SUM_GRID_OF_ON_CUDA(multigrid::RoundOperator)
OSTINATO_FOR_GRID_OF_ON_CUDA(multigrid::CoarseRoot)

#define OSTINATO_FOR_HALF_GRID(...) OSTINATO_FOR_GRID_OF_ON_CUDA(__VA_ARGS__)
#define OSTINATO_SUM_HALF_GRID(...) OSTINATO_SUM_GRID_OF_ON_CUDA(__VA_ARGS__)
OSTINATO_MULTIGRID_HALF_STEPS
#undef OSTINATO_FOR_HALF_GRID
#undef OSTINATO_SUM_HALF_GRID

}  // namespace ostinato

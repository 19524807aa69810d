// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::FillNearNull)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountTentative)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::FillTentative)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::CountStrongEntries)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::FillSmoothing)

}  // namespace ostinato

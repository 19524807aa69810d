// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ROW_ON_CUDA(algebraic::MarkStrong)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::MarkBeside)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountDependent<Atomic<Cuda>>)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::BeginSplit)
OSTINATO_FOR_EACH_ROW_OF_ON_CUDA(algebraic::MarkBeaten<Atomic<Cuda>>)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::TakeCoarse)
OSTINATO_SUM_ROWS_OF_ON_CUDA(algebraic::TakeFine<Atomic<Cuda>>)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountCoarse)

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggregation_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(algebraic::SquareValues)
OSTINATO_FOR_EACH_ROW_ON_CUDA(algebraic::LargestBeside)
OSTINATO_FOR_EACH_ROW_ON_CUDA(algebraic::FindStrongPairs)
OSTINATO_FOR_EACH_ROW_OF_ON_CUDA(algebraic::FindNearest)
OSTINATO_SUM_ROWS_OF_ON_CUDA(algebraic::DecideRoots)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountRoots)
OSTINATO_FOR_EACH_ROW_OF_ON_CUDA(algebraic::JoinRoot)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::JoinStrongest)

}  // namespace ostinato

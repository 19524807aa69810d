// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/interpolation_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ROW_ON_CUDA(algebraic::SumParts)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::FillSources)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::FillSpread)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountKept)
OSTINATO_SUM_ON_CUDA(algebraic::KeepLargest)

}  // namespace ostinato

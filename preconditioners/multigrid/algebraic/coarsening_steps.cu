// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato_generated/parallel_cuda.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(algebraic::MarkStrong)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::MarkBeside)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountDependent<Atomic<Cuda>>)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::BeginSplit)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::MarkBeaten<Atomic<Cuda>>)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::TakeCoarse)
template void sum(const Cuda&, std::size_t, algebraic::TakeFine<Atomic<Cuda>>, double*);
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountCoarse)

}  // namespace ostinato

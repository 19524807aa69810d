// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggregation_steps.hpp>
#include <ostinato_generated/parallel_cuda.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(algebraic::SquareValues)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::FillPoints)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::LargestBeside)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::MarkStrongPairs)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::BeginRoots)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::SpreadLargest)
template void sum(const Cuda&, std::size_t, algebraic::DecideRoots, double*);
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountRoots)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::JoinRoot)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::JoinStrongest)

}  // namespace ostinato

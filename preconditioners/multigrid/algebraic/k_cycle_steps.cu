// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/k_cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

template void sum(const Cuda&, std::size_t, algebraic::FirstSums, double*);
OSTINATO_PARTS_OF_ON_CUDA(algebraic::FirstSums)
template void sum(const Cuda&, std::size_t, algebraic::FirstResidual, double*);
OSTINATO_PARTS_OF_ON_CUDA(algebraic::FirstResidual)
template void sum(const Cuda&, std::size_t, algebraic::ThenSmooth<algebraic::FirstResidual>, double*);
OSTINATO_PARTS_OF_ON_CUDA(algebraic::ThenSmooth<algebraic::FirstResidual>)
template void sum(const Cuda&, std::size_t, algebraic::SecondSums, double*);
OSTINATO_PARTS_OF_ON_CUDA(algebraic::SecondSums)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CombineSteps)

}  // namespace ostinato

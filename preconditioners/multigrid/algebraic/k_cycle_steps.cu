// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/k_cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

template void sum(const Cuda&, std::size_t, algebraic::FirstSums, double*);
template void sum(const Cuda&, std::size_t, algebraic::FirstResidual, double*);
template void sum(const Cuda&, std::size_t, algebraic::ThenSmooth<algebraic::FirstResidual>, double*);
template void sum(const Cuda&, std::size_t, algebraic::SecondSums, double*);
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CombineSteps)

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/rate_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_OF_ON_CUDA(multigrid::FillRandomError)
OSTINATO_FOR_EACH_ON_CUDA(multigrid::FillRandom)
OSTINATO_FOR_EACH_ON_CUDA(multigrid::ProductOfRandom)
OSTINATO_SUM_ON_GPUS(multigrid::RandomLeft)
OSTINATO_FOR_EACH_OF_ON_CUDA(multigrid::TakeProduct)
template void sum(const Cuda&, std::size_t, multigrid::EnergyLeft, double*);
OSTINATO_PARTS_OF_ON_CUDA(multigrid::EnergyLeft)

}  // namespace ostinato

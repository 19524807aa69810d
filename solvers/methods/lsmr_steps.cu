// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/lsmr_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_SUM_ON_GPUS(detail::LsmrUpdateU)
OSTINATO_SUM_ON_GPUS(detail::LsmrUpdateV)
OSTINATO_FOR_EACH_ON_CUDA(detail::LsmrUpdateU)
OSTINATO_FOR_EACH_ON_CUDA(detail::LsmrUpdateV)
OSTINATO_SUM_ON_GPUS(detail::LsmrLength)
OSTINATO_FOR_EACH_ON_CUDA(detail::LsmrUpdateXH)

}  // namespace ostinato

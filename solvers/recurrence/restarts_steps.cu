// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/restarts_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_SUM_ON_GPUS(detail::Rescale)
OSTINATO_SUM_ON_GPUS(detail::CountNotFinite)
OSTINATO_FOR_EACH_ON_CUDA(detail::MakeFinite)
OSTINATO_FOR_EACH_ON_CUDA(detail::FlipSigns)
OSTINATO_SUM_ON_GPUS(detail::FourthPowers)
OSTINATO_FOR_EACH_ON_CUDA(detail::AddFinite)

}  // namespace ostinato

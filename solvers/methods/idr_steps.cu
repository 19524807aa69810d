// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/idr_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::IdrRandom)
OSTINATO_SUM_ON_GPUS(detail::IdrBegin)
OSTINATO_FOR_EACH_ON_CUDA(detail::IdrUpdateV)
OSTINATO_FOR_EACH_ON_CUDA(detail::IdrUpdateU)
OSTINATO_SUM_ON_GPUS(detail::IdrProject)
OSTINATO_SUM_ON_GPUS(detail::IdrUpdateXR)
OSTINATO_SUM_ON_GPUS(detail::IdrOmega)
OSTINATO_SUM_ON_GPUS(detail::IdrMinimise)

}  // namespace ostinato

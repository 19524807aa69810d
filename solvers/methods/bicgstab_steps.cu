// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/bicgstab_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::UpdateP)
OSTINATO_FOR_EACH_ON_CUDA(detail::UpdateS)
OSTINATO_SUM_ON_GPUS(detail::DotsTsTt)
OSTINATO_SUM_ON_GPUS(detail::UpdateXR)

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/bicgstab2_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::Bicgstab2U)
OSTINATO_FOR_EACH_ON_CUDA(detail::Bicgstab2RX)
OSTINATO_FOR_EACH_ON_CUDA(detail::Bicgstab2VU)
OSTINATO_FOR_EACH_ON_CUDA(detail::Bicgstab2RS)
OSTINATO_SUM_ON_GPUS(detail::Bicgstab2Omega)
OSTINATO_SUM_ON_GPUS(detail::Bicgstab2XRU)

}  // namespace ostinato

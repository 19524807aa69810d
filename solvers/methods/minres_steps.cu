// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/minres_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::MinresUpdateV)
OSTINATO_SUM_ON_GPUS(detail::MinresUpdateX)
OSTINATO_FOR_EACH_ON_CUDA(detail::MinresWithdrawStep)

}  // namespace ostinato

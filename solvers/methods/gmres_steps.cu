// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/gmres_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::Accumulate)
OSTINATO_FOR_EACH_ON_CUDA(detail::Normalise)
OSTINATO_FOR_EACH_ON_CUDA(detail::StoreNorm)

}  // namespace ostinato

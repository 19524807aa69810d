// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/block_jacobi_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_OF_ON_CUDA(detail::MarkSupervariables)
OSTINATO_FOR_EACH_ON_CUDA(detail::InvertBlock)
OSTINATO_FOR_EACH_ON_CUDA(detail::MultiplyBlockRow)

}  // namespace ostinato

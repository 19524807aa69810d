// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/cg_steps.hpp>
#include <ostinato_generated/parallel_cuda.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::UpdateXP)
OSTINATO_SUM_ON_CUDA(detail::UpdateR)

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/strategy/preparation_steps.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::DecoupleEntries)
OSTINATO_SUM_ON_CUDA(detail::CountFixed)
OSTINATO_FOR_EACH_ON_CUDA(detail::SetKnown)
OSTINATO_FOR_EACH_ON_CUDA(detail::EnterKnown)
OSTINATO_FOR_EACH_ON_CUDA(detail::LeaveKnown)
OSTINATO_SUM_ON_CUDA(detail::SumGeneral)
OSTINATO_FOR_EACH_ON_CUDA(detail::ShiftGeneral)
OSTINATO_FOR_EACH_ROW_ON_CUDA(detail::ScaleStep)
OSTINATO_FOR_EACH_ON_CUDA(detail::PowersOfTwo)

}  // namespace ostinato

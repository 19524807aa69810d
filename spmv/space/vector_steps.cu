// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/vector_steps_view.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::Scale)
OSTINATO_FOR_EACH_ON_CUDA(detail::Multiply)
OSTINATO_SUM_ON_GPUS(Dot)
OSTINATO_SUM_ON_GPUS(detail::SubtractFrom)
OSTINATO_SUM_ON_GPUS(detail::MultiplyDot)

}  // namespace ostinato

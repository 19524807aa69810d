// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/sweep_steps.hpp>
#include <ostinato_generated/parallel_cuda.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_OF_ON_CUDA(detail::MarkTiles)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::ListTiles)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::ListRowsOfTargets)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::FindPlaces)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::SetBits)

}  // namespace ostinato

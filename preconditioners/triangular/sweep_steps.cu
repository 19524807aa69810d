// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/sweep_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_OF_ON_CUDA(detail::MarkTiles)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::Both<detail::ListTiles>)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::Both<detail::PrepareRows<float>>)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::Both<detail::PrepareRows<double>>)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::Both<detail::FindPlaces>)

}  // namespace ostinato

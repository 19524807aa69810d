// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/cg_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

#define OSTINATO_ON_CUDA(...)                                 \
  OSTINATO_FOR_EACH_OF_ON_CUDA(detail::UpdateXP<__VA_ARGS__>) \
  OSTINATO_FOR_EACH_OF_ON_CUDA(detail::UpdateX<__VA_ARGS__>)
OSTINATO_ON_CUDA(float, float)
OSTINATO_ON_CUDA(double, float)
OSTINATO_ON_CUDA(double, double)
#undef OSTINATO_ON_CUDA
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::RoundToFloat)
OSTINATO_SUM_ON_GPUS(detail::UpdateR)
OSTINATO_SUM_ON_GPUS(detail::UpdateRAndRz)
OSTINATO_SUM_ON_GPUS(detail::ScaledSquare)

}  // namespace ostinato

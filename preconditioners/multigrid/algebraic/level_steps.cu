// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

OSTINATO_SUM_ON_CUDA(algebraic::ToFloat)
#define OSTINATO_INSTANTIATE(T) \
  template void sum(const Cuda&, std::size_t, algebraic::ThenSmooth<algebraic::ToFloat<T>>, double*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::FillFullPattern)
OSTINATO_FOR_EACH_ROW_ON_CUDA(algebraic::SumSizes)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::InvertLevelDiagonal)
template void sum(const Cuda&, std::size_t, algebraic::TakeOutRows, double*);
template void sum(const Cuda&, std::size_t, algebraic::PowerSums, double*);
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::FillByDiagonal)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::NormaliseTo)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::SmoothFromZero)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::Smooth)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::AddScaled)
OSTINATO_SUM_ON_GPUS(algebraic::FromFloat)

}  // namespace ostinato

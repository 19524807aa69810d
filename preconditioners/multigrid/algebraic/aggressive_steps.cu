// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggressive_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountReached)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::FillReached)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountFirstCoarse)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::FillFirstCoarse)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::KeepSecond)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::BeginRows)
#define OSTINATO_INSTANTIATE(T) \
  template void sum(const Cuda&, std::size_t, algebraic::InterpolatePass<Atomic<Cuda>, T>, double*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountHeld)
OSTINATO_FOR_EACH_ON_CUDA(algebraic::TakeHeld)

}  // namespace ostinato

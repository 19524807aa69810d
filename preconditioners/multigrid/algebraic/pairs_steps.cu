// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/pairs_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ROW_ON_CUDA(algebraic::BeginPairs)
OSTINATO_FOR_EACH_ROW_ON_CUDA(algebraic::FindStrongest)
OSTINATO_SUM_ROWS_ON_CUDA(algebraic::ChoosePartner)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::ShakeHands)
#define OSTINATO_INSTANTIATE(T) \
  template void sum_rows(const Cuda&, std::size_t, Offset, algebraic::JoinPair<Atomic<Cuda>, T>, double*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE
OSTINATO_FOR_EACH_ON_CUDA(algebraic::SumMembers)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountPairs)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::NumberPairs)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::ListMembers<Atomic<Cuda>>)

}  // namespace ostinato

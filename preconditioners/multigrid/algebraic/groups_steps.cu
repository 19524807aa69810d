// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/groups_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::JoinGroups)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountJoined)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::FillJoined)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::FindPoint)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::FindGroupOfRow)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::FillPointGroups)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::CountGroupTerms)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::SumGroup)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::ThenSmooth<algebraic::SumGroup>)
OSTINATO_FOR_EACH_OF_ON_CUDA(algebraic::AddOfGroup)

}  // namespace ostinato

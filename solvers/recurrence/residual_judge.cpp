// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/residual_judge_definition.hpp>

#include <complex>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T) template class ResidualJudge<Space, T>
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);
OSTINATO_FOR_COMPLEX(OSTINATO_INSTANTIATE);

}  // namespace ostinato

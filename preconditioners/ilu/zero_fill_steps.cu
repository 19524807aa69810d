// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/zero_fill_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

template void sum(const Cuda&, std::size_t, detail::FindDiagonal, double*);
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::Both<detail::ListTurns>)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::Both<detail::ListSweepRows>)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::Both<detail::FillSweepColumns>)
OSTINATO_FOR_EACH_ON_CUDA(detail::LoadEntries)
OSTINATO_SUM_ON_CUDA(detail::FillSweeps)

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/chebyshev_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::BeginChebyshev)
OSTINATO_FOR_EACH_ON_CUDA(detail::ChebyshevStep)
OSTINATO_SUM_ON_GPUS(detail::LanczosBegin)
OSTINATO_SUM_ON_GPUS(detail::LanczosStep)
#define OSTINATO_INSTANTIATE(T) template void for_each(const Cuda&, std::size_t, detail::LargestRowSum<T, Atomic<Cuda>>)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/chebyshev_steps.hpp>
#include <ostinato_generated/parallel_cuda.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::BeginChebyshev)
OSTINATO_FOR_EACH_ON_CUDA(detail::ChebyshevStep)
OSTINATO_SUM_ON_CUDA(detail::LanczosBegin)
OSTINATO_SUM_ON_CUDA(detail::LanczosStep)
template void for_each(const Cuda&, std::size_t, detail::LargestRowSum<float, Atomic<Cuda>>);
template void for_each(const Cuda&, std::size_t, detail::LargestRowSum<double, Atomic<Cuda>>);

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/approximate_factored_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_SUM_ON_CUDA(detail::RoundElements)
template void for_each(const Cuda&, std::size_t, detail::MoveScaled<float, float>);
template void for_each(const Cuda&, std::size_t, detail::MoveScaled<double, double>);
template void for_each(const Cuda&, std::size_t, detail::MoveScaled<double, float>);
template void for_each(const Cuda&, std::size_t, detail::MoveScaled<float, double>);
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::CountUnitRow)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::FillUnitRow)
OSTINATO_SUM_ON_CUDA(detail::PlaceRows)

}  // namespace ostinato

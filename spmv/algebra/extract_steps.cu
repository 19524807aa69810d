// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/extract_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

template void sum(const Cuda&, std::size_t, detail::InspectPlaces, double*);
template void sum(const Cuda&, std::size_t, detail::CountRepeated, double*);
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::FillNumbers)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::NumberPlaces<Atomic<Cuda>>)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::CountTaken)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::FillTaken)
template void sum(const Cuda&, std::size_t, detail::CountLong, double*);

}  // namespace ostinato

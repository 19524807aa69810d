// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/renumber_steps.hpp>
#include <ostinato_generated/parallel_cuda.hpp>

namespace ostinato {

template void for_each(const Cuda&, std::size_t, detail::GatherElements<float>);
template void for_each(const Cuda&, std::size_t, detail::GatherElements<double>);
OSTINATO_FOR_EACH_ON_CUDA(detail::ScatterElements)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::ScatterElements<Index>)
template void for_each(const Cuda&, std::size_t, detail::GatherElements<float, Offset>);
template void for_each(const Cuda&, std::size_t, detail::GatherElements<double, Offset>);
template void for_each(const Cuda&, std::size_t, detail::GatherElements<Offset, Offset>);

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/renumber_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(T) template void for_each(const Cuda&, std::size_t, detail::GatherElements<T>)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE
OSTINATO_FOR_EACH_ON_CUDA(detail::ScatterElements)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::ScatterElements<Index>)
#define OSTINATO_INSTANTIATE(T) template void for_each(const Cuda&, std::size_t, detail::GatherElements<T, Offset>)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE
template void for_each(const Cuda&, std::size_t, detail::GatherElements<Offset, Offset>);

}  // namespace ostinato

// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/row_errors_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(T)                                                                 \
  template void for_each(const Cuda&, std::size_t, detail::LargestDifference<Atomic<Cuda>, T>); \
  template void sum_rows(const Cuda&, std::size_t, Offset, detail::CompareRows<Atomic<Cuda>, T>, double*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato

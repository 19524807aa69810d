// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/row_facts_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(T)                                                                         \
  template void sum_rows(const Cuda&, std::size_t, Offset, detail::FindRows<Atomic<Cuda>, T>, double*); \
  template void for_each(const Cuda&, std::size_t, detail::FindAsymmetry<Atomic<Cuda>, T>)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
